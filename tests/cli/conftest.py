"""Fixture `gonggo`: the command with an empty home."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Gonggo


@pytest.fixture
def gonggo(tmp_path: Path) -> Gonggo:
    """`gonggo` of a person who has set nothing."""
    (tmp_path / "home").mkdir()
    return Gonggo(home=tmp_path / "home")
