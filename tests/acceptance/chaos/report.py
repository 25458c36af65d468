"""What a run prints: its seed and schedule before, its figures and violations after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.acceptance.chaos.outcome import Outcome
from tests.acceptance.chaos.recovery import Recoveries
from tests.acceptance.chaos.schedule import KILLS, ON_DATABASE, DayPlan, Fault, Kind


def schedule_lines(plans: tuple[DayPlan, ...]) -> Iterator[str]:
    """A day a line: what is struck after which share of its list pages."""
    for plan in plans:
        told = [_told(fault) for fault in plan.collecting]
        late = f"; 09:00 after {plan.late_after:.0%}" if plan.late_after is not None else ""
        nine = ", ".join(f"{each.kind} {each.victim} after {each.after:g} messages" for each in plan.nine)
        yield f"day {plan.number}: {', '.join(told)}{late}; at nine {nine}; Discord {','.join(plan.discord)}"


def _told(fault: Fault) -> str:
    where = fault.platform if fault.kind.name.startswith("SITE") else fault.victim
    length = f" for {fault.seconds:g}" if fault.seconds else ""
    return f"{fault.after:.0%} {fault.kind} {where}{length}"


def lines(outcome: Outcome) -> Iterator[str]:
    """The figures."""
    kinds = Counter(one.kind for one in outcome.struck)
    database = sum(kinds[kind] for kind in ON_DATABASE)
    options = outcome.options
    what = f"{outcome.days} days, {options.instances} instances on {options.engine}, seed {options.seed}"
    yield f"{what}: {outcome.seconds:.0f} s"
    yield f"kills {outcome.kills}, freezes {kinds[Kind.FREEZE]}, SIGTERMs {kinds[Kind.TERM]}, starts {outcome.starts}"
    yield f"database faults {database}: {_counted(kinds, ON_DATABASE)}"
    yield f"others: {_counted(kinds, set(Kind) - ON_DATABASE - KILLS - {Kind.FREEZE, Kind.TERM})}"
    ends = ", ".join(f"{name} {number}" for name, number in sorted(outcome.cycles.items()))
    yield f"requests {outcome.requests}, postings {outcome.postings}, cycles: {ends}"
    yield f"messages {outcome.messages}, of them repeated since an answer was lost {outcome.repeats}"
    yield f"cutoffs missed while the database was away or nobody there: {outcome.missed_cutoffs}"
    judged = Recoveries({})
    judged.all = outcome.recoveries
    undisturbed = [each for each in outcome.recoveries if not each.disturbed]
    yield (
        f"from the kill of a holder to its host's next commit ({len(undisturbed)} times undisturbed, lease 90 s and"
        f" tick 30 s): median {judged.quantile(0.5):.1f} s, p95 {judged.quantile(0.95):.1f} s,"
        f" max {judged.quantile(1.0):.1f} s"
    )
    yield f"violations: {len(outcome.violations)}"
    yield from (f"  {violation}" for violation in outcome.violations)


def _counted(kinds: Counter[Kind], wanted: set[Kind] | frozenset[Kind]) -> str:
    return ", ".join(f"{kind} {kinds[kind]}" for kind in Kind if kind in wanted and kinds[kind])
