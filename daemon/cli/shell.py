"""What every command is given: language, settings, the database, and one way to fail."""

from __future__ import annotations

import asyncio
import errno
import re
import sys
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import SettingsError

from daemon import log
from daemon.cli.interrupt import interrupts_raised
from daemon.messages import Language, has_text, text
from daemon.settings import INSTALLED, CredentialUnreadable, Settings, load_settings, unknown_settings
from daemon.terminal import say, shown

if TYPE_CHECKING:
    from sqlalchemy import URL

    from daemon.clock import Clock
    from daemon.db import Database

T = TypeVar("T")


class ExitCode(IntEnum):
    """How a command ended; shown in `gonggo --help`."""

    GOOD = 0
    NEGATIVE = 1
    """It ran, and what it found is not good: an outcome other than FETCHED, a failed check or source."""
    USAGE = 2
    UNUSABLE = 3
    """Settings or database can't be used."""
    INTERRUPTED = 130


class CommandFailed(Exception):
    """Ends a command with one sentence for the person."""

    def __init__(self, code: ExitCode, key: str, /, **values: object) -> None:
        super().__init__(key)
        self.code = code
        self.key = key
        self.values = values


class Shell:
    """One invocation of `gonggo`: the global options, and what commands share."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self.config: Path | None = None
        """The configuration file in force; None when there is none."""
        self.debug = False
        self.is_daemon = False
        """Whether standard error is the daemon's log, to which no sentences are written."""
        self._settings: Settings | None = None

    def text(self, key: str, /, **values: object) -> str:
        """A text of the catalogue in the person's language."""
        return text(self.language, key, **values)

    def say(self, key: str, /, **values: object) -> None:
        """Write a text of the catalogue to standard output."""
        say(self.text(key, **values))

    def told(self, reason: str | None) -> str:
        """Why Discord took a message or not."""
        from daemon.notification.wording.upkeep import told_reason

        return told_reason(self.language, reason)

    def warn(self, key: str, /, **values: object) -> None:
        """Write a text of the catalogue to standard error; the command goes on."""
        say(f"gonggo: {shown(self.text(key, **values))}", sys.stderr)

    def settings(self) -> Settings:
        """The settings in force; the first call warns of those that are misspelt. Raises CommandFailed."""
        if self._settings is None:
            self._settings = self.fresh_settings()
            for name, nearest in () if self.is_daemon else unknown_settings(self.config).items():
                self.warn(f"warning.setting_{'near' if nearest else 'unknown'}", name=name, nearest=nearest)
        return self._settings

    def fresh_settings(self) -> Settings:
        """The settings as they are written now, whose language is the shell's from then on.

        Raises CommandFailed naming each that is wrong.
        """
        try:
            settings = load_settings(self.config)
        except CredentialUnreadable as error:
            raise self._unreadable_credential(error) from error
        except FileNotFoundError as error:
            raise CommandFailed(ExitCode.UNUSABLE, "error.config_missing", path=self.config) from error
        except OSError as error:
            service = self.config == INSTALLED.config and error.errno in {errno.EACCES, errno.EPERM}
            key = "error.config_of_service" if service else "error.config_unreadable"
            reason = self.os_reason(error)
            raise CommandFailed(ExitCode.UNUSABLE, key, path=self.config, reason=reason) from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            reason = self.text("reason.toml", detail=error)
            raise CommandFailed(
                ExitCode.UNUSABLE, "error.config_unreadable", path=self.config, reason=reason
            ) from error
        except SettingsError as error:
            # A variable that should hold JSON; the message names the field, not the variable.
            field = re.search(r'field "(\w+)"', str(error))
            raise self.wrong_setting(field.group(1) if field else "?", self.text("reason.json")) from error
        except ValidationError as error:
            raise CommandFailed(ExitCode.UNUSABLE, "error.text", text=self._wrong_settings(error)) from error
        self.language = settings.language
        return settings

    def wrong_setting(self, name: str, reason: str) -> CommandFailed:
        """The failure that names a setting and what is wrong with it."""
        return CommandFailed(
            ExitCode.UNUSABLE, "error.setting", name=name, variable=f"GONGGO_{name.upper()}", reason=reason
        )

    def _unreadable_credential(self, error: CredentialUnreadable) -> CommandFailed:
        match error.reason:
            case None:
                reason = self.text("reason.encrypted")
            case OSError() as failure:
                reason = self.os_reason(failure)
            case _:
                reason = self.text("reason.not_utf8")
        return CommandFailed(
            ExitCode.UNUSABLE,
            "error.credential",
            path=error.path,
            reason=reason,
            variable=f"GONGGO_{error.name.upper()}",
        )

    def _wrong_settings(self, error: ValidationError) -> str:
        lines = []
        for problem in error.errors(include_url=False, include_input=False):
            reason = self._reason(problem)
            if not problem["loc"]:
                lines.append(self.text("error.settings", reason=reason))
                continue
            name = str(problem["loc"][0])
            lines.append(self.text("error.setting", name=name, variable=f"GONGGO_{name.upper()}", reason=reason))
        return "\n".join(lines)

    def _reason(self, problem: ErrorDetails) -> str:
        """Why pydantic refused a value, by its type of error."""
        key = f"reason.{problem['type']}"
        context = dict(problem.get("ctx", {}))
        if not has_text(key):
            return self.text("reason.form", detail=problem["msg"])
        if "expected" in context:
            context["expected"] = ", ".join(re.findall(r"'([^']*)'", context["expected"]))
        return self.text(key, **context)

    def os_reason(self, error: OSError) -> str:
        """Why the operating system refused, in the person's language."""
        key = f"reason.{errno.errorcode.get(error.errno or 0, '')}"
        return self.text(key) if has_text(key) else str(error.strerror or error)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on an event loop of its own; what is logged goes to standard error, warnings only."""
        log.configure("console", "debug" if self.debug else "warning")
        with interrupts_raised():
            return asyncio.run(work)

    def ask(self, unit: Callable[[Database], Awaitable[T]], *, current: bool = True) -> T:
        """The result of one action on the database of the settings. Raises CommandFailed, and what `unit` raises."""
        settings = self.settings()

        async def asked() -> T:
            async with self.opened(settings, current=current) as db:
                return await unit(db)

        return self.run(asked())

    def clock(self, settings: Settings) -> Clock:
        """The clock of the settings. Raises CommandFailed."""
        from daemon.clock import clock_from

        try:
            return clock_from(settings.clock)
        except OSError as error:
            raise self.wrong_setting("clock", f"{self.os_reason(error)} ({settings.clock})") from error
        except ValueError as error:
            raise self.wrong_setting("clock", self.text("reason.clock", detail=error)) from error

    @asynccontextmanager
    async def opened(self, settings: Settings, *, current: bool = True) -> AsyncIterator[Database]:
        """The database of the settings, closed afterwards; `current` demands a schema that this program can use.

        Raises CommandFailed when it can't be reached, does not exist yet or is behind.
        """
        from sqlalchemy.exc import DBAPIError, IntegrityError

        from daemon import schema
        from daemon.db import open_database

        address, file = database_address(self, settings), database_file(self, settings)
        if current and file is not None:
            self.require_file(file, address)
        db = open_database(settings.database_url.get_secret_value(), self.clock(settings))
        try:
            if current and not await schema.is_current(db):
                raise CommandFailed(ExitCode.UNUSABLE, "error.schema_behind")
            yield db
        except IntegrityError:
            raise
        except (DBAPIError, OSError, TimeoutError) as error:
            raise CommandFailed(
                ExitCode.UNUSABLE, "error.database", address=address, reason=cause(settings, error)
            ) from error
        finally:
            await db.close()

    def require_file(self, file: Path, address: str) -> None:
        """Raises CommandFailed when the embedded database does not exist yet, or can't be looked at."""
        try:
            is_folder = file.is_dir()
            file.stat()
        except FileNotFoundError:
            raise CommandFailed(ExitCode.UNUSABLE, "error.database_missing", address=address) from None
        except OSError as error:
            raise self.unusable_file(file, error) from error
        if is_folder:
            raise self.unusable_file(file, IsADirectoryError(errno.EISDIR, "is a directory"))

    def unusable_file(self, path: Path, error: OSError) -> CommandFailed:
        """The failure that names a folder or file of the embedded database."""
        service = self.config == INSTALLED.config and error.errno in {errno.EACCES, errno.EPERM}
        key = "error.state_of_service" if service else "error.state"
        return CommandFailed(ExitCode.UNUSABLE, key, path=path, reason=self.os_reason(error))


def cause(settings: Settings, error: BaseException) -> str:
    """The reason of a database error as one short line without secrets."""
    found = getattr(error, "orig", None) or error
    # Drivers say (number, "text").
    words = " ".join(str(found.args[-1] if found.args else found).split()) or type(found).__name__
    return log.cut(log.Redaction(log.secrets_of(settings)).text(words), 300)


def database_address(shell: Shell, settings: Settings) -> str:
    """The database as a person may see it: without the password. Raises CommandFailed when it is no address."""
    return _url(shell, settings).set(query={}).render_as_string(hide_password=True)


def database_file(shell: Shell, settings: Settings) -> Path | None:
    """The file of an embedded database; None for a server. Raises CommandFailed."""
    url = _url(shell, settings)
    return Path(str(url.database)) if url.get_backend_name() == "sqlite" else None


def _url(shell: Shell, settings: Settings) -> URL:
    """The address of the database, of which nothing is shown when it is wrong: it may hold a password anywhere."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    given = settings.database_url.get_secret_value()
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):
        raise shell.wrong_setting("database_url", shell.text(_misread(given))) from None
    wrong = _sqlite_fault(url) if url.get_backend_name() == "sqlite" else _server_fault(url, given)
    if wrong is not None:
        raise shell.wrong_setting("database_url", shell.text(wrong))
    return url


def _misread(given: str) -> str:
    return "reason.database_encoding" if given.count("@") > 1 else "reason.database_form"


def _sqlite_fault(url: URL) -> str | None:
    if url.host or url.query or url.password:
        return "reason.database_sqlite"
    return "reason.database_memory" if url.database in {None, "", ":memory:"} else None


_SERVER_OPTIONS = frozenset({"charset", "connect_timeout", "program_name", "read_default_file", "unix_socket"})
"""What may stand behind the question mark: what aiomysql understands as text."""


def _server_fault(url: URL, given: str) -> str | None:
    if url.get_backend_name() not in {"mysql", "mariadb"}:
        return "reason.database_form"
    # The first @ ends the password for the parser, the last one for the person who wrote it.
    if given.count("@") > 1 or (url.host and re.search(r"[^\w.:-]", url.host)):
        return "reason.database_encoding"
    if not url.database or "/" in url.database:
        return "reason.database_name"
    return None if url.query.keys() <= _SERVER_OPTIONS else "reason.database_options"
