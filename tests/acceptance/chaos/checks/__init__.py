"""What must hold after every day, whatever was done. Each check is a function that says what is wrong.

They know sites, channel and rows from outside and the world's own truth; of the product's rules they use none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tests.acceptance.chaos.checks import cycles, messages, processes, rows, sites
from tests.acceptance.chaos.evidence import Evidence, Memory, Violation

Check = Callable[[Evidence, Memory], Iterator[str]]

CHECKS: Mapping[str, Check] = {
    "a list page is asked for once a day": sites.list_pages_once,
    "a posting's page is asked for once a day": sites.details_once,
    "two requests to a site are a delay apart": sites.far_enough,
    "pages counted are pages served": sites.pages_counted,
    "details counted are details served": sites.details_counted,
    "a cycle counts what its pages showed": cycles.counts,
    "a posting is stored as its site last showed it": cycles.postings,
    "who has met a wall knows of it, and nobody else": cycles.walls,
    "nothing is closed but by two complete lists or its deadline": cycles.closed_for_cause,
    "every source has one cycle, and it is over": cycles.all_over,
    "a run row is its cycle's": cycles.projected,
    "nothing is left of the seen set": cycles.nothing_seen,
    "the snapshot is that of 09:00": cycles.snapshot,
    "what is over does not change": cycles.unchanged,
    "each job of the day succeeded once": processes.jobs,
    "each message stands in the channel once": messages.once,
    "what is recorded as told was told": messages.recorded,
    "no message is lost": messages.none_lost,
    "no row is without its parent": rows.parents,
    "no row is half-written": rows.whole,
    "health counts abnormal days in a row": rows.health,
    "logs are clean": processes.logs,
    "no process ends by itself": processes.ends,
    "a killed holder's host goes on in time": processes.recovered,
    "the day comes to its end": processes.not_stuck,
}


def judge(evidence: Evidence, memory: Memory) -> list[Violation]:
    """Everything that is wrong after the day; `memory` then knows this day too."""
    memory.live_through(evidence)
    found = findings(evidence, memory)
    memory.learn(evidence)
    return found


def findings(evidence: Evidence, memory: Memory) -> list[Violation]:
    """What the checks say, of a memory that has lived through the day."""
    return [
        Violation(check=name, day=evidence.number, what=what)
        for name, check in CHECKS.items()
        for what in check(evidence, memory)
    ]
