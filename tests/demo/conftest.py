"""The whole demo world, and a replica of it whose time the test moves."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from daemon.clock import ManualClock, kst
from daemon.demo.replica import Replica
from daemon.demo.world import World


@pytest.fixture(scope="session")
def world() -> World:
    """Full size, the scripted troubles included."""
    return World()


@pytest.fixture
def clock(world: World) -> ManualClock:
    """One o'clock in the morning of the world's first day, in Korea."""
    return ManualClock(kst(world.first_day, 1))


@pytest.fixture
async def replica(world: World, clock: ManualClock) -> AsyncIterator[Replica]:
    made = Replica(world, clock)
    await made.start()
    yield made
    await made.stop()
