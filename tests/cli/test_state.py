"""The place of an embedded database: private where gonggo makes it, and told in one sentence where it can't be used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daemon import instance
from daemon.clock import SystemClock
from daemon.db import open_database
from tests.cli.command import Gonggo


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_folder_database_and_lock_are_their_owner_s_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        db = open_database(f"sqlite:///{tmp_path}/state/gonggo.db", SystemClock())
        with instance.sole_instance(db):
            pass
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "state") == 0o700
    assert mode_of(tmp_path / "state/gonggo.db") == 0o600
    assert mode_of(tmp_path / "state/gonggo.db.lock") == 0o600


def test_what_sqlite_puts_beside_the_database_is_as_private(gonggo: Gonggo) -> None:
    for command in ("init", "status", "collect"):
        gonggo.run(command)
        files = list((gonggo.home / ".local/state/gonggo").iterdir())
        assert files
        assert {path.name: mode_of(path) for path in files if mode_of(path) != 0o600} == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_makes_in_the_service_s_folder_is_the_service_s(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    os.chown(tmp_path / "state", 61234, 61235)
    db = open_database(f"sqlite:///{tmp_path}/state/gonggo.db", SystemClock())
    with instance.sole_instance(db):
        pass
    owners = {path.name: (path.stat().st_uid, path.stat().st_gid) for path in (tmp_path / "state").iterdir()}
    assert owners == {"gonggo.db": (61234, 61235), "gonggo.db.lock": (61234, 61235)}


@pytest.mark.parametrize("command", ["init", "migrate", "run", "collect", "status", "check"])
@pytest.mark.parametrize("place", ["unwritable", "a file for a folder", "a folder for the file"])
def test_a_place_that_cannot_be_used_is_told_in_one_sentence(
    gonggo: Gonggo, tmp_path: Path, place: str, command: str
) -> None:
    (tmp_path / "file").write_text("")
    # Not even root makes a file in /proc.
    path = {"unwritable": "/proc/1/gonggo.db", "a file for a folder": tmp_path / "file/gonggo.db"}.get(place, tmp_path)
    ended = gonggo.having(database_url=f"sqlite:///{path}", log_format="json").run(command)
    assert ended.code == (1 if command == "check" else 3)
    assert "Traceback" not in ended.output + ended.errors
    told = [line for line in ended.errors.splitlines() if not line.startswith("{")]
    if command != "check":
        assert len(told) == 1
        assert str(path) in told[0]
        assert told[0].startswith("gonggo: ")


def test_a_database_in_use_is_told_with_the_process_that_uses_it(gonggo: Gonggo) -> None:
    gonggo.run("init")
    path = gonggo.home / ".local/state/gonggo/gonggo.db"
    with instance.sole_instance(open_database(f"sqlite:///{path}", SystemClock())):
        ended = gonggo.run("collect")
    assert ended.code == 3
    assert f"다른 gonggo(프로세스 {os.getpid()})가 {path}" in ended.errors
