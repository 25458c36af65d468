"""Memory that was freed goes back to the system."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# The first large piece that is freed makes glibc keep such pieces; what is taken last stays behind the others.
_TAKES_AND_FREES = """
from pathlib import Path
from daemon.memory import give_back_what_is_freed

def resident():
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))

give_back_what_is_freed()
first = bytes(2**20)
del first
before = resident()
pieces = [bytes([1]) * 2**20 for _ in range(64)]
last = [bytes([1]) * size for size in (5_000, 50_000, 100_000, 120_000)]
taken = resident()
del pieces
print(before, taken, resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps it")
def test_large_pieces_are_not_kept_behind_a_small_one() -> None:
    told = subprocess.run([sys.executable, "-c", _TAKES_AND_FREES], capture_output=True, text=True, check=True)
    before, taken, left = map(int, told.stdout.split())
    assert taken - before >= 60
    assert left - before <= 8
