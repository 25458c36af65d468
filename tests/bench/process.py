"""A process that is measured: how long it ran, the most memory that it held, the processor time that it took."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_INTERRUPTED = 130
"""Exit code of a command that was told to end."""

_LOOK_SECONDS = 0.02
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """A process that is over."""

    output: str
    began_at: float
    """When it was started, in seconds since 1970."""
    peak_mib: float
    cpu_seconds: float


def peak_memory(pid: int) -> float:
    """The most MiB that the process ever had resident (`VmHWM`, proc(5))."""
    return _status(pid, "VmHWM")


def resident_memory(pid: int) -> float:
    """The MiB that the process has resident (`VmRSS`, proc(5))."""
    return _status(pid, "VmRSS")


def _status(pid: int, name: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:")), 0.0)


def cpu_seconds(pid: int) -> float:
    """Processor time of the process so far, its threads included (`utime` and `stime`, proc(5))."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


async def run(
    module: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    enough: asyncio.Future[float] | None = None,
) -> Ended:
    """Run `python -m module` to its end, or until there is `enough`: then it is interrupted.

    Fails when it ends with an error.
    """
    began_at = time.time()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    watching = asyncio.ensure_future(process.communicate())
    peak = cpu = 0.0
    interrupted = False
    while not watching.done():
        # The last look before its end: what it does after that is little.
        if enough is None or not enough.done():
            peak, cpu = _look(process.pid, peak, cpu)
        elif not interrupted:
            process.send_signal(signal.SIGTERM)
            interrupted = True
        await asyncio.wait({watching}, timeout=_LOOK_SECONDS)
    output, errors = (text.decode() for text in watching.result())
    assert process.returncode == (_INTERRUPTED if interrupted else 0), (
        f"{module}: {process.returncode} {errors[-3000:]}"
    )
    return Ended(output=output, began_at=began_at, peak_mib=peak, cpu_seconds=cpu)


def _look(pid: int, peak: float, cpu: float) -> tuple[float, float]:
    try:
        return max(peak, peak_memory(pid)), max(cpu, cpu_seconds(pid))
    except (OSError, IndexError):
        return peak, cpu
