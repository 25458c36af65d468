"""`gonggo demo` as a person runs it: what it shows, and that nothing of it outlives it, however it ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest
from rich.cells import cell_len

from tests.acceptance.daemons import environment_for
from tests.acceptance.waiting import until

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]

Start = Callable[..., Awaitable["Demo"]]


class Demo:
    """One `gonggo demo` that this test started."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self.process = process
        self.folder = folder
        """Where its temporary files are."""
        self.output = folder / "output.txt"
        self.errors = folder / "errors.txt"

    def children(self) -> list[int]:
        """Its processes, by id: the sites and the daemon, once they run."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in listed.read_text("ascii").split()]

    async def told(self, words: str) -> None:
        """It has written that."""
        await until(lambda: words in self.output.read_text("utf-8"), f"the demo says {words}")

    async def both_run(self) -> list[int]:
        """Sites and daemon are up and the first day is under way."""
        pids = await until(lambda: pids if len(pids := self.children()) == 2 else None, "sites and daemon run")
        await self.told("[1/")
        return pids

    async def ended(self) -> int:
        """Its exit code."""
        return await asyncio.wait_for(self.process.wait(), 600)

    @property
    def left(self) -> list[str]:
        """Temporary folders that are still there."""
        return [path.name for path in self.folder.glob("gonggo-demo-*")]


@pytest.fixture
async def demo(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts demos; none of them outlives the test."""
    started: list[Demo] = []

    async def start(*arguments: str) -> Demo:
        environment = environment_for(tmp_path, {"TMPDIR": str(tmp_path)})
        with (tmp_path / "output.txt").open("wb") as output, (tmp_path / "errors.txt").open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "daemon", "demo", *arguments),
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        started.append(Demo(process, tmp_path))
        return started[-1]

    yield start
    for each in started:
        if each.process.returncode is None:
            each.process.kill()
            await each.process.wait()


def running(pid: int) -> bool:
    """Whether the process is there and more than a corpse that nobody has buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def none_runs(pids: list[int]) -> None:
    """All of them are gone, awaited."""
    await until(lambda: not any(map(running, pids)), "no process of the demo runs", 20)


async def test_two_days_end_well_and_show_postings_the_digest_and_an_application_in_eighty_cells(demo: Start) -> None:
    """Issue: after it a person sees matched postings, the digest text, an application's timeline."""
    played = await demo("--days", "2")
    assert await played.ended() == 0, played.errors.read_text("utf-8")
    text = played.output.read_text("utf-8")
    assert played.errors.read_text("utf-8").count("gonggo:") == 0
    seeding, _, second = text.partition("[2/2일째]")
    assert "09:00 알림: 0건 (첫날은 시딩이라 알리지 않습니다)" in seeding
    assert "🔔 새 공고 · 우아한형제들 — 배민 주문시스템 서버 개발자 (Java/Kotlin)" in second
    assert re.search(r"🧭 오늘 발견한 공고 \d+건 · 12월 2일\(수\)", second)
    assert "19:00 지원했습니다: 우아한형제들 - 배민 주문시스템 서버 개발자 (Java/Kotlin)" in second
    matches, digest, timeline = (
        second.index(words)
        for words in (
            "키워드에 맞는 공고",
            "2026-12-02 09:00에 디스코드로 보낸 발견 요약 전문:",
            "지원 1: 우아한형제들",
        )
    )
    assert matches < digest < timeline
    shown = second[matches:digest]
    assert re.findall(r"^(\d)\. ", shown, re.MULTILINE) == ["1", "2", "3"]
    assert "1. 우아한형제들 - 배민 주문시스템 서버 개발자 (Java/Kotlin)" in shown
    assert "마감(한국 시간):" in shown
    assert re.search(r"근무형태: 원격근무 (확실|유력)", shown)
    assert "맞은 이유: 제목의 Kotlin" in shown
    assert "3곳에 게재 (하나로 묶음)" in shown
    assert "  | • [" in second[digest:timeline]
    assert re.search(r"12-02 19:00 +지원함 +이력서와 포트폴리오를 냈다", second[timeline:])
    assert "실패" not in second[timeline:]
    tables = re.findall(r"^소스 .*(?:\n\S.*)+", text, re.MULTILINE)
    assert len(tables) == 3
    assert max(cell_len(line) for table in tables for line in table.splitlines()) <= 80
    assert played.left == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_demo_that_is_interrupted_ends_at_once_with_a_sentence_and_leaves_nothing(
    demo: Start, number: signal.Signals
) -> None:
    played = await demo()
    pids = await played.both_run()
    played.process.send_signal(number)
    assert await played.ended() == 130
    assert "[2/3일째]" not in played.output.read_text("utf-8"), "it goes on with no other day"
    assert not any(map(running, pids))
    assert "중단했습니다" in played.errors.read_text("utf-8")
    assert played.left == []


async def test_a_demo_that_is_killed_leaves_no_process_behind(demo: Start) -> None:
    played = await demo()
    pids = await played.both_run()
    played.process.kill()
    assert await played.ended() == -signal.SIGKILL
    await none_runs(pids)


async def test_a_demo_whose_daemon_dies_says_so_and_keeps_the_log_it_names(demo: Start) -> None:
    played = await demo()
    pids = await played.both_run()
    daemon = next(pid for pid in pids if "replica" not in Path(f"/proc/{pid}/cmdline").read_text("utf-8"))
    os.kill(daemon, signal.SIGKILL)
    assert await played.ended() == 1
    said = played.errors.read_text("utf-8")
    found = re.search(r"gonggo: 데모의 프로세스가 코드 -9로 끝났습니다. (\S+)의 끝을 확인하세요.", said)
    assert found, said
    assert Path(found[1]).is_file()
    assert "Traceback" not in said
    await none_runs(pids)


async def test_a_place_that_is_no_folder_is_refused_with_a_sentence(demo: Start, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    played = await demo("--keep", str(tmp_path / "file"))
    assert await played.ended() == 2
    assert played.errors.read_text("utf-8").startswith(f"gonggo: --keep에 쓸 수 없는 폴더입니다: {tmp_path / 'file'}")
    assert played.output.read_text("utf-8") == ""


async def test_a_demo_that_serves_stays_up_until_it_is_told_to_stop(demo: Start) -> None:
    played = await demo("--days", "1", "--serve")
    await played.told("/api/openapi.json")
    pids = played.children()
    assert len(pids) == 2
    addresses = re.findall(r"^  (http://127.0.0.1:\d+/.*)$", played.output.read_text("utf-8"), re.MULTILINE)
    assert len(addresses) >= 4
    async with aiohttp.ClientSession() as http:
        for address in addresses:
            async with http.get(address) as answer:
                assert answer.status == 200, address
    played.process.send_signal(signal.SIGINT)
    assert await played.ended() == 0
    assert "데모를 끝냈습니다" in played.output.read_text("utf-8")
    assert not any(map(running, pids))
