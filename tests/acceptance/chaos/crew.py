"""The daemons: whatever ends one of them, it is started again, as a service manager would."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.proxy import Proxy

_LONG = 3600.0


@dataclass
class Member:
    """One instance, whichever process it is at the moment."""

    number: int
    proxy: Proxy | None
    """Between it and its database; None where that is a file."""
    daemon: Daemon | None = None
    ready: bool = False
    frozen: bool = False
    doomed: bool = False
    """Whether the end of the process in hand is our doing."""
    expected_code: int = 0
    pause: float = 0.0
    """Real seconds until it is started again."""
    logs: list[Daemon] = field(default_factory=list)
    """Every process that it was."""

    @property
    def name(self) -> str:
        """Its User-Agent, by which the sites' log knows it."""
        return f"gonggo-chaos/{self.number}"

    @property
    def healthy(self) -> bool:
        """Whether its loops run."""
        return self.ready and not self.frozen and not self.doomed


class Crew:
    """All instances."""

    def __init__(self, daemons: Daemons, members: list[Member], told: Mapping[str, str]) -> None:
        self._daemons = daemons
        self._told = told
        self.members = members
        self.surprises: list[str] = []
        """Ends that nobody had asked for."""
        self.kills = self.starts = 0
        self.slowest_start = 0.0
        self._closing = False

    async def keep(self, member: Member) -> None:
        """Start it, and again when it has ended, until the crew is dismissed."""
        while not self._closing:
            began = time.monotonic()
            told = {**self._told, "GONGGO_USER_AGENT": member.name}
            if member.proxy is not None:
                told["GONGGO_DATABASE_URL"] = member.proxy.url
            daemon = await self._daemons.spawn(f"daemon-{member.number}-{len(member.logs):03d}", told)
            self.starts += 1
            member.logs.append(daemon)
            member.daemon, member.doomed, member.frozen, member.pause = daemon, False, False, 0.0
            starting = asyncio.ensure_future(self._started(member, daemon, began))
            code = await daemon.ended(_LONG)
            starting.cancel()
            member.ready = member.frozen = False
            if not self._closing and (not member.doomed or code != member.expected_code):
                self.surprises.append(f"{daemon.log.name} ended with {code}: {daemon.output[-600:]}")
            await asyncio.sleep(member.pause)

    async def _started(self, member: Member, daemon: Daemon, began: float) -> None:
        while not daemon.events("daemon.started"):
            await asyncio.sleep(0.03)
        member.ready = True
        self.slowest_start = max(self.slowest_start, time.monotonic() - began)

    def end(self, member: Member, number: signal.Signals, pause: float) -> bool:
        """Send SIGKILL or SIGTERM; tells whether there was anyone to send it to."""
        daemon = member.daemon
        if daemon is None or not daemon.running or (member.doomed and number is not signal.SIGKILL):
            return False
        if number is signal.SIGTERM and not member.healthy:
            return False
        member.doomed, member.pause = True, pause
        member.expected_code = -signal.SIGKILL if number is signal.SIGKILL else 0
        self.kills += number is signal.SIGKILL
        daemon.signal(number)
        return True

    def freeze(self, member: Member) -> Daemon | None:
        """SIGSTOP; the process that stands still now, if any."""
        daemon = member.daemon
        if daemon is None or not daemon.running or not member.healthy:
            return None
        daemon.freeze()
        member.frozen = True
        return daemon

    def thaw(self, member: Member, daemon: Daemon) -> None:
        """SIGCONT, if it is still that process."""
        if member.daemon is daemon and daemon.running and member.frozen:
            daemon.thaw()
            member.frozen = False

    def all_healthy(self) -> bool:
        """Whether every instance works."""
        return all(member.healthy for member in self.members)

    async def dismiss(self) -> None:
        """SIGTERM to all; nobody is started again."""
        self._closing = True
        for member in self.members:
            daemon = member.daemon
            if daemon is not None and daemon.running:
                self.thaw(member, daemon)
                daemon.signal(signal.SIGTERM)
                code = await daemon.ended(60)
                if code != 0:
                    self.surprises.append(f"{daemon.log.name} ended with {code} at the last SIGTERM")


@asynccontextmanager
async def crew_of(
    daemons: Daemons, instances: int, server_url: str | None, told: Mapping[str, str]
) -> AsyncIterator[Crew]:
    """Instances that run while the context lasts, each behind a proxy when there is a server to be proxied."""
    async with AsyncExitStack() as stack:
        members = [
            Member(
                number=number,
                proxy=None if server_url is None else await stack.enter_async_context(Proxy(server_url)),
            )
            for number in range(instances)
        ]
        crew = Crew(daemons, members, told)
        keeping = [asyncio.ensure_future(crew.keep(member)) for member in members]
        try:
            yield crew
            await crew.dismiss()
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
            await daemons.end_all()
