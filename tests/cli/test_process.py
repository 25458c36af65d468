"""The installed `gonggo` as a process: what an interpreter's start, end and signals could spoil."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import PROGRAM, Gonggo
from tests.cli.test_parse import board, job


def test_the_installed_program_shows_its_help(gonggo: Gonggo) -> None:
    ended = gonggo.process("--help")
    assert (ended.code, ended.errors) == (0, "")
    assert ended.output == gonggo.run("--help").output


def test_the_installed_program_tells_its_version(gonggo: Gonggo) -> None:
    assert gonggo.process("--version").output.startswith("gonggo 1.")


def test_a_saved_answer_comes_from_standard_input_and_goes_to_standard_output(gonggo: Gonggo) -> None:
    ended = gonggo.process("parse", "greenhouse", "-", stdin=board(job(1)))
    assert ended.code == 0
    assert json.loads(ended.output)["title"] == "서버 개발자 1 & 동료"
    assert ended.errors == "items=1 skipped=0 total=1 next=-\n"


def test_a_wrong_call_and_a_wrong_setting_have_their_exit_codes(gonggo: Gonggo) -> None:
    assert gonggo.process("parse", "greenhouse").code == 2
    assert gonggo.having(http_port="x").process("status").code == 3
    assert gonggo.process("status").code == 3


def test_a_daemon_less_life_init_check_flag_status(gonggo: Gonggo) -> None:
    for command in (["init", "--activate"], ["check"], ["flag", "off", "posting.auto-close"], ["status"]):
        ended = gonggo.process(*command)
        assert (ended.code, ended.errors) == (0, ""), command
    assert "posting.auto-close" not in gonggo.process("status").output


def test_a_reader_that_has_seen_enough_is_no_error(gonggo: Gonggo) -> None:
    with gonggo.start("parse", "greenhouse", "-") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(board(*(job(number) for number in range(2000))))
        process.stdin.close()
        errors = process.stderr.read().decode()
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors


def test_control_c_exits_130_with_one_sentence(gonggo: Gonggo, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never-ending")
    with (
        gonggo.start("parse", "greenhouse", str(tmp_path / "never-ending")) as process,
        (tmp_path / "never-ending").open("wb"),  # opens once the command reads
    ):
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == b""
    assert errors.decode() == "gonggo: 중단했습니다.\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp949"])
def test_a_terminal_that_lacks_a_letter_gets_it_escaped(gonggo: Gonggo, encoding: str) -> None:
    environment = {**gonggo.environment, "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [PROGRAM, "parse", "greenhouse", "-"],
        input=board(job(1, title="개발자 🙂")),
        capture_output=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "\\U0001f642" in done.stdout.decode(encoding)


@pytest.mark.acceptance
def test_the_daemon_tells_the_service_manager_that_it_is_ready_alive_and_stopping(
    gonggo: Gonggo, tmp_path: Path
) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(30)
        variables = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "60000000"}
        with gonggo.having(http_port="0").start("run", **variables) as daemon:
            words = {manager.recv(1000).decode() for _ in range(2)}
            assert words == {"READY=1", "WATCHDOG=1"}
            daemon.send_signal(signal.SIGTERM)
            assert manager.recv(1000).decode() == "STOPPING=1"
            _, journal = daemon.communicate(timeout=60)
    assert daemon.returncode == 0
    events = [json.loads(line)["event"] for line in journal.decode().splitlines()]
    assert events[-1] == "daemon.stopped"
    assert "daemon.started" in events


@pytest.mark.acceptance
def test_a_daemon_that_cannot_start_says_why_and_exits_three(gonggo: Gonggo) -> None:
    gonggo.run("init")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = gonggo.having(http_port=str(taken.getsockname()[1])).process("run")
    assert ended.code == 3
    assert "GONGGO_HTTP_PORT" in ended.errors.splitlines()[-1]
