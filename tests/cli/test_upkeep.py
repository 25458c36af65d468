"""`init`, `migrate`, `check`, `status` and `flag`, as a person uses them on an embedded database."""

from __future__ import annotations

import re
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from daemon.cli import checks
from daemon.cli.shell import Shell
from daemon.db import Database
from daemon.flags.model import FlagKey
from daemon.settings import Settings
from tests.cli.command import Ended, Gonggo
from tests.databases import url_of


def rows(ended: Ended) -> dict[str, list[str]]:
    """The rows of a plain table, by their first cell."""
    lines = [re.split(r" {2,}", line) for line in ended.output.splitlines()]
    return {line[0]: line[1:] for line in lines}


def test_before_init_every_command_says_so(gonggo: Gonggo) -> None:
    for command in (["status"], ["flag", "list"], ["company", "list"], ["source", "list"]):
        ended = gonggo.run(*command)
        assert (ended.code, ended.output) == (3, "")
        assert "먼저 'gonggo init'을 실행하세요" in ended.errors
    assert list(gonggo.home.iterdir()) == [], "a command that only looks makes no file"


def test_init_makes_a_private_directory_and_a_database_and_may_be_repeated(gonggo: Gonggo) -> None:
    first, second = gonggo.run("init"), gonggo.run("init")
    folder = gonggo.home / ".local/state/gonggo"
    assert (first.code, second.code) == (0, 0)
    assert first.output == second.output
    assert "꺼진 기능: posting.auto-close, " in second.output
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "gonggo flag on" in first.output
    flags = rows(gonggo.run("flag", "list"))
    assert {flags[key][0] for key in FlagKey} == {"꺼짐"}


def test_init_leads_to_the_page(gonggo: Gonggo) -> None:
    told = gonggo.having(http_port="18787").run("init").output.splitlines()
    assert re.fullmatch(
        r"  http://127\.0\.0\.1:18787 +브라우저로 열면 나머지를 하나씩 안내합니다", told[told.index("다음 단계:") + 2]
    )


def test_init_activate_switches_all_five_functions_on_and_leaves_matters_of_taste(gonggo: Gonggo) -> None:
    ended = gonggo.run("init", "--activate")
    assert ended.code == 0
    flags = rows(gonggo.run("flag", "list"))
    assert {key: flags[key][0] for key in FlagKey} == {key: "꺼짐" if key.is_taste else "켜짐" for key in FlagKey}
    assert sum(not key.is_taste for key in FlagKey) == 5
    assert "gonggo flag on" not in ended.output


def test_a_flag_is_switched_and_told(gonggo: Gonggo) -> None:
    gonggo.run("init")
    assert gonggo.run("flag", "on", "posting.auto-close").output == "켰습니다: posting.auto-close\n"
    assert gonggo.run("flag", "on", "posting.auto-close").output == "이미 그 상태입니다: posting.auto-close\n"
    assert rows(gonggo.run("flag", "list"))["posting.auto-close"][0] == "켜짐"
    assert gonggo.run("flag", "off", "posting.auto-close").output == "껐습니다: posting.auto-close\n"
    assert rows(gonggo.run("flag", "list"))["posting.auto-close"][0] == "꺼짐"
    wrong = gonggo.run("flag", "on", "auto-close")
    assert wrong.code == 2
    assert "posting.auto-close" in wrong.errors


def test_migrate_tells_what_it_did(gonggo: Gonggo) -> None:
    first, second = gonggo.run("migrate"), gonggo.run("migrate")
    assert (first.code, second.code) == (0, 0)
    assert first.output.startswith("적용한 리비전: 0001, 0002")
    assert second.output.startswith("이미 최신입니다: ")


def test_a_schema_that_is_behind_is_an_answer_not_a_crash(gonggo: Gonggo) -> None:
    gonggo.run("init")
    database = gonggo.home / ".local/state/gonggo/gonggo.db"
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()
    ended = gonggo.run("status")
    assert ended.code == 3
    assert "gonggo migrate" in ended.errors
    checked = gonggo.run("check")
    assert checked.code == 1
    assert rows(checked)["스키마"][0] == "실패"
    assert "현재 0001" in rows(checked)["스키마"][1]


def test_a_file_that_is_no_database_is_told_as_such(gonggo: Gonggo, tmp_path: Path) -> None:
    (tmp_path / "letter.db").write_bytes(b"Dear database, " * 1000)
    ended = gonggo.having(database_url=f"sqlite:///{tmp_path}/letter.db").run("status")
    assert ended.code == 3
    assert "file is not a database" in ended.errors
    assert (tmp_path / "letter.db").read_bytes().startswith(b"Dear database")


def test_status_of_a_day_on_which_nothing_is_followed(gonggo: Gonggo) -> None:
    gonggo.run("init", "--activate")
    ended = gonggo.run("status")
    assert ended.code == 0
    assert re.match(r"\d{4}-\d\d-\d\d \(한국 시간 \d\d:\d\d\)", ended.output)
    assert "등록된 소스가 없습니다" in ended.output


def test_check_of_a_good_installation_exits_zero_and_shows_no_secret(gonggo: Gonggo) -> None:
    gonggo.run("init")
    ended = gonggo.having(
        discord_webhook_url="https://discord.com/api/webhooks/123/geheim-token", api_token="geheim"
    ).run("check")
    assert ended.code == 0, ended.output
    found = rows(ended)
    assert {found[name][0] for name in ("설정", "데이터베이스", "스키마", "시계", "디스코드 웹훅", "상태 폴더")} == {
        "정상"
    }
    assert "geheim" not in ended.output + ended.errors


def test_check_names_each_thing_that_is_wrong_and_exits_one(gonggo: Gonggo) -> None:
    ended = gonggo.having(
        database_url="mysql://gonggo:geheim@127.0.0.1:1/gonggo",
        discord_webhook_url="https://example.com/geheim",
        worker="3",
    ).run("check")
    found = rows(ended)
    assert ended.code == 1
    assert {name for name, cells in found.items() if cells and cells[0] == "실패"} == {
        "설정",
        "데이터베이스",
        "스키마",
        "시계",
        "디스코드 웹훅",
    }
    assert "GONGGO_WORKER" in found["설정"][1]
    assert "geheim" not in ended.output + ended.errors


def test_check_before_init_says_so(gonggo: Gonggo) -> None:
    ended = gonggo.run("check")
    assert ended.code == 1
    assert "gonggo init" in rows(ended)["데이터베이스"][1]


def test_a_state_directory_in_which_nothing_can_be_written_is_found(gonggo: Gonggo) -> None:
    # Not even root makes a file here.
    ended = gonggo.having(database_url="sqlite:////proc/gonggo.db").run("check")
    assert ended.code == 1
    assert rows(ended)["상태 폴더"][0] == "실패"
    assert rows(ended)["상태 폴더"][1].startswith("쓸 수 없음: /proc")


async def test_the_clock_is_compared_with_the_server_s(server_db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(database_url=SecretStr(url_of(server_db)))
    found = {check.name: check for check in await checks.run_checks(Shell("en"), settings)}
    assert found["database"].good
    assert found["schema"].good
    assert found["clock"].good, found["clock"].detail
    assert found["clock"].detail == "0.0 s from the database's"
    monkeypatch.setattr(checks, "CLOCK_TOLERANCE", timedelta(seconds=-1))
    off = {check.name: check for check in await checks.run_checks(Shell("en"), settings)}["clock"]
    assert not off.good
    assert "time synchronisation" in off.detail
