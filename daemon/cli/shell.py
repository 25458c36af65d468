"""What every command is given: language, settings, the database, and one way to fail."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from pydantic_settings import SettingsError

from daemon import log
from daemon.messages import Language, has_text, text
from daemon.settings import Settings, load_settings
from daemon.terminal import say

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
        self.debug = False

    def text(self, key: str, /, **values: object) -> str:
        """A text of the catalogue in the person's language."""
        return text(self.language, key, **values)

    def say(self, key: str, /, **values: object) -> None:
        """Write a text of the catalogue to standard output."""
        say(self.text(key, **values))

    def settings(self) -> Settings:
        """The settings in force. Raises CommandFailed naming each setting that is wrong."""
        try:
            settings = load_settings(self.config)
        except FileNotFoundError as error:
            raise CommandFailed(ExitCode.UNUSABLE, "error.config_missing", path=self.config) from error
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise CommandFailed(ExitCode.UNUSABLE, "error.config_unreadable", path=self.config, reason=error) from error
        except SettingsError as error:
            # A variable that should hold JSON; the message names the field, not the variable.
            field = re.search(r'field "(\w+)"', str(error))
            name = field.group(1) if field else "?"
            reason = self.text("reason.json")
            raise CommandFailed(
                ExitCode.UNUSABLE, "error.setting", name=name, variable=f"GONGGO_{name.upper()}", reason=reason
            ) from error
        except ValidationError as error:
            raise CommandFailed(ExitCode.UNUSABLE, "error.text", text=self._wrong_settings(error)) from error
        self.language = settings.language
        return settings

    def _wrong_settings(self, error: ValidationError) -> str:
        lines = []
        for problem in error.errors(include_url=False, include_input=False):
            context = problem.get("ctx", {})
            key = f"reason.{problem['type']}"
            reason = self.text(key, **context) if has_text(key) else str(context.get("error", problem["msg"]))
            if not problem["loc"]:
                lines.append(self.text("error.settings", reason=reason))
                continue
            name = str(problem["loc"][0])
            lines.append(self.text("error.setting", name=name, variable=f"GONGGO_{name.upper()}", reason=reason))
        return "\n".join(lines)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on an event loop of its own; what is logged goes to standard error, warnings only."""
        log.configure("console", "debug" if self.debug else "warning")
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
        except (ValueError, KeyError, OSError) as error:
            raise CommandFailed(
                ExitCode.UNUSABLE, "error.setting", name="clock", variable="GONGGO_CLOCK", reason=error
            ) from error

    @asynccontextmanager
    async def opened(self, settings: Settings, *, current: bool = True) -> AsyncIterator[Database]:
        """The database of the settings, closed afterwards; `current` demands a schema that this program can use.

        Raises CommandFailed when it can't be reached, does not exist yet or is behind.
        """
        from sqlalchemy.exc import DBAPIError, IntegrityError

        from daemon import schema
        from daemon.db import open_database

        address, file = database_address(settings), database_file(settings)
        if current and file is not None and not file.is_file():
            raise CommandFailed(ExitCode.UNUSABLE, "error.database_missing", address=address)
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


def cause(settings: Settings, error: BaseException) -> str:
    """The reason of a database error as one short line without secrets."""
    found = getattr(error, "orig", None) or error
    # Drivers say (number, "text").
    words = " ".join(str(found.args[-1] if found.args else found).split()) or type(found).__name__
    return log.cut(log.Redaction(log.secrets_of(settings)).text(words), 300)


def database_address(settings: Settings) -> str:
    """The database as a person may see it: without the password. Raises CommandFailed when it is no address."""
    return _url(settings).render_as_string(hide_password=True)


def database_file(settings: Settings) -> Path | None:
    """The file of an embedded database; None for a server, and for one in memory. Raises CommandFailed."""
    url = _url(settings)
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    return Path(url.database)


def _url(settings: Settings) -> URL:
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    from daemon.db import database_url

    try:
        database_url(settings.database_url.get_secret_value())
        return make_url(settings.database_url.get_secret_value())
    except (ArgumentError, ValueError) as error:
        raise CommandFailed(
            ExitCode.UNUSABLE,
            "error.setting",
            name="database_url",
            variable="GONGGO_DATABASE_URL",
            reason=cause(settings, error),
        ) from error
