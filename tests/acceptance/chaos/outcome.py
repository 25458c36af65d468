"""What came of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.acceptance.chaos.evidence import Evidence, Memory, Violation
from tests.acceptance.chaos.recovery import Recovery
from tests.acceptance.chaos.schedule import DayPlan, Options
from tests.acceptance.chaos.strikes import Struck


@dataclass(kw_only=True)
class Outcome:
    """What came of a run."""

    options: Options
    plans: tuple[DayPlan, ...]
    struck: list[Struck] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    recoveries: list[Recovery] = field(default_factory=list)
    repeats: int = 0
    messages: int = 0
    postings: int = 0
    requests: int = 0
    cycles: dict[str, int] = field(default_factory=dict)
    """How many ended how."""
    missed_cutoffs: int = 0
    kills: int = 0
    starts: int = 0
    days: int = 0
    seconds: float = 0.0
    evidence: Evidence | None = None
    """Of the last day, and what was remembered when it was judged."""
    memory: Memory | None = None
