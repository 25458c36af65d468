"""Log lines: JSON for journald, columns for a terminal; never a secret, never a flood, never a whole page.

Everything goes to standard error (standard output belongs to results), also what libraries log. A line carries
`timestamp`, `level`, `event` and the ids of what it is about as fields.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any, Literal
from urllib.parse import unquote

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from daemon.clock import SystemClock
from daemon.settings import Settings

FIELD_CHARACTERS = 2_000
"""Longest value of one field: a traceback must not carry a whole page into the journal."""

_LINE_CHARACTERS = 400
_ITEMS = 50
_DEPTH = 4
_TAIL_CHARACTERS = 1_400

REPEATS_PER_MINUTE = 60
"""Lines of one event about one thing; the rest of the minute is counted, not written."""

LINES_PER_MINUTE = 1_200
"""Lines of one event whatever they are about: far below journald's own limit of 10,000 per 30 s."""

_REDACTED = "***"
_SECRET_FIELDS = frozenset({"password", "passwd", "authorization", "api_token", "discord_webhook_url", "cookie"})
_SECRET_TEXTS = (
    (re.compile(r"(?i)\b(https?://[^\s:/@]*):[^\s/]*@"), r"\1:***@"),
    # A password may hold any letter that should have been encoded; of a site's address what follows a port is none.
    (re.compile(r"(?i)\b((?!https?:)[a-z][a-z0-9+.-]*://[^\s:/@]*):\S*@"), r"\1:***@"),
    (re.compile(r"(?i)(/api/(?:v\d+/)?webhooks/\d+/)[\w-]+"), r"\1***"),
    (re.compile(r"(?i)\b(bearer\s+)[\w.~+/=-]+"), r"\1***"),
)
_ADVERTISEMENT = re.compile(r"\s*\(Background on this error at: https://sqlalche\.me/\S*\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_PRIORITY = {"critical": 2, "error": 3, "warning": 4, "info": 6, "debug": 7}


def configure(
    format: Literal["json", "console"],
    level: str,
    *,
    secrets: Iterable[str] = (),
    stream: IO[str] | None = None,
    ticks: Callable[[], float] | None = None,
) -> None:
    """Send every log line of the process to `stream` (standard error) in `format`, from `level` on.

    `secrets` are values that must not appear anywhere in a line (database password, webhook, token). `ticks` is the
    clock of the repeat limiter, in seconds. May be called again; the last call counts.
    """
    output = sys.stderr if stream is None else stream
    handler = _LimitedHandler(output, RepeatLimiter(SystemClock().ticks if ticks is None else ticks))
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                _with_suppressed,
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                Redaction(secrets),
                _capped,
                *_renderers(format, output),
            ],
        )
    )
    root = logging.getLogger()
    for old in root.handlers[:]:
        if isinstance(old, _LimitedHandler):
            root.removeHandler(old)
            old.close()
    root.addHandler(handler)
    root.setLevel(level.upper())
    # These say at INFO what our own events say better, or each statement with its parameters.
    for chatty in ("aiohttp.access", "asyncio", "aiosqlite", "alembic", "sqlalchemy.engine", "sqlalchemy.pool"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLevelName(level.upper())))
    logging.captureWarnings(True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def configure_for(settings: Settings) -> None:
    """`configure` as the settings say, with their secrets."""
    configure(settings.effective_log_format, settings.log_level, secrets=secrets_of(settings))


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Every value of the settings that must not be shown: as written, and a password also as it is sent."""
    given = [settings.api_token, settings.discord_webhook_url]
    values = [secret.get_secret_value() for secret in given if secret is not None]
    # Up to the last @: an address whose password is not encoded as it should be is refused, but not printed either.
    found = re.match(r"[^:]*://[^:@]*:(.*)@", settings.database_url.get_secret_value(), re.DOTALL)
    if found:
        password = found.group(1)
        values += [password, unquote(password)]
    return tuple(values)


def _renderers(format: Literal["json", "console"], output: IO[str]) -> list[Processor]:
    if format == "console":
        return [
            structlog.dev.ConsoleRenderer(colors=output.isatty(), exception_formatter=structlog.dev.plain_traceback)
        ]
    renderers: list[Processor] = [_in_reading_order, structlog.processors.JSONRenderer(ensure_ascii=False, default=str)]
    return [*renderers, _with_priority] if _is_journal(output) else renderers


def _is_journal(output: IO[str]) -> bool:
    """Whether `output` is the stream that systemd connected to the journal (`$JOURNAL_STREAM`, systemd.exec(5))."""
    try:
        stat = os.fstat(output.fileno())
    except (OSError, ValueError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{stat.st_dev}:{stat.st_ino}"


def _with_priority(_logger: WrappedLogger, _method: str, line: Any) -> Any:
    """Prefix `<N>`, which journald strips and files the line under (sd-daemon(3)): `journalctl -p warning` works."""
    found = re.search(r'"level": "(\w+)"', line)
    return f"<{_PRIORITY.get(found.group(1) if found else 'info', 6)}>{line}"


def _with_suppressed(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """The fields of a `log.suppressed` line, which is no structlog event (`_LimitedHandler._report`)."""
    record = event.get("_record")
    if record is not None and hasattr(record, "suppressed"):
        event["suppressed_event"], event["suppressed"] = record.suppressed
    return event


def _in_reading_order(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    first = ("timestamp", "level", "event")
    return {name: event[name] for name in first if name in event} | dict(event)


class Redaction:
    """Takes secrets out of a line, wherever they stand: by value, by field name, by the shape of an address."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # A secret of three letters would blank half of every line, and is none.
        values = sorted({value for value in secrets if len(value) > 3}, key=len, reverse=True)
        self._values = re.compile("|".join(map(re.escape, values))) if values else None

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {name: self._clean(name, value, _DEPTH) for name, value in event.items()}

    def text(self, text: str) -> str:
        """`text` without secrets, and without what SQLAlchemy appends to every error."""
        if self._values is not None:
            text = self._values.sub(_REDACTED, text)
        for pattern, replacement in _SECRET_TEXTS:
            text = pattern.sub(replacement, text)
        return _ADVERTISEMENT.sub("", text)

    def _clean(self, name: str, value: Any, depth: int) -> Any:
        if name.lower() in _SECRET_FIELDS and value is not None:
            return _REDACTED
        match value:
            case None | bool() | int() | float():
                return value
            case str():
                return self.text(value)
            case Mapping() if depth > 0:
                return {str(key): self._clean(str(key), inner, depth - 1) for key, inner in value.items()}
            case list() | tuple() | set() | frozenset() if depth > 0:
                return [self._clean("", inner, depth - 1) for inner in value]
            case _:
                return self.text(str(value))


def _capped(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    return {name: _cap(name, value) for name, value in event.items()}


def _cap(name: str, value: Any) -> Any:
    match value:
        case str() if name in {"exception", "stack"}:
            return _cap_traceback(value)
        case str():
            return cut(_escaped(value), FIELD_CHARACTERS)
        case dict() | list() if len(str(value)) > FIELD_CHARACTERS:
            return cut(_escaped(str(value)), FIELD_CHARACTERS)
        case list():
            return [_cap("", inner) for inner in value[:_ITEMS]]
        case dict():
            return {key: _cap("", inner) for key, inner in value.items()}
        case _:
            return value


def _cap_traceback(text: str) -> str:
    """A traceback within the cap: its lines cut, then its middle left out, since both ends tell what happened."""
    short = "\n".join(cut(_escaped(line), _LINE_CHARACTERS) for line in text.split("\n"))
    if len(short) <= FIELD_CHARACTERS:
        return short
    gap = "\n  …\n"
    return short[: FIELD_CHARACTERS - _TAIL_CHARACTERS - len(gap)] + gap + short[-_TAIL_CHARACTERS:]


def cut(text: str, characters: int) -> str:
    """`text`, or its beginning with the number of characters left out, at most `characters` long."""
    if len(text) <= characters:
        return text
    note = f"…(+{len(text) - characters})"
    return text[: characters - len(note)] + note


def _escaped(text: str) -> str:
    """Control and direction characters made visible: a posting's title must not steer a terminal or fake a line."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


class RepeatLimiter:
    """Counts lines per minute: by event and what it is about, and by event alone.

    What a line is about is its fields that name something: those that end in `_id`, and host, platform, job and unit.
    """

    def __init__(
        self, ticks: Callable[[], float], *, repeats: int = REPEATS_PER_MINUTE, lines: int = LINES_PER_MINUTE
    ) -> None:
        self._ticks = ticks
        self._repeats = repeats
        self._lines = lines
        self._minute = ticks()
        self._by_thing: dict[tuple[str, ...], int] = {}
        self._by_event: dict[str, int] = {}
        self._suppressed: dict[str, int] = {}

    def ended_minute(self) -> dict[str, int]:
        """Once a minute is over: how many lines of each event were left out in it. Starts the next minute."""
        if self._ticks() - self._minute < 60:
            return {}
        return self.drain()

    def drain(self) -> dict[str, int]:
        """How many lines of each event were left out since the minute began. Starts the next minute."""
        suppressed, self._suppressed = self._suppressed, {}
        self._minute = self._ticks()
        self._by_thing.clear()
        self._by_event.clear()
        return suppressed

    def admits(self, event: str, about: tuple[str, ...]) -> bool:
        """Whether one more line of `event` about `about` may be written in this minute."""
        if self._by_event.get(event, 0) >= self._lines or self._by_thing.get((event, *about), 0) >= self._repeats:
            self._suppressed[event] = self._suppressed.get(event, 0) + 1
            return False
        self._by_event[event] = self._by_event.get(event, 0) + 1
        self._by_thing[(event, *about)] = self._by_thing.get((event, *about), 0) + 1
        return True


_ABOUT = frozenset({"host", "platform", "job_name", "unit", "outcome"})


class _LimitedHandler(logging.StreamHandler[IO[str]]):
    """Writes what the limiter admits, and at the end of a minute (and of the process) what it did not."""

    def __init__(self, stream: IO[str], limiter: RepeatLimiter) -> None:
        super().__init__(stream)
        self._limiter = limiter

    def emit(self, record: logging.LogRecord) -> None:
        self._report(self._limiter.ended_minute())
        event, about = _identity(record)
        if self._limiter.admits(event, about):
            super().emit(record)

    def close(self) -> None:
        if not getattr(self.stream, "closed", False):
            self._report(self._limiter.drain())
        super().close()

    def _report(self, suppressed: dict[str, int]) -> None:
        for event, count in suppressed.items():
            line = logging.LogRecord(__name__, logging.WARNING, __file__, 0, "log.suppressed", None, None)
            line.suppressed = (event, count)
            super().emit(line)


def _identity(record: logging.LogRecord) -> tuple[str, tuple[str, ...]]:
    if not isinstance(record.msg, dict):
        return f"{record.name}: {record.msg}", ()
    names = sorted(name for name in record.msg if name.endswith("_id") or name in _ABOUT)
    return str(record.msg.get("event")), tuple(f"{name}={record.msg[name]}" for name in names)
