"""An empty migrated SQLite database, of which each example gets a copy."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from tests.databases import Databases


@pytest.fixture
async def template(databases: Databases) -> Path:
    """Nobody has it open."""
    return Path(str(make_url(await databases.migrated("sqlite")).database))
