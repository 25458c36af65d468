"""Real daemons, each a process of its own: started, watched through their logs, frozen, stopped, killed by pid."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import aiohttp

from tests.acceptance.waiting import PATIENCE_SECONDS, until

Event = dict[str, Any]
"""One line of a daemon's log."""


class Process(Protocol):
    """What a daemon's process shows of itself."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    async def wait(self) -> int: ...


Spawn = Callable[[Mapping[str, str], tuple[str, ...], BinaryIO], Awaitable[Process]]
"""Starts a module with its arguments and a whole environment; its output, errors included, goes to the file."""


class Daemon:
    """One `python -m daemon …` that this test started."""

    def __init__(self, name: str, process: Process, log: Path, log_begins: int) -> None:
        self.name = name
        self.log = log
        self._process = process
        self._read_to = log_begins
        self._events: list[Event] = []
        self._text = ""
        self._frozen = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def address(self) -> str:
        """Where its API is, once it listens: the system gave it the port."""
        (listening,) = self.events("web.listening")
        address: str = listening["address"]
        return address

    @property
    def running(self) -> bool:
        return self._process.returncode is None

    def events(self, name: str, **fields: object) -> list[Event]:
        """What it logged under that name with these fields, so far."""
        self._read_log()
        return [
            event
            for event in self._events
            if event.get("event") == name and all(event.get(key) == value for key, value in fields.items())
        ]

    @property
    def output(self) -> str:
        """Everything it wrote, as it stands."""
        self._read_log()
        return self._text

    async def logged(self, name: str, **fields: object) -> Event:
        """The first such event, awaited. Fails when the daemon ends without it."""

        def found() -> Event | None:
            events = self.events(name, **fields)
            assert events or self.running, f"{self.name} ended with {self._process.returncode}:\n{self.output[-3000:]}"
            return events[0] if events else None

        return await until(found, lambda: f"{self.name} logs {name} {fields}; its log ends:\n{self.output[-3000:]}")

    async def started(self) -> None:
        """Its loops run."""
        await self.logged("daemon.started")

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL: gone, whatever it was doing."""
        self.signal(signal.SIGKILL)

    def freeze(self) -> None:
        """SIGSTOP: it stands still with all it holds, and does not know."""
        self.signal(signal.SIGSTOP)
        self._frozen = True

    def thaw(self) -> None:
        """SIGCONT: it goes on where it was."""
        self.signal(signal.SIGCONT)
        self._frozen = False

    async def ended(self, seconds: float = PATIENCE_SECONDS) -> int:
        """Its exit code (negative: the signal that killed it), awaited."""
        return await asyncio.wait_for(self._process.wait(), seconds)

    async def stop(self) -> int:
        """SIGTERM, and the exit code."""
        self.signal(signal.SIGTERM)
        return await self.ended()

    async def end(self) -> None:
        """Whatever it takes; nothing of a test may stay behind."""
        if self.running:
            if self._frozen:
                self.thaw()
            self.kill()
            await self.ended()

    def peak_memory(self) -> float:
        """The most MiB that it ever had resident (`VmHWM`, proc(5))."""
        lines = Path(f"/proc/{self.pid}/status").read_text("ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) / 1024

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
        """Status and body of a GET to its API."""
        timeout = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
        async with (
            aiohttp.ClientSession(timeout=timeout) as http,
            http.get(f"{self.address}{path}", headers=headers) as answer,
        ):
            return answer.status, await answer.text()

    async def ask(self, method: str, path: str, body: object = None, status: int = 200) -> Any:
        """The JSON of its API's answer, whose status must be `status`; `body` is sent as JSON unless None."""
        timeout = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
        async with (
            aiohttp.ClientSession(timeout=timeout) as http,
            http.request(method, f"{self.address}{path}", json=body) as answer,
        ):
            text = await answer.text()
            assert answer.status == status, f"{method} {path}: {answer.status} {text}"
            return json.loads(text)

    async def slices_in_hand(self) -> int:
        """By its own metrics."""
        _, body = await self.get("/metrics")
        line = next(line for line in body.splitlines() if line.startswith("gonggo_slices_in_flight "))
        return int(float(line.split()[1]))

    def _read_log(self) -> None:
        with self.log.open("rb") as file:
            file.seek(self._read_to)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._read_to += len(whole)
        self._text += whole.decode("utf-8", "backslashreplace")
        for line in whole.splitlines():
            if line.startswith(b"{"):
                self._events.append(json.loads(line))


async def _executed(environment: Mapping[str, str], arguments: tuple[str, ...], output: BinaryIO) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *arguments,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


class Daemons:
    """Starts daemons in a folder and sees to it that none outlives the test."""

    def __init__(self, folder: Path, spawn: Spawn = _executed) -> None:
        self._folder = folder
        self._spawn = spawn
        self._all: list[Daemon] = []

    async def spawn(self, name: str, settings: Mapping[str, str], *arguments: str, module: str = "daemon") -> Daemon:
        """A process that has only just begun; a name used before goes on with that log.

        `module` is the daemon itself, or what makes it another one before it runs it.
        """
        usual = {"GONGGO_CONFIG": os.devnull, "GONGGO_HTTP_PORT": "0", "GONGGO_LOG_FORMAT": "json"}
        environment = environment_for(self._folder, {**usual, **settings})
        log = self._folder / f"{name}.jsonl"
        log.touch()
        log_begins = log.stat().st_size
        with log.open("ab") as output:
            process = await self._spawn(environment, (module, *(arguments or ("run",))), output)
            daemon = Daemon(name, process, log, log_begins)
        self._all.append(daemon)
        return daemon

    async def start(self, name: str, settings: Mapping[str, str]) -> Daemon:
        """A daemon whose loops run."""
        daemon = await self.spawn(name, settings)
        await daemon.started()
        return daemon

    async def end_all(self) -> None:
        """Kill what still runs."""
        for daemon in self._all:
            await daemon.end()


def environment_for(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """A process's whole environment: nothing of the developer's shell that could change what it does."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(folder), "PYTHONWARNINGS": "error", **settings}
