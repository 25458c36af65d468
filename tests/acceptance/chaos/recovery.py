"""How long a site's host stands still after its holder was killed: until the next commit of any of its cycles."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from tests.acceptance.chaos.watch import Row


@dataclass(kw_only=True)
class Recovery:
    """A host whose cycle was in the hands of a process when that was killed."""

    killed_at: datetime
    platform: str
    by: str
    """Who held it."""
    known: frozenset[tuple[int, datetime]] = frozenset()
    """The host's cycles by id and last write, as they were found after the kill."""
    seconds: float | None = None
    """Simulated, until a cycle of this host was written again; None while none was."""
    disturbed: bool = False
    """Whether the database was away, or the clock jumped, in between: the bound is not for that."""

    @property
    def over(self) -> bool:
        return self.seconds is not None


class Recoveries:
    """All of a run."""

    def __init__(self, platforms: Mapping[int, str]) -> None:
        self._platforms = platforms
        self.all: list[Recovery] = []

    def killed(self, name: str, at: datetime, cycles: Collection[Row], last_asked_by: Mapping[int, str]) -> None:
        """A process died; of `cycles`, the day's just then, a RUNNING one is held by who asked for its source last."""
        known = self._written(cycles)
        held = {row["job_source_id"] for row in cycles if row["cycle_status"] == "RUNNING"}
        for platform in sorted({self._platforms[key] for key in held if last_asked_by.get(key) == name}):
            self.all.append(Recovery(killed_at=at, platform=platform, by=name, known=known[platform]))

    def look(self, cycles: Iterable[Row]) -> None:
        """What the day's cycles are now. A write that was under way at the kill bears an instant from before it."""
        written = self._written(cycles)
        for each in self.all:
            if not each.over:
                fresh = [at for _, at in written.get(each.platform, frozenset()) - each.known]
                each.seconds = max(0.0, (min(fresh) - each.killed_at).total_seconds()) if fresh else None

    def _written(self, cycles: Iterable[Row]) -> dict[str, frozenset[tuple[int, datetime]]]:
        found: defaultdict[str, set[tuple[int, datetime]]] = defaultdict(set)
        for row in cycles:
            found[self._platforms[row["job_source_id"]]].add((row["id"], row["updated_at"]))
        return {platform: frozenset(rows) for platform, rows in found.items()}

    def disturb(self) -> None:
        """Something else went wrong: what is under way says nothing of the bound."""
        for each in self.all:
            each.disturbed = each.disturbed or not each.over

    def quantile(self, share: float) -> float:
        """Of the undisturbed ones, seconds; 0 when there were none."""
        times = sorted(each.seconds for each in self.all if each.seconds is not None and not each.disturbed)
        return times[max(0, math.ceil(share * len(times)) - 1)] if times else 0.0
