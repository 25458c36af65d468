from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.sources.hostile import HostileSite


@pytest.fixture
async def site() -> AsyncIterator[HostileSite]:
    async with HostileSite() as running:
        yield running
