"""Fixtures of acceptance tests: daemons that end with the test, and databases of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.acceptance.daemons import Daemons


@pytest.fixture
async def daemons(tmp_path: Path) -> AsyncIterator[Daemons]:
    """Starts real daemons; none of them outlives the test."""
    started = Daemons(tmp_path)
    yield started
    await started.end_all()
