"""The clock file of a run, and what simulated time really passed between two real instants."""

from __future__ import annotations

import bisect
import time
from datetime import datetime, timedelta
from pathlib import Path

from daemon.clock import SimulatedClock


class Moments:
    """Writes the clock file and remembers each time that it did."""

    def __init__(self, path: Path, start: datetime) -> None:
        self._path = path
        self._walls: list[float] = []
        self._speeds: list[float] = []
        self._passed: list[float] = []
        """Simulated seconds, from the beginning, that had passed at each of these."""
        self.leaps: list[float] = []
        """Real instants at which time was leapt over."""
        self._instant = start
        self._speed = 1.0
        self._write(start, 1.0, 0.0)

    @property
    def speed(self) -> float:
        """Simulated seconds per real one."""
        return self._speed

    def now(self) -> datetime:
        """What the file says; a process that has seen a later instant stays there."""
        return self._instant + timedelta(seconds=(time.time() - self._walls[-1]) * self._speed)

    def run_at(self, speed: float) -> None:
        """Go on at another speed."""
        if speed != self._speed:
            self._write(self.now(), speed, 0.0)

    def leap(self, to: datetime, speed: float) -> None:
        """Go on from an instant, unless it is past."""
        now = self.now()
        self._write(max(to, now), speed, max(0.0, (to - now).total_seconds()))

    def back(self, seconds: float) -> None:
        """The file goes back; no time passes by that."""
        self._write(self.now() - timedelta(seconds=seconds), self._speed, 0.0)

    def passed(self, wall: float) -> float:
        """Simulated seconds from the beginning to a real instant: what ran, and what was leapt over."""
        index = max(0, bisect.bisect_right(self._walls, wall) - 1)
        speed = self._speeds[index]
        return self._passed[index] + max(0.0, wall - self._walls[index]) * speed

    def _write(self, instant: datetime, speed: float, leapt: float) -> None:
        wall = SimulatedClock.write(self._path, instant, speed)
        if leapt:
            self.leaps.append(wall)
        ran = (wall - self._walls[-1]) * self._speed if self._walls else 0.0
        self._passed.append((self._passed[-1] if self._passed else 0.0) + ran + leapt)
        self._speeds.append(speed)
        self._walls.append(wall)
        self._instant, self._speed = instant, speed
