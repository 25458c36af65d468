"""Host permits of two instances at once (seed 000, external_request_host_limits and Testing Plan)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from itertools import pairwise

from daemon.collection.actions.permit import obtain_permit
from daemon.collection.engine import Engine
from daemon.collection.tables import external_request_host_limits as hosts
from daemon.sources.model import Permit
from tests.engines import rows, tuned

DELAY = timedelta(milliseconds=10)
WAIT = timedelta(seconds=20)

Instances = tuple[Engine, Engine]


async def granted(engine: Engine, host: str) -> float:
    """Obtain a permit; the monotonic seconds at which a request may be sent with it."""
    permit = await obtain_permit(engine, host, DELAY, WAIT)
    assert isinstance(permit, Permit)
    await permit.confirm()
    return engine.clock.ticks()


async def all_granted(instances: Instances, host: str, count: int) -> list[float]:
    """As many permits as asked for, by both instances at once, in the order of their instants."""
    async with asyncio.TaskGroup() as group:
        asks = [group.create_task(granted(instances[number % 2], host)) for number in range(count)]
    return sorted(each.result() for each in asks)


async def test_permits_of_two_instances_are_never_closer_than_the_delay(instances: Instances) -> None:
    """Seed 000, Testing Plan: 같은 host permit을 예약할 때 반환 `notBefore`가 최소 delay만큼 단조 증가함을 검증."""
    times = await all_granted(instances, "jobs.example.com", 24)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) >= DELAY.total_seconds()


async def test_a_host_asked_for_the_first_time_by_both_gets_one_row(instances: Instances) -> None:
    narrow = (tuned(instances[0], permit_margin_seconds=0.005), tuned(instances[1], permit_margin_seconds=0.005))
    for number in range(20):
        first, second = await all_granted(narrow, f"host-{number}.example.com", 2)
        assert second - first >= DELAY.total_seconds()
    assert len(await rows(instances[0].db, hosts)) == 20


async def test_hosts_do_not_wait_for_each_other(instances: Instances) -> None:
    names = [f"host-{number}.example.com" for number in range(8)]
    async with asyncio.TaskGroup() as group:
        asks = [group.create_task(all_granted(instances, name, 4)) for name in names]
    for each in asks:
        assert min(later - earlier for earlier, later in pairwise(each.result())) >= DELAY.total_seconds()
