"""Host permits: one row per host, reserved in the database, waited for outside it (seed 000, Q6; DESIGN 1.3)."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from daemon.clock import KST, ManualClock, SkippingClock
from daemon.collection.actions.permit import (
    HostPermit,
    close_up,
    delay_host,
    first_slack,
    obtain_permit,
    reserved_ahead,
)
from daemon.collection.engine import Engine
from daemon.collection.rules.permit import HostBusy
from daemon.collection.tables import external_request_host_limits as hosts
from daemon.db import Database
from daemon.flags.model import FlagKey
from daemon.sources.model import DetailUse, PermitWithdrawn
from tests.board import Adapt, Board
from tests.databases import open_second
from tests.engines import add_source, collect_day, engine_on, row, rows, switch_on

HOST = "jobs.example.com"
SECOND = timedelta(seconds=1)
MARGIN = timedelta(seconds=0.02)
WAIT = 20 * SECOND


@pytest.fixture
def clock() -> SkippingClock:
    """Waiting for a permit takes no real time."""
    return SkippingClock(datetime(2026, 12, 1, tzinfo=KST))


async def granted(engine: Engine, host: str = HOST, delay: timedelta = SECOND) -> datetime:
    """Obtain a permit and use it; when it was used."""
    permit = await obtain_permit(engine, host, delay, WAIT)
    assert isinstance(permit, HostPermit)
    assert (permit.host, permit.spent) == (host, False)
    await permit.confirm()
    used = engine.clock.now()
    await close_up(engine, permit)
    return used


async def test_the_first_request_to_a_host_needs_no_wait_and_takes_the_host(collector: Engine) -> None:
    begun = collector.clock.now()
    assert await granted(collector) == begun
    limit = await row(collector.db, hosts)
    assert (limit["host"], limit["next_allowed_at"]) == (HOST, begun + SECOND + MARGIN)


async def test_permits_of_one_host_come_one_delay_apart(collector: Engine) -> None:
    times = [await granted(collector) for _ in range(5)]
    assert all(SECOND <= later - earlier <= SECOND + MARGIN for earlier, later in pairwise(times))
    assert len(await rows(collector.db, hosts)) == 1


async def test_two_instances_share_the_hosts_delay(collector: Engine) -> None:
    """Seed 000, Testing Plan: host permit 반환 `notBefore`가 최소 delay만큼 단조 증가함 (at once: tests/race)."""
    async with open_second(collector.db) as db:
        both = (collector, replace(collector, db=db))
        times = [await granted(both[number % 2]) for number in range(6)]
    assert all(later - earlier >= SECOND for earlier, later in pairwise(times))


async def test_hosts_do_not_wait_for_each_other(collector: Engine) -> None:
    begun = collector.clock.now()
    assert [await granted(collector, host) for host in ("a.example.com", "b.example.com")] == [begun, begun]


async def test_a_host_that_rested_is_asked_at_once(collector: Engine, clock: ManualClock) -> None:
    await granted(collector)
    clock.advance(10 * SECOND)
    assert await granted(collector) == clock.now()


async def test_a_host_taken_for_longer_than_the_longest_wait_is_busy_and_nothing_is_reserved(
    collector: Engine, clock: ManualClock
) -> None:
    await delay_host(collector.db, HOST, timedelta(minutes=2))
    before = await rows(collector.db, hosts)
    begun = clock.now()
    assert await obtain_permit(collector, HOST, SECOND, WAIT) == HostBusy(until=begun + timedelta(minutes=2))
    assert await rows(collector.db, hosts) == before
    assert clock.now() == begun, "it did not wait"


async def test_a_site_that_wants_to_be_left_alone_is_never_asked_earlier_for_that(
    collector: Engine, clock: ManualClock
) -> None:
    await delay_host(collector.db, HOST, timedelta(minutes=2))
    await delay_host(collector.db, HOST, SECOND)
    limit = await row(collector.db, hosts)
    assert limit["next_allowed_at"] == clock.now() + timedelta(minutes=2)


async def test_the_hosts_row_stays_for_good(collector: Engine, clock: ManualClock) -> None:
    """Seed 000, 보존: host state이므로 무기한 보존."""
    await granted(collector)
    made = (await row(collector.db, hosts))["id"]
    clock.advance(timedelta(days=400))
    await granted(collector)
    assert (await row(collector.db, hosts))["id"] == made


# --- a late event loop -----------------------------------------------------------------------------------------------


class LateClock(SkippingClock):
    """Wakes a sleeper that holds a place later than it asked to be, and lets the database answer late, once each."""

    def __init__(self, start: datetime) -> None:
        super().__init__(start)
        self.late = timedelta(0)
        self.slow = timedelta(0)
        self.at_wake_up: Callable[[], Awaitable[None]] | None = None

    async def sleep(self, duration: timedelta) -> None:
        await super().sleep(duration)
        if duration > reserved_ahead(SECOND):
            return
        hook, self.at_wake_up = self.at_wake_up, None
        if hook is not None:
            await hook()
        self.advance(self.late)
        self.late = timedelta(0)

    def now(self) -> datetime:
        value = super().now()
        late, self.slow = self.slow, timedelta(0)
        self.advance(late)
        return value


async def test_a_permit_that_came_too_late_is_moved_so_that_the_next_keeps_its_distance(collector: Engine) -> None:
    clock = LateClock(collector.clock.now())
    async with open_second(collector.db, clock) as db:
        late = replace(collector, db=db)
        await granted(late)
        clock.late = timedelta(seconds=0.5)
        used = await granted(late)
        assert await granted(late) - used >= SECOND
    assert late.progress.counts["permit_late"] == 1


async def test_a_permit_that_was_used_a_little_late_costs_the_host_no_more_than_that(collector: Engine) -> None:
    clock = LateClock(collector.clock.now())
    async with open_second(collector.db, clock) as db:
        late = replace(collector, db=db)
        first = await granted(late)
        clock.late = timedelta(seconds=0.2)
        second = await granted(late)
        assert second - first == SECOND + MARGIN + timedelta(seconds=0.2)
        assert await granted(late) - second == SECOND + MARGIN
    assert late.progress.counts["permit_late"] == 0


async def test_a_permit_whose_use_was_never_reported_keeps_its_whole_slack(collector: Engine) -> None:
    """Its holder may have died before it sent the request, or be about to send it."""
    begun = collector.clock.now()
    assert isinstance(await obtain_permit(collector, HOST, SECOND, WAIT), HostPermit)
    assert await granted(collector) - begun == SECOND + MARGIN + first_slack(SECOND)


async def test_a_late_permit_behind_which_someone_stands_is_given_up_for_a_new_one(collector: Engine) -> None:
    clock = LateClock(collector.clock.now())
    behind = []

    async def reserve_behind() -> None:
        async with open_second(collector.db, SkippingClock(clock.now())) as other:
            behind.append(await granted(replace(collector, db=other, host_turns=defaultdict(asyncio.Lock))))

    async with open_second(collector.db, clock) as db:
        late = replace(collector, db=db)
        await granted(late)
        clock.late, clock.at_wake_up = timedelta(seconds=0.5), reserve_behind
        assert await granted(late) - behind[0] >= SECOND


# --- a slow connection -----------------------------------------------------------------------------------------------


async def test_a_connection_that_takes_longer_than_the_place_bears_moves_the_place(
    collector: Engine, clock: ManualClock
) -> None:
    permit = await obtain_permit(collector, HOST, SECOND, WAIT)
    assert isinstance(permit, HostPermit)
    clock.advance(timedelta(seconds=0.7))
    await permit.confirm()
    used = clock.now()
    assert await granted(collector) - used >= SECOND
    assert collector.progress.counts["permit_late"] == 1


async def test_who_stands_behind_a_slow_connection_goes_first_and_keeps_its_distance(
    collector: Engine, clock: ManualClock
) -> None:
    slow = await obtain_permit(collector, HOST, SECOND, WAIT)
    assert isinstance(slow, HostPermit)
    clock.advance(timedelta(seconds=0.7))
    overtaking = await granted(collector)
    await slow.confirm()
    used = clock.now()
    assert used - overtaking >= SECOND
    await close_up(collector, slow)
    assert await granted(collector) - used >= SECOND


async def test_a_connection_that_stands_when_the_host_is_taken_for_long_is_not_used(
    collector: Engine, clock: ManualClock
) -> None:
    permit = await obtain_permit(collector, HOST, SECOND, WAIT)
    assert isinstance(permit, HostPermit)
    await delay_host(collector.db, HOST, timedelta(minutes=2))
    clock.advance(timedelta(seconds=0.7))
    with pytest.raises(PermitWithdrawn):
        await permit.confirm()


async def test_a_connection_made_before_its_place_is_due_waits_for_it(collector: Engine, clock: ManualClock) -> None:
    first = await granted(collector)
    permit = await obtain_permit(collector, HOST, SECOND, WAIT)
    assert isinstance(permit, HostPermit)
    assert clock.now() - first < SECOND
    await permit.confirm()
    assert clock.now() - first == SECOND + MARGIN


async def test_once_the_engine_stops_no_request_goes_out_over_a_connection_that_waits(collector: Engine) -> None:
    await granted(collector)
    permit = await obtain_permit(collector, HOST, SECOND, WAIT)
    assert isinstance(permit, HostPermit)
    collector.stopping.set()
    with pytest.raises(PermitWithdrawn):
        await permit.confirm()


async def test_an_answer_of_the_database_that_came_late_does_not_make_the_request_late(collector: Engine) -> None:
    """Its place is counted from before the question, not from after the answer."""
    clock = LateClock(collector.clock.now())
    async with open_second(collector.db, clock) as db:
        clock.slow = timedelta(seconds=0.5)
        used = await granted(replace(collector, db=db))
        async with open_second(collector.db, SkippingClock(used)) as other:
            assert await granted(replace(collector, db=other)) - used >= SECOND


class LeapingClock(SkippingClock):
    """Leaps by minutes after the look at it that is given (from 0)."""

    def __init__(self, start: datetime, number: int) -> None:
        super().__init__(start)
        self.left = number

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.ticks(), KST)

    def ticks(self) -> float:
        seen = super().ticks()
        if self.left == 0:
            self.advance(timedelta(minutes=2))
        self.left -= 1
        return seen


async def test_whenever_the_clock_leaps_a_request_that_was_not_sent_yet_keeps_its_distance(collector: Engine) -> None:
    number, leapt = 0, True
    while leapt:
        host = f"{number}.example.com"
        await granted(collector, host)
        clock = LeapingClock(collector.clock.now(), number)
        async with open_second(collector.db, clock) as db:
            permit = await obtain_permit(replace(collector, db=db), host, SECOND, timedelta(hours=1))
            assert isinstance(permit, HostPermit)
            await permit.confirm()
            leapt = clock.left < 0
            used = datetime.fromtimestamp(permit.sent_at, KST)
            await close_up(replace(collector, db=db), permit)
        async with open_second(collector.db, SkippingClock(used)) as other:
            assert await granted(replace(collector, db=other), host) - used >= SECOND
        number += 1
    assert number > 5, "three for the reservation, the wait, the look at the end, ours"


# --- permits in a slice ----------------------------------------------------------------------------------------------


async def test_every_request_of_a_slice_has_a_permit_of_its_own(
    db: Database, clock: SkippingClock, board: Board, adapt: Adapt
) -> None:
    """DESIGN 1.3: needed details, each with its own permit."""
    adapt(detail_use=DetailUse.ENRICHMENT)
    asked: list[datetime] = []

    async def note(_: object) -> None:
        asked.append(clock.now())

    board.fill(12)
    board.before_list, board.before_detail = note, note
    await switch_on(db, FlagKey.COLLECTION_DISPATCH_V2)
    await add_source(db)
    async with engine_on(db, board.origins, request_delay_seconds=1) as engine:
        await collect_day(engine)
    assert len(asked) == 14
    assert all(SECOND <= later - earlier <= SECOND + MARGIN for earlier, later in pairwise(asked))
    assert (await row(db, hosts))["host"] == board.origin.removeprefix("http://")
