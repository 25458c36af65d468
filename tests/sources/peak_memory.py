"""How far a stretch of code makes this process grow, at its highest point."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_STATUS = Path("/proc/self/status")
_FORGET_PEAK = Path("/proc/self/clear_refs")


@dataclass
class Growth:
    mebibytes: float = 0.0


@contextmanager
def peak_memory() -> Iterator[Growth]:
    """Skips the test where the kernel does not tell (only Linux does)."""
    gc.collect()
    try:
        _FORGET_PEAK.write_text("5")
    except OSError:
        pytest.skip("the kernel does not reset a process's peak memory here")
    growth = Growth()
    before = _kibibytes("VmRSS")
    yield growth
    growth.mebibytes = (_kibibytes("VmHWM") - before) / 1024


def _kibibytes(field: str) -> int:
    lines = _STATUS.read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{field}:")).split()[1])
