"""What a person reads when a setting is wrong: which one, and what to do; never a secret, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.settings import unknown_settings
from tests.cli.command import Gonggo


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("http_port", "99999", "설정 http_port(환경 변수 GONGGO_HTTP_PORT)이 잘못되었습니다: 65535 이하여야 합니다"),
        ("workers", "many", "설정 workers(환경 변수 GONGGO_WORKERS)이 잘못되었습니다: 정수가 아닙니다"),
        ("lease_seconds", "0", "설정 lease_seconds(환경 변수 GONGGO_LEASE_SECONDS)이 잘못되었습니다: 0.0보다 커야"),
        ("log_level", "loud", "GONGGO_LOG_LEVEL)이 잘못되었습니다: 'debug', 'info', 'warning' or 'error' 중 하나"),
        ("platform_origins", "{", "GONGGO_PLATFORM_ORIGINS)이 잘못되었습니다: JSON이 아닙니다"),
        ("platform_origins", '{"NOSITE": "http://x"}', "GONGGO_PLATFORM_ORIGINS)이 잘못되었습니다"),
        ("platform_origins", '{"WANTED": "ftp://x"}', "is not scheme://host[:port]"),
        ("http_host", "0.0.0.0", "set GONGGO_API_TOKEN first"),
        ("clock", "noon", "GONGGO_CLOCK"),
        ("database_url", "postgres://u:geheim@h/x", "GONGGO_DATABASE_URL"),
        ("database_url", "no address, geheim", "GONGGO_DATABASE_URL"),
    ],
)
def test_a_wrong_setting_exits_three_and_is_named(gonggo: Gonggo, setting: str, value: str, sentence: str) -> None:
    (gonggo.home / ".local/state/gonggo").mkdir(parents=True)
    (gonggo.home / ".local/state/gonggo/gonggo.db").touch()
    ended = gonggo.having(**{setting: value}).run("status")
    assert (ended.code, ended.output) == (3, "")
    assert sentence in ended.errors
    assert "Traceback" not in ended.errors
    assert "geheim" not in ended.errors


def test_the_sentence_is_english_for_who_asked_for_it(gonggo: Gonggo) -> None:
    ended = gonggo.having(language="en", http_port="-1").run("status")
    assert ended.errors == (
        "gonggo: Setting http_port (environment variable GONGGO_HTTP_PORT) is wrong: must be at least 0."
        " Correct it and try again.\n"
    )


def test_every_wrong_setting_is_named_at_once(gonggo: Gonggo) -> None:
    ended = gonggo.having(http_port="x", workers="0").run("status")
    assert len(ended.errors.splitlines()) == 2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(None, "설정 파일이 없습니다"), (b"[", "설정 파일을 읽을 수 없습니다"), (b"\xff=1", "읽을 수 없습니다")],
)
def test_a_bad_configuration_file_exits_three(
    gonggo: Gonggo, tmp_path: Path, content: bytes | None, sentence: str
) -> None:
    path = tmp_path / "gonggo.toml"
    if content is not None:
        path.write_bytes(content)
    ended = gonggo.run("--config", str(path), "status")
    assert ended.code == 3
    assert sentence in ended.errors
    assert str(path) in ended.errors


def test_the_configuration_file_counts_and_the_environment_wins(gonggo: Gonggo, tmp_path: Path) -> None:
    path = tmp_path / "gonggo.toml"
    path.write_text(f'language = "en"\ndatabase_url = "sqlite:///{tmp_path}/from-file.db"\n', "utf-8")
    assert "Ready: sqlite:" in gonggo.run("--config", str(path), "init").output
    assert (tmp_path / "from-file.db").is_file()
    other = gonggo.having(database_url=f"sqlite:///{tmp_path}/from-environment.db", language="ko")
    assert "준비되었습니다" in other.run("--config", str(path), "init").output
    assert (tmp_path / "from-environment.db").is_file()


def test_a_misspelt_setting_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONGGO_WORKER", "3")
    monkeypatch.setenv("GONGGO_TEST_MYSQL_URL", "")
    (tmp_path / "gonggo.toml").write_text("workers = 3\nhttp_prot = 1\n", "utf-8")
    unknown = unknown_settings(tmp_path / "gonggo.toml")
    assert "GONGGO_WORKER" in unknown
    assert "http_prot" in unknown
    assert "workers" not in unknown
    assert "GONGGO_TEST_MYSQL_URL" not in unknown
