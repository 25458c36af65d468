"""How long a site's host stands still after its holder was killed: until the next commit of any of its cycles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
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

    def killed(self, name: str, at: datetime, running: Iterable[Row], last_asked_by: Mapping[int, str]) -> None:
        """A process died; `running` are the RUNNING cycles just then, each held by who asked for its source last."""
        held = {row["job_source_id"] for row in running if last_asked_by.get(row["job_source_id"]) == name}
        for platform in sorted({self._platforms[key] for key in held}):
            self.all.append(Recovery(killed_at=at, platform=platform, by=name))

    def look(self, cycles: Iterable[Row]) -> None:
        """What the day's cycles are now."""
        written: dict[str, list[datetime]] = {}
        for row in cycles:
            written.setdefault(self._platforms[row["job_source_id"]], []).append(row["updated_at"])
        for each in self.all:
            if not each.over:
                after = [at for at in written.get(each.platform, ()) if at > each.killed_at]
                each.seconds = (min(after) - each.killed_at).total_seconds() if after else None

    def disturb(self) -> None:
        """Something else went wrong: what is under way says nothing of the bound."""
        for each in self.all:
            each.disturbed = each.disturbed or not each.over

    def quantile(self, share: float) -> float:
        """Of the undisturbed ones, seconds; 0 when there were none."""
        times = sorted(each.seconds for each in self.all if each.seconds is not None and not each.disturbed)
        return times[max(0, math.ceil(share * len(times)) - 1)] if times else 0.0
