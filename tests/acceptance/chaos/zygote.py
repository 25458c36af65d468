"""Starts `gonggo run` in a few hundredths of a second: forks a process in which the program is imported already.

Hundreds of restarts would else be a quarter of an hour of imports. From `daemon.cli.main` on everything is as after an
exec: a session of its own, its own environment and output, the signals' default handlers.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import os
import select
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import BinaryIO

from tests.acceptance.daemons import Process

_LOOK_SECONDS = 0.02


class Forked:
    """A process that the zygote started."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = asyncio.Event()

    async def wait(self) -> int:
        """Its exit code, awaited; negative: the signal that ended it."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def ended(self, code: int) -> None:
        """It is gone."""
        self.returncode = code
        self._ended.set()


class Zygote:
    """The driver's side."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[Forked]] = {}
        self._running: dict[int, Forked] = {}

    async def spawn(self, environment: Mapping[str, str], arguments: tuple[str, ...], output: BinaryIO) -> Process:
        """Start the daemon's module with its arguments; its output is appended to the file that `output` has open."""
        module, *rest = arguments
        assert module == "daemon", "another program than the zygote has imported"
        number = next(self._numbers)
        asked: asyncio.Future[Forked] = asyncio.get_running_loop().create_future()
        self._asked[number] = asked
        order = {"number": number, "environment": dict(environment), "arguments": rest, "log": output.name}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        return await asked

    async def listen(self) -> None:
        """Take down who was started and who has ended, until the zygote is gone."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            told = json.loads(line)
            if "number" in told:
                forked = self._running[told["pid"]] = Forked(told["pid"])
                self._asked.pop(told["number"]).set_result(forked)
            else:
                self._running.pop(told["pid"]).ended(told["code"])


@asynccontextmanager
async def zygote() -> AsyncIterator[Zygote]:
    """A zygote; what it started and still runs is killed at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-W",
        "error",
        "-m",
        "tests.acceptance.chaos.zygote",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    made = Zygote(process)
    listening = asyncio.ensure_future(made.listen())
    try:
        yield made
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await listening
        await process.wait()


def _child(order: dict[str, object]) -> None:
    """Never returns."""
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        log = os.open(str(order["log"]), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        os.environ.clear()
        os.environ.update(order["environment"])  # type: ignore[call-overload]  # strings by strings, as JSON
        sys.argv = ["gonggo", *order["arguments"]]  # type: ignore[misc]  # a list of strings, as JSON
        from daemon.cli import main

        main()
        code = 0
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _tell(**facts: int) -> None:
    os.write(1, json.dumps(facts).encode() + b"\n")


def _reap(running: set[int]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        running.discard(pid)
        _tell(pid=pid, code=os.waitstatus_to_exitcode(status))


def serve() -> None:
    """The zygote: orders come in as JSON lines, and go out what became of them, until the input ends."""
    import daemon.app
    import daemon.cli  # noqa: F401  # imported once, for every child

    gc.freeze()
    running: set[int] = set()
    unread = b""
    while True:
        if select.select([0], [], [], _LOOK_SECONDS)[0]:
            read = os.read(0, 65536)
            if not read:
                break
            *lines, unread = (unread + read).split(b"\n")
            for line in lines:
                order = json.loads(line)
                pid = os.fork()
                if pid == 0:
                    _child(order)
                running.add(pid)
                _tell(number=order["number"], pid=pid)
        _reap(running)
    for pid in running:
        os.kill(pid, signal.SIGKILL)
    while running:
        _reap(running)


if __name__ == "__main__":
    serve()
