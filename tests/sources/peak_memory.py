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
        forget_peak()
    except OSError:
        pytest.skip("the kernel does not reset a process's peak memory here")
    growth = Growth()
    before = kibibytes("VmRSS")
    yield growth
    growth.mebibytes = (kibibytes("VmHWM") - before) / 1024


def forget_peak() -> None:
    """From now on `VmHWM` is this process's highest memory since now. Raises OSError where the kernel can't."""
    _FORGET_PEAK.write_text("5")


def kibibytes(field: str) -> int:
    """`VmRSS`, what this process has in memory, or `VmHWM`, the most that it had."""
    lines = _STATUS.read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{field}:")).split()[1])
