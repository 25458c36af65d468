"""`gonggo` as a person calls it: within the test's process where that is enough, as a process where it matters."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import structlog

from daemon.cli.entry import execute

PROGRAM = Path(sys.executable).with_name("gonggo")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    output: str
    errors: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Gonggo:
    """One person's `gonggo`: a home directory, and the settings they exported."""

    home: Path
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """No variable of the developer's shell that could change what the command does.

        A warning is an error, but for the one that Python gives when Ctrl-C strikes between opening a file and `with`.
        """
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        given = {f"GONGGO_{name.upper()}": value for name, value in self.settings.items()}
        own = {"HOME": str(self.home), "GONGGO_CONFIG": os.devnull}
        return {**kept, **own, "PYTHONWARNINGS": "error,ignore::ResourceWarning", **given}

    def having(self, **settings: str) -> Gonggo:
        """The same with more settings."""
        return Gonggo(home=self.home, settings={**self.settings, **settings})

    def run(self, *arguments: str, stdin: bytes = b"") -> Ended:
        """Run a command in this process: everything but the interpreter's start and end."""
        output, errors = io.BytesIO(), io.BytesIO()
        output_text, errors_text = (io.TextIOWrapper(raw, "utf-8", write_through=True) for raw in (output, errors))
        with contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.dict(os.environ, self.environment, clear=True))
            stack.enter_context(mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")))
            stack.enter_context(mock.patch.object(sys, "stdout", output_text))
            stack.enter_context(mock.patch.object(sys, "stderr", errors_text))
            stack.enter_context(contextlib.chdir(self.home))
            stack.enter_context(restored_logging())
            code = execute(arguments)
        return Ended(code=code, output=output.getvalue().decode(), errors=errors.getvalue().decode())

    def process(self, *arguments: str, stdin: bytes = b"") -> Ended:
        """Run the installed program to its end, at most a minute."""
        with self.start(*arguments) as started:
            output, errors = started.communicate(stdin, timeout=60)
        return Ended(code=started.returncode, output=output.decode(), errors=errors.decode())

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        """Start the installed program with pipes, and with more variables than the settings."""
        return subprocess.Popen(
            [PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.environment, **variables},
            cwd=self.home,
        )


@contextlib.contextmanager
def restored_logging() -> Iterator[None]:
    """Whatever the block does to logging is undone."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        for handler in [handler for handler in root.handlers if handler not in handlers]:
            root.removeHandler(handler)
            handler.close()
        root.setLevel(level)
        logging.captureWarnings(False)
        structlog.reset_defaults()
