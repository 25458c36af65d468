"""Does to the daemons' world what the schedule says."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from daemon.demo.replica import Replica
from daemon.demo.world import Surface, Trouble, TroubleKind
from daemon.sources.model import Platform
from tests.acceptance.chaos.crew import Crew, Member
from tests.acceptance.chaos.moments import Moments
from tests.acceptance.chaos.schedule import ON_CLOCK, ON_DATABASE, Fault, Kind

_TROUBLES = {
    Kind.SITE_DOWN: Trouble(kind=TroubleKind.STATUS, value=503, surface=Surface.LIST),
    Kind.SITE_BLOCKS: Trouble(kind=TroubleKind.BLOCK_PAGE, surface=Surface.LIST),
    Kind.SITE_DROPS: Trouble(kind=TroubleKind.DROP, surface=Surface.LIST),
    Kind.SITE_SLOW: Trouble(kind=TroubleKind.SLOW, value=250),
}
_SERVER_SIGNALS = {Kind.SERVER_KILLED: signal.SIGKILL, Kind.SERVER_STOPPED: signal.SIGTERM}
_SLOW_DATABASE_SECONDS = 0.03
"""Each way, for every packet."""
_RESTART_SECONDS = 0.1
_KILLED_AGAIN_SECONDS = 0.25
_IDLE_SECONDS = 0.7
"""A fault whose moment does not come, because nothing is asked of a site any more, strikes after so long."""


class Server(Protocol):
    """A database server that may end and begin (`tests.servers.OwnServer`)."""

    def end(self, number: signal.Signals) -> None: ...

    def start(self) -> None: ...


class Disk(Protocol):
    """A file system that may be full."""

    def fill(self) -> None: ...

    def free(self) -> None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Struck:
    """What was done, and when."""

    kind: Kind
    victim: str
    """A daemon, a site, or nobody in particular."""
    instant: datetime
    """Simulated."""
    began: float
    ended: float
    """Real."""
    seconds: float
    """What the schedule said of its length."""


@dataclass(kw_only=True)
class Strikes:
    """Strikes, and remembers."""

    crew: Crew
    replica: Replica
    moments: Moments
    server: Server | None
    disk: Disk | None
    killed: Callable[[Member, datetime], Awaitable[None]]
    """Called at once after a SIGKILL."""
    disturbed: Callable[[], None]
    """Called when the database or the clock is struck, and when that is over."""
    done: list[Struck] = field(default_factory=list)
    _busy: Counter[Kind] = field(default_factory=Counter)

    async def all_of(self, faults: Sequence[Fault], due: Callable[[Fault], bool], activity: Callable[[], int]) -> None:
        """Each fault at its moment, the next one without waiting for its end; returns when all have ended.

        `activity` counts what moments are reckoned by; when it stands still the next fault strikes all the same.
        """
        async with asyncio.TaskGroup() as group:
            for fault in faults:
                await self._moment(fault, due, activity)
                group.create_task(self.strike(fault))
                await asyncio.sleep(0.05)

    async def _moment(self, fault: Fault, due: Callable[[Fault], bool], activity: Callable[[], int]) -> None:
        count, since = activity(), time.monotonic()
        while not due(fault):
            if activity() != count:
                count, since = activity(), time.monotonic()
            if time.monotonic() - since > _IDLE_SECONDS:
                break
            await asyncio.sleep(0.01)
        await asyncio.sleep(fault.pause)

    async def strike(self, fault: Fault) -> None:
        """Do it; returns when it is over."""
        member = self.crew.members[fault.victim]
        disturbing = fault.kind in ON_DATABASE | ON_CLOCK
        if disturbing:
            self.disturbed()
        instant, began = self.moments.now(), time.time()
        hit = await self._strike(fault, member)
        if disturbing:
            self.disturbed()
        if hit is not None:
            self.done.append(
                Struck(
                    kind=fault.kind, victim=hit, instant=instant, began=began, ended=time.time(), seconds=fault.seconds
                )
            )

    async def _strike(self, fault: Fault, member: Member) -> str | None:
        """Whom it hit; None when there was nobody to be hit."""
        match fault.kind:
            case Kind.KILL | Kind.KILL_TWICE:
                return await self._kill(fault, self._someone(member, lambda one: not one.doomed))
            case Kind.TERM:
                one = self._someone(member, lambda one: one.healthy)
                return one.name if self.crew.end(one, signal.SIGTERM, _RESTART_SECONDS) else None
            case Kind.FREEZE:
                return await self._freeze(fault, self._someone(member, lambda one: one.healthy))
            case Kind.SERVER_KILLED | Kind.SERVER_STOPPED:
                return await self._end_server(fault)
            case Kind.RESET | Kind.CUT | Kind.HALF_OPEN | Kind.STALL | Kind.SLOW_DATABASE:
                return await self._break_connections(fault, member)
            case Kind.DISK_FULL:
                assert self.disk is not None
                self.disk.fill()
                await asyncio.sleep(fault.seconds)
                self.disk.free()
                return "disk"
            case Kind.LEAP:
                self.moments.leap(self.moments.now() + timedelta(seconds=fault.seconds), self.moments.speed)
                return "clock"
            case Kind.BACK:
                self.moments.back(fault.seconds)
                return "clock"
            case _:
                return await self._trouble(fault)

    def _someone(self, wanted: Member, fit: Callable[[Member], bool]) -> Member:
        """The member that the schedule names, or the next one that can be struck."""
        members = self.crew.members
        after = [*members[wanted.number :], *members[: wanted.number]]
        return next((one for one in after if fit(one)), wanted)

    async def _kill(self, fault: Fault, member: Member) -> str | None:
        at = self.moments.now()
        if not self.crew.end(member, signal.SIGKILL, _RESTART_SECONDS):
            return None
        await self.killed(member, at)
        if fault.kind is Kind.KILL_TWICE:
            await asyncio.sleep(_RESTART_SECONDS + _KILLED_AGAIN_SECONDS)
            self.crew.end(member, signal.SIGKILL, _RESTART_SECONDS)
        return member.name

    async def _freeze(self, fault: Fault, member: Member) -> str | None:
        frozen = self.crew.freeze(member)
        if frozen is None:
            return None
        await asyncio.sleep(fault.seconds)
        self.crew.thaw(member, frozen)
        return member.name

    async def _end_server(self, fault: Fault) -> str | None:
        if self.server is None or self._busy[Kind.SERVER_KILLED]:
            return None
        self._busy[Kind.SERVER_KILLED] += 1
        try:
            await asyncio.to_thread(self.server.end, _SERVER_SIGNALS[fault.kind])
            await asyncio.sleep(fault.seconds / 3)
            await asyncio.to_thread(self.server.start)
        finally:
            self._busy[Kind.SERVER_KILLED] -= 1
        return "server"

    async def _break_connections(self, fault: Fault, member: Member) -> str | None:
        everyone = fault.kind in (Kind.STALL, Kind.SLOW_DATABASE)
        proxies = [one.proxy for one in self.crew.members if one.proxy is not None and (everyone or one is member)]
        match fault.kind:
            case Kind.RESET:
                for proxy in proxies:
                    proxy.reset()
            case Kind.CUT if not self._busy[fault.kind]:
                self._busy[fault.kind] += 1
                for proxy in proxies:
                    await proxy.cut()
                await asyncio.sleep(fault.seconds)
                for proxy in proxies:
                    await proxy.mend()
                self._busy[fault.kind] -= 1
            case Kind.HALF_OPEN | Kind.STALL:
                for proxy in proxies:
                    proxy.hold()
                await asyncio.sleep(fault.seconds)
                for proxy in proxies:
                    if fault.kind is Kind.HALF_OPEN:
                        proxy.reset()
                    proxy.flow()
            case Kind.SLOW_DATABASE:
                for proxy in proxies:
                    proxy.delay(_SLOW_DATABASE_SECONDS)
                await asyncio.sleep(fault.seconds)
                for proxy in proxies:
                    proxy.delay(0.0)
            case _:
                return None
        return "all" if everyone else member.name

    async def _trouble(self, fault: Fault) -> str:
        platform = fault.platform or Platform.GREENHOUSE
        self.replica.switch_on(platform, _TROUBLES[fault.kind])
        await asyncio.sleep(fault.seconds)
        self.replica.switch_off(platform)
        return platform.value
