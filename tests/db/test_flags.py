"""Feature flags on every engine: switched at run time, for all instances."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.clock import ManualClock
from daemon.db import Database, reading
from daemon.flags import store
from daemon.flags.actions import list_flags, switch_flag
from daemon.flags.model import FlagKey, UnknownFlag
from tests.databases import open_second


async def test_every_flag_starts_off_and_never_switched(db: Database) -> None:
    flags = await list_flags(db)
    assert [flag.flag_key for flag in flags] == list(FlagKey)
    assert len(flags) == 7
    assert not any(flag.enabled for flag in flags)
    assert [flag.switched_at for flag in flags] == [None] * 7
    assert all(flag.description for flag in flags)


async def test_a_switch_counts_at_once_for_every_instance(db: Database, clock: ManualClock) -> None:
    async with open_second(db) as second:
        assert not await reading(second, store.is_enabled, FlagKey.AUTO_CLOSE)
        clock.advance(timedelta(hours=1))
        assert await switch_flag(db, "posting.auto-close", True)
        assert await reading(second, store.is_enabled, FlagKey.AUTO_CLOSE)
        states = await reading(second, store.load_all)
        assert [key for key, on in states.items() if on] == [FlagKey.AUTO_CLOSE]
        assert (await reading(second, store.load_states))[FlagKey.AUTO_CLOSE].switched_at == clock.now()


async def test_switching_a_flag_to_where_it_stands_changes_nothing(db: Database, clock: ManualClock) -> None:
    assert not await switch_flag(db, FlagKey.AUTO_CLOSE, False)
    clock.advance(timedelta(hours=1))
    assert await switch_flag(db, FlagKey.AUTO_CLOSE, True)
    switched_at = clock.now()
    clock.advance(timedelta(hours=1))
    assert not await switch_flag(db, FlagKey.AUTO_CLOSE, True)
    assert (await reading(db, store.load_states))[FlagKey.AUTO_CLOSE].switched_at == switched_at
    assert await switch_flag(db, FlagKey.AUTO_CLOSE, False)
    assert not await reading(db, store.is_enabled, FlagKey.AUTO_CLOSE)


async def test_an_unknown_flag_is_refused_by_naming_the_known_ones(db: Database) -> None:
    with pytest.raises(UnknownFlag) as refused:
        await switch_flag(db, "posting.autoclose", True)
    assert refused.value.known == tuple(FlagKey)
    assert "posting.auto-close" in str(refused.value)
