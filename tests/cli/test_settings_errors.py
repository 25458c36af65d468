"""What a person reads when a setting is wrong: which one, and what to do; never a secret, never a traceback."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import pytest

from daemon import settings
from daemon.settings import Installation, unknown_settings
from tests.cli.command import Gonggo


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("http_port", "99999", "설정 http_port(환경 변수 GONGGO_HTTP_PORT)이 잘못되었습니다: 65535 이하여야 합니다"),
        ("workers", "many", "설정 workers(환경 변수 GONGGO_WORKERS)이 잘못되었습니다: 정수가 아닙니다"),
        ("lease_seconds", "0", "설정 lease_seconds(환경 변수 GONGGO_LEASE_SECONDS)이 잘못되었습니다: 0.0보다 커야"),
        ("lease_seconds", "inf", "GONGGO_LEASE_SECONDS)이 잘못되었습니다: 끝이 있는 수여야 합니다"),
        ("lease_seconds", "nan", "GONGGO_LEASE_SECONDS)이 잘못되었습니다: 끝이 있는 수여야 합니다"),
        ("stop_seconds", "1e300", "GONGGO_STOP_SECONDS)이 잘못되었습니다: 86400.0 이하여야 합니다"),
        ("sla_grace_seconds", "inf", "GONGGO_SLA_GRACE_SECONDS)이 잘못되었습니다: 끝이 있는 수여야 합니다"),
        ("workers", "9" * 5000, "GONGGO_WORKERS)이 잘못되었습니다: 너무 큰 수입니다"),
        ("daily_pages", "99999999999", "GONGGO_DAILY_PAGES)이 잘못되었습니다: 1000000 이하여야 합니다"),
        ("contact_url", "https://x\r\nHost: y", "GONGGO_CONTACT_URL)이 잘못되었습니다: 줄바꿈 없는 ASCII 글자여야"),
        ("user_agent", "공고", "GONGGO_USER_AGENT)이 잘못되었습니다: 줄바꿈 없는 ASCII 글자여야"),
        ("api_token", " ", "GONGGO_API_TOKEN)이 잘못되었습니다: 빈칸 없는 ASCII 한 단어여야 합니다"),
        ("http_host", "no host", "GONGGO_HTTP_HOST)이 잘못되었습니다: IP 주소도 서버 이름도 아닙니다"),
        ("http_host", "127.0.0.1.example.com", "먼저 GONGGO_API_TOKEN을 정하세요"),
        ("http_host", "::1234", "먼저 GONGGO_API_TOKEN을 정하세요"),
        ("log_level", "loud", "GONGGO_LOG_LEVEL)이 잘못되었습니다: debug, info, warning, error 중 하나여야 합니다"),
        ("platform_origins", "{", "GONGGO_PLATFORM_ORIGINS)이 잘못되었습니다: JSON이 아닙니다"),
        ("platform_origins", '{"NOSITE": "http://x"}', "GONGGO_PLATFORM_ORIGINS)이 잘못되었습니다"),
        ("platform_origins", '{"WANTED": "ftp://x"}', "http://서버[:포트] 형식이 아닙니다"),
        ("platform_origins", '{"WANTED": "http://u:geheim@x"}', "http://서버[:포트] 형식이 아닙니다"),
        ("http_host", "0.0.0.0", "먼저 GONGGO_API_TOKEN을 정하세요"),
        ("clock", "noon", "GONGGO_CLOCK"),
        ("database_url", "postgres://u:geheim@h/x", "GONGGO_DATABASE_URL"),
        ("database_url", "no address, geheim", "GONGGO_DATABASE_URL"),
        ("database_url", "mysql://u:geheim@h", "데이터베이스 이름이 없습니다"),
        ("database_url", "mysql://u:ge@heim@h/x", "비밀번호의 기호는 %로 바꿔"),
        ("database_url", "mysql://u:x@geheim@h:33a/x", "비밀번호의 기호는 %로 바꿔"),
        ("database_url", "mysql://u:x@h:geheim/x", "mysql://사용자:비밀번호@서버/데이터베이스나"),
        ("database_url", "mysql://u:x@h/x?password=geheim", "물음표 뒤에는"),
        ("database_url", "sqlite://", "메모리에만 있는 SQLite에는"),
        ("database_url", "sqlite:///:memory:", "메모리에만 있는 SQLite에는"),
        ("database_url", "sqlite:///x.db?mode=ro", "파일 경로만 씁니다"),
        ("database_url", "sqlite://host/x.db", "파일 경로만 씁니다"),
    ],
)
def test_a_wrong_setting_exits_three_and_is_named(gonggo: Gonggo, setting: str, value: str, sentence: str) -> None:
    (gonggo.home / ".local/state/gonggo").mkdir(parents=True)
    (gonggo.home / ".local/state/gonggo/gonggo.db").touch()
    ended = gonggo.having(**{setting: value}).run("status")
    assert (ended.code, ended.output) == (3, "")
    assert sentence in ended.errors
    assert "Traceback" not in ended.errors
    for part in ("geheim", "heim@"):
        assert part not in ended.errors


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


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "null",
        "{",
        '{"wall": 1, "instant": "noon", "speed": 1}',
        '{"wall": 1, "instant": "2026-12-01T09:00:00", "speed": 1}',
        '{"wall": 1, "instant": "2026-12-01T09:00:00+09:00", "speed": 1e99}',
        '{"wall": -1e300, "instant": "2026-12-01T09:00:00+09:00", "speed": 1}',
        '{"wall": 1, "instant": "2026-12-01T09:00:00+09:00", "speed": NaN}',
        '{"wall": 1, "instant": "0001-01-01T00:00:00+09:00", "speed": 0}',
    ],
)
@pytest.mark.parametrize("command", ["status", "run", "collect"])
def test_a_clock_file_that_tells_no_time_exits_three(
    gonggo: Gonggo, tmp_path: Path, command: str, content: str
) -> None:
    gonggo.run("init")
    (tmp_path / "clock").write_text(content, "utf-8")
    ended = gonggo.having(clock=f"file:{tmp_path}/clock").run(command)
    assert (ended.code, ended.output) == (3, "")
    assert ended.errors.startswith("gonggo: 설정 clock(환경 변수 GONGGO_CLOCK)이 잘못되었습니다: file:경로로")
    assert len(ended.errors.splitlines()) == 1


@pytest.mark.parametrize("letter", ["@", "/", "#", ":", "?", " "])
@pytest.mark.parametrize("command", ["status", "check", "run", "collect", "init", "migrate"])
def test_no_part_of_a_password_is_ever_shown(gonggo: Gonggo, command: str, letter: str) -> None:
    address = f"mysql://gonggo:geheim{letter}heimlich@127.0.0.1:1/gonggo"
    with mock.patch("daemon.app._database_answers", side_effect=OSError(2, f"cannot reach {address}")):
        ended = gonggo.having(database_url=address).run(command)
    assert ended.code in {1, 3}
    for part in ("geheim", "heimlich"):
        assert part not in ended.output + ended.errors


def test_a_misspelt_setting_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONGGO_WORKER", "3")
    monkeypatch.setenv("GONGGO_TEST_MYSQL_URL", "")
    (tmp_path / "gonggo.toml").write_text("workers = 3\nhttp_prot = 1\n", "utf-8")
    unknown = unknown_settings(tmp_path / "gonggo.toml")
    assert "GONGGO_WORKER" in unknown
    assert "http_prot" in unknown
    assert "workers" not in unknown
    assert "GONGGO_TEST_MYSQL_URL" not in unknown


def test_every_command_warns_of_a_misspelt_setting_with_the_nearest_name(gonggo: Gonggo, tmp_path: Path) -> None:
    gonggo.run("init")
    (tmp_path / "gonggo.toml").write_text("http_prot = 1\nquite_another = 1\n", "utf-8")
    ended = gonggo.having(workres="3").run("--config", str(tmp_path / "gonggo.toml"), "status")
    assert ended.code == 0
    assert ended.errors.splitlines() == [
        "gonggo: 설정 GONGGO_WORKRES은(는) 없습니다. 혹시 GONGGO_WORKERS인가요? 지금은 무시합니다.",
        "gonggo: 설정 http_prot은(는) 없습니다. 혹시 http_port인가요? 지금은 무시합니다.",
        "gonggo: 설정 quite_another은(는) 없어서 무시합니다. 지우거나 이름을 고치세요.",
    ]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """The service as `systemd/gonggo.service` installs it, in another place."""
    found = Installation(
        config=tmp_path / "etc/gonggo.toml",
        state=tmp_path / "var",
        credentials=tmp_path / "credstore",
        encrypted_credentials=tmp_path / "encrypted",
    )
    for folder in (found.config.parent, found.credentials, found.encrypted_credentials):
        folder.mkdir()
    found.config.write_text("workers = 3\n", "utf-8")
    monkeypatch.setattr(settings, "INSTALLED", found)
    return found


def of_the_shell(gonggo: Gonggo) -> Gonggo:
    """A person who names no configuration."""
    return gonggo.having(config="")


def test_a_shell_command_works_on_the_installed_service_s_database(gonggo: Gonggo, installed: Installation) -> None:
    shell = of_the_shell(gonggo)
    assert shell.run("init").code == 0
    assert (installed.state / "gonggo.db").is_file()
    ended = shell.run("status")
    assert f"데이터베이스: sqlite:///{installed.state}/gonggo.db (설정: {installed.config})\n" in ended.output
    assert list(gonggo.home.iterdir()) == []


def test_a_shell_command_reads_the_secrets_that_systemd_gives_the_service(
    gonggo: Gonggo, tmp_path: Path, installed: Installation
) -> None:
    (installed.credentials / "gonggo.database_url").write_text(f"sqlite:///{tmp_path}/named.db\n", "utf-8")
    assert of_the_shell(gonggo).run("init").code == 0
    assert (tmp_path / "named.db").is_file()
    assert gonggo.having(config=os.devnull).run("status").code == 3, "who leaves the service aside has nothing yet"


def test_the_service_itself_keeps_to_what_systemd_gives_it(
    gonggo: Gonggo, tmp_path: Path, installed: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    (installed.credentials / "gonggo.database_url").write_text("sqlite:////nowhere/x.db", "utf-8")
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "given"))
    found = settings.load_settings(installed.config)
    assert found.database_url.get_secret_value() == f"sqlite:///{tmp_path}/given/gonggo.db"
    assert found.workers == 3


def test_a_secret_that_only_the_service_can_read_is_not_passed_over(gonggo: Gonggo, installed: Installation) -> None:
    (installed.encrypted_credentials / "gonggo.database_url").write_bytes(b"\x00")
    ended = of_the_shell(gonggo).run("status")
    assert (ended.code, ended.output) == (3, "")
    assert "암호화되어 있습니다" in ended.errors
    assert "GONGGO_DATABASE_URL" in ended.errors


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_person_without_the_right_to_the_service_is_sent_to_sudo(gonggo: Gonggo, installed: Installation) -> None:
    installed.credentials.chmod(0)
    ended = of_the_shell(gonggo).run("status")
    assert ended.code == 3
    assert "sudo" in ended.errors


def test_a_configuration_file_that_is_a_directory_exits_three(gonggo: Gonggo, tmp_path: Path) -> None:
    ended = gonggo.run("--config", str(tmp_path), "status")
    assert ended.code == 3
    assert ended.errors.startswith(f"gonggo: 설정 파일을 읽을 수 없습니다: {tmp_path} (파일이 아니라 폴더입니다). ")
