"""What a log line carries, and what it never does."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from pydantic import SecretStr
from sqlalchemy.exc import OperationalError

from daemon import log
from daemon.settings import Settings


class Seconds:
    """The limiter's clock, moved by hand."""

    def __init__(self) -> None:
        self.value = 0.0

    def __call__(self) -> float:
        return self.value


@pytest.fixture(autouse=True)
def _restored_logging() -> Iterator[None]:
    level = logging.getLogger().level
    yield
    for handler in logging.getLogger().handlers[:]:
        if isinstance(handler, log._LimitedHandler):
            logging.getLogger().removeHandler(handler)
            handler.close()
    logging.getLogger().setLevel(level)
    logging.captureWarnings(False)
    structlog.reset_defaults()


def lines(output: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.getvalue().splitlines()]


def configured(level: str = "info", **options: Any) -> io.StringIO:
    output = io.StringIO()
    log.configure("json", level, stream=output, **options)
    return output


def test_a_line_is_one_json_object_with_timestamp_level_event_and_ids() -> None:
    output = configured()
    structlog.get_logger("daemon.collection").info(
        "cycle.finished", cycle_id=7, status="SUCCESS", title="백엔드 개발자"
    )
    (line,) = lines(output)
    assert list(line)[:3] == ["timestamp", "level", "event"]
    assert line["timestamp"].endswith("Z")
    assert (line["level"], line["event"], line["cycle_id"], line["logger"]) == (
        "info",
        "cycle.finished",
        7,
        "daemon.collection",
    )
    assert "백엔드 개발자" in output.getvalue()


def test_lines_below_the_level_are_not_written() -> None:
    output = configured("warning")
    structlog.get_logger("x").info("slice.claimed")
    logging.getLogger("library").info("hello")
    assert output.getvalue() == ""


def test_what_a_library_logs_takes_the_same_road() -> None:
    output = configured()
    logging.getLogger("aiomysql").warning("lost %s", "mysql://gonggo:hunter2@db/gonggo")
    (line,) = lines(output)
    assert line["event"] == "lost mysql://gonggo:***@db/gonggo"
    assert line["level"] == "warning"


def test_python_warnings_are_log_lines() -> None:
    output = configured()
    logging.getLogger("py.warnings").warning("DeprecationWarning: old")
    assert lines(output)[0]["event"] == "DeprecationWarning: old"


@pytest.mark.parametrize(
    "value",
    [
        "mysql://gonggo:hunter2@db.example/gonggo",
        "mysql+aiomysql://gonggo:hunter2@db:3306/x?charset=utf8mb4",
        "https://discord.com/api/webhooks/123456789/hunter2",
        "https://discord.com/api/v10/webhooks/123456789/hunter2?wait=true",
        "Authorization: Bearer hunter2",
        {"headers": {"Authorization": "hunter2"}},
        [("url", "redis://u:hunter2@h")],
        ValueError("mysql://gonggo:hunter2@db"),
        "mysql://gonggo:x/hunter2@db/gonggo",
        "mysql://gonggo:x@hunter2@db/gonggo",
        "mysql://gonggo:x#hunter2:y?z@db/gonggo",
    ],
)
def test_a_secret_of_known_shape_never_appears(value: object) -> None:
    output = configured()
    structlog.get_logger("x").info("something", value=value)
    assert "hunter2" not in output.getvalue()
    assert lines(output)[0]["event"] == "something"


def test_a_secret_of_the_settings_never_appears_in_event_field_key_or_traceback() -> None:
    settings = Settings(
        database_url=SecretStr("mysql://gonggo:p%40ss-word@db/gonggo"),
        api_token=SecretStr("token-of-mine"),
        discord_webhook_url=SecretStr("https://discord.com/api/webhooks/1/abc"),
    )
    output = configured(secrets=log.secrets_of(settings))
    logger = structlog.get_logger("x")
    logger.info(
        "seen token-of-mine", a="p@ss-word", b=["p%40ss-word"], c={"d": "https://discord.com/api/webhooks/1/abc"}
    )
    try:
        raise RuntimeError("cannot log in with p@ss-word")
    except RuntimeError:
        logger.exception("failed")
    text = output.getvalue()
    for secret in ("token-of-mine", "p@ss-word", "p%40ss-word", "webhooks/1/abc"):
        assert secret not in text
    assert "cannot log in with ***" in lines(output)[1]["exception"]


@pytest.mark.parametrize("letter", ["@", "/", "#", ":", "?", " "])
def test_a_password_that_is_not_encoded_appears_neither_whole_nor_encoded(letter: str) -> None:
    settings = Settings(database_url=SecretStr(f"mysql://u:geheim{letter}heimlich@db/gonggo"))
    output = configured(secrets=log.secrets_of(settings))
    structlog.get_logger("x").info("failed", url=settings.database_url.get_secret_value())
    structlog.get_logger("x").info("failed", password=f"geheim{letter}heimlich", text=f"'geheim{letter}heimlich' is")
    assert "geheim" not in output.getvalue()
    assert "heimlich" not in output.getvalue()


def test_what_follows_a_port_in_a_site_s_address_is_no_password() -> None:
    output = configured()
    structlog.get_logger("x").info("asked", url="https://example.com:443/@user")
    assert lines(output)[0]["url"] == "https://example.com:443/@user"


def test_what_a_database_error_advertises_is_left_out() -> None:
    output = configured()
    error = OperationalError("SELECT 1", {}, Exception(2003, "Can't connect"), code="e3q8")
    structlog.get_logger("x").warning("database.lost", error=str(error))
    assert "sqlalche.me" not in output.getvalue()
    assert "Background" not in output.getvalue()
    assert "Can't connect" in lines(output)[0]["error"]


def test_a_field_is_at_most_2000_characters_and_says_how_much_was_cut() -> None:
    output = configured()
    structlog.get_logger("x").info("page", body="가" * 100_000, many=["b" * 100] * 1000)
    (line,) = lines(output)
    assert len(line["body"]) == 2000
    assert line["body"].endswith("…(+98000)")
    assert len(line["many"]) <= 2000


def test_a_long_traceback_keeps_its_head_and_its_end() -> None:
    def deep(level: int) -> None:
        if level == 0:
            raise ValueError("the cause " + "x" * 50_000)
        deep(level - 1)

    output = configured()
    try:
        deep(60)
    except ValueError:
        structlog.get_logger("x").exception("loop.crashed")
    trace = lines(output)[0]["exception"]
    assert len(trace) <= 2000
    assert trace.startswith("Traceback")
    assert "the cause xxx" in trace


def test_control_and_direction_characters_of_a_title_reach_neither_journal_nor_terminal() -> None:
    title = "공고\x1b[31m\x00\r\u202eevil"
    output = io.StringIO()
    log.configure("console", "info", stream=output)
    structlog.get_logger("x").info("posting.new", title=title)
    assert "공고" in output.getvalue()
    assert not {"\x1b", "\x00", "\r", "\u202e"} & set(output.getvalue())


def test_repeats_about_one_thing_are_counted_after_sixty_a_minute_and_reported_when_it_is_over() -> None:
    clock = Seconds()
    output = configured(ticks=clock)
    logger = structlog.get_logger("x")
    for _ in range(100):
        logger.warning("permit.deferred", host="a.example")
        clock.value += 0.1
    assert len(lines(output)) == log.REPEATS_PER_MINUTE
    clock.value = 61
    logger.warning("permit.deferred", host="a.example")
    summary, again = lines(output)[-2:]
    assert (summary["event"], summary["suppressed_event"], summary["suppressed"]) == (
        "log.suppressed",
        "permit.deferred",
        40,
    )
    assert summary["level"] == "warning"
    assert again["event"] == "permit.deferred"


def test_events_about_different_things_do_not_suppress_one_another() -> None:
    output = configured(ticks=Seconds())
    for cycle in range(200):
        structlog.get_logger("x").info("cycle.finished", cycle_id=cycle)
    assert len(lines(output)) == 200


def test_one_event_about_endlessly_many_things_is_limited_too() -> None:
    output = configured(ticks=Seconds())
    for posting in range(log.LINES_PER_MINUTE + 500):
        structlog.get_logger("x").info("detail.failed", posting_id=posting)
    assert len(lines(output)) == log.LINES_PER_MINUTE


def test_what_was_suppressed_is_told_when_logging_ends() -> None:
    output = configured(ticks=Seconds())
    for _ in range(log.REPEATS_PER_MINUTE + 5):
        logging.getLogger("library").warning("again")
    log.configure("json", "info", stream=io.StringIO())
    assert lines(output)[-1]["suppressed"] == 5


def test_a_lone_surrogate_does_not_break_the_line(tmp_path: Any) -> None:
    with (tmp_path / "log").open("w", encoding="utf-8", errors="backslashreplace") as output:
        log.configure("json", "info", stream=output)
        structlog.get_logger("x").info("posting.new", title="깨진 \ud83d 글자")
        output.flush()
        assert json.loads((tmp_path / "log").read_text("utf-8"))["title"] == "깨진 \ud83d 글자"


def test_a_journal_line_starts_with_its_syslog_priority(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "journal").open("w", encoding="utf-8") as output:
        stat = (tmp_path / "journal").stat()
        monkeypatch.setenv("JOURNAL_STREAM", f"{stat.st_dev}:{stat.st_ino}")
        log.configure("json", "info", stream=output)
        structlog.get_logger("x").error("cycle.failed", note='"level": "debug"')
        output.flush()
        line = (tmp_path / "journal").read_text("utf-8")
    assert line.startswith("<3>{")
    assert json.loads(line[3:])["event"] == "cycle.failed"
