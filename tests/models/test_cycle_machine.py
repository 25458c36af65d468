"""A source's cycles over some days against a model: claims, pages, leases, ends, the delta, health, the snapshot."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from daemon.clock import business_date, kst
from daemon.collection.actions.claim import Assignment, claim_ready_cycles
from daemon.collection.actions.commit_page import commit_page
from daemon.collection.actions.lease import Lease, end_cycle, release_slice
from daemon.collection.actions.prepare import enqueue_day, prepare_day
from daemon.collection.actions.recover import recover_expired_leases
from daemon.collection.actions.snapshot import settle_due_snapshots
from daemon.collection.engine import Engine
from daemon.collection.model import Fail, LeaseLost, SliceUse
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.collection.tables import job_source_health
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.tables import job_postings
from daemon.settings import Settings
from daemon.sources.executor import Executor
from tests.engines import add_source, page_of, rows, switch_on
from tests.models.machine import Machine, run_machine

LEASE = timedelta(minutes=3)
SLICE_PAGES, DAILY_PAGES, DAILY_POSTINGS = 2, 4, 5
IDS = tuple("ABCDEF")

STEPS = (
    *("a_worker_claims",) * 4,
    *("a_page_is_committed",) * 10,
    *("a_worker_renews", "a_worker_gives_back", "a_worker_fails", "the_day_is_prepared", "auto_close_is_switched"),
    *("time_passes", "time_passes", "leases_are_recovered", "leases_are_recovered"),
    *("the_next_day_begins", "the_next_day_begins", "the_cutoff_comes", "the_snapshot_is_settled"),
)
"""What may happen next, the likelier the more often it is named."""


@dataclass
class Held:
    """A claim that was made, its lease as the holder keeps it, and the pages that it has committed."""

    assignment: Assignment
    lease: Lease
    kept_at: datetime
    pages: int = 0


@dataclass
class Cycle:
    """What the model knows of a day's cycle."""

    status: str = "PENDING"
    token: str | None = None
    until: datetime | None = None
    claims: int = 0
    pages: int = 0
    fetched: int = 0
    seen: set[str] = field(default_factory=set)
    missed: int = 0
    closed: int = 0
    reason: str | None = None

    @property
    def over(self) -> bool:
        return self.status in ("SUCCESS", "FAILED", "BUDGET_EXHAUSTED")


@dataclass
class Health:
    """What the model knows of the source's days."""

    abnormal: int = 0
    broken: bool = False
    episodes: int = 0


class Cycles(Machine):
    """One source, and all that workers, the timetable and recovery can do to it."""

    @initialize()
    def begin(self) -> None:
        self.source = self.run(self._begun())
        self.days: dict[date, Cycle] = {}
        self.postings: dict[str, tuple[str, int]] = {}
        self.health = Health()
        self.auto_close = True
        self.held: list[Held] = []
        self.captured: dict[date, str] = {}

    async def _begun(self) -> int:
        chosen = Settings(lease_seconds=int(LEASE.total_seconds()), request_delay_seconds=0)
        self.executor = Executor(chosen)
        self.engine = Engine(db=self.db, executor=self.executor, settings=chosen, wake=asyncio.Event())
        await switch_on(self.db, FlagKey.COLLECTION_DISPATCH_V2, FlagKey.AUTO_CLOSE)
        return await add_source(self.db)

    def teardown(self) -> None:
        if hasattr(self, "executor"):
            self.run(self.executor.close())
        super().teardown()

    @property
    def today(self) -> date:
        return business_date(self.now)

    # --- what happens

    @rule(what=st.sampled_from(STEPS), data=st.data())
    def step(self, what: str, data: st.DataObject) -> None:
        """One rule for all: hypothesis would leave whole rules out of an example, and then little ever happens."""
        getattr(self, what)(data)

    def time_passes(self, data: st.DataObject) -> None:
        self.clock.advance(timedelta(minutes=data.draw(st.sampled_from([1, 2, 3, 3, 4, 60]))))

    def the_next_day_begins(self, data: st.DataObject) -> None:
        later = timedelta(minutes=data.draw(st.sampled_from([0, 5, 8 * 60 + 59])))
        self.clock.set(kst(self.today + timedelta(days=1), 0) + later)

    def the_cutoff_comes(self, data: st.DataObject) -> None:
        """Nine o'clock of this day or the next, to the second, while a worker has a page in hand perhaps."""
        nine = kst(self.today, 9)
        nine = nine if nine > self.now else kst(self.today + timedelta(days=1), 9)
        if data.draw(st.booleans()):
            self.clock.set(max(self.now, nine - timedelta(minutes=2)))
            self.a_worker_claims(data)
        self.clock.set(nine)
        getattr(self, data.draw(st.sampled_from(("a_page_is_committed", "a_worker_renews", "a_worker_gives_back"))))(
            data
        )

    def auto_close_is_switched(self, data: st.DataObject) -> None:
        self.auto_close = data.draw(st.booleans())
        self.run(switch_flag(self.db, FlagKey.AUTO_CLOSE, self.auto_close))

    def the_day_is_prepared(self, _data: st.DataObject | None = None) -> None:
        before = self._pictures()
        self.run(self._prepare())
        for day, cycle in self.days.items():
            if day < self.today and cycle.status in ("PENDING", "NOT_STARTED"):
                self._end(day, cycle, "FAILED", "DAY_ENDED")
        cycle = self.days.setdefault(self.today, Cycle())
        if cycle.status == "NOT_STARTED":
            cycle.status = "PENDING"
        self._look_at_snapshots(before)

    async def _prepare(self) -> None:
        await prepare_day(self.engine, self.today)
        await enqueue_day(self.engine, self.today)

    def a_worker_claims(self, data: st.DataObject) -> None:
        if data.draw(st.booleans()):
            self.the_day_is_prepared()
        before = self._pictures()
        token = f"token-{len(self.held)}"
        claimed = self.run(claim_ready_cycles(self.engine, self.today, 5, {}, lambda: token))
        cycle = self.days.get(self.today)
        assert bool(claimed) is (cycle is not None and cycle.status == "PENDING")
        self._look_at_snapshots(before)
        for assignment in claimed:
            assert cycle is not None
            assert assignment.claim.lease_until == self.now + LEASE
            cycle.status, cycle.token, cycle.until = "RUNNING", token, self.now + LEASE
            cycle.claims += 1
            self.held.append(Held(assignment, self.run(self._lease(assignment)), self.now))

    async def _lease(self, assignment: Assignment) -> Lease:
        return Lease(self.engine, assignment.claim)

    def _holder(self, data: st.DataObject) -> Held | None:
        """Who has the newest claim mostly, else anyone who ever had one."""
        if not self.held:
            return None
        return self.held[-1 if data.draw(st.integers(0, 4)) else data.draw(st.integers(0, len(self.held) - 1))]

    def a_page_is_committed(self, data: st.DataObject) -> None:
        if not any(cycle.status == "RUNNING" for cycle in self.days.values()) and data.draw(st.booleans()):
            if all(cycle.over for cycle in self.days.values()):
                self.the_next_day_begins(data)
            self.a_worker_claims(data)
        if (held := self._holder(data)) is None:
            return
        before = self._pictures()
        ids = data.draw(st.sets(st.sampled_from(IDS), max_size=4))
        last = data.draw(st.sampled_from([False, False, True]))
        day, cycle = self._of(held)
        page = page_of(self.engine, held.assignment, *sorted(ids), next_cursor=None if last else f"c{cycle.pages}")
        use = SliceUse(pages=held.pages + 1, postings=0, time_is_up=False, stopping=False)
        limits = replace(page.budgets, slice_pages=SLICE_PAGES, daily_pages=DAILY_PAGES, daily_postings=DAILY_POSTINGS)
        page = replace(page, slice_use=use, budgets=limits, cursor="the one before")
        if self._try(commit_page(self.engine, held.assignment.claim, page), held):
            held.pages += 1
            self._page(day, cycle, held, ids, last)
            self._look_at_snapshots(before, wrote=day)

    def a_worker_renews(self, data: st.DataObject) -> None:
        if (held := self._holder(data)) is None:
            return
        day, cycle = self._of(held)
        before = self._pictures()
        if self.now - held.kept_at <= LEASE / 3:
            self.run(held.lease.keep())  # asks nothing of the database
        elif self._try(held.lease.keep(), held):
            held.kept_at, cycle.until = self.now, self.now + LEASE
            self._look_at_snapshots(before, wrote=day)

    def a_worker_gives_back(self, data: st.DataObject) -> None:
        if (held := self._holder(data)) is None:
            return
        day, cycle = self._of(held)
        before = self._pictures()
        if self._try(release_slice(self.engine, held.assignment.claim), held):
            cycle.status, cycle.token, cycle.until = "PENDING", None, None
            self._look_at_snapshots(before, wrote=day)

    def a_worker_fails(self, data: st.DataObject) -> None:
        if (held := self._holder(data)) is None:
            return
        day, cycle = self._of(held)
        before = self._pictures()
        if self._try(end_cycle(self.engine, held.assignment.claim, Fail(reason="BLOCKED")), held):
            self._end(day, cycle, "FAILED", "BLOCKED")
            self._look_at_snapshots(before, wrote=day)

    def leases_are_recovered(self, _data: st.DataObject) -> None:
        before = self._pictures()
        expired = [
            (day, cycle)
            for day, cycle in self.days.items()
            if cycle.status == "RUNNING" and cycle.until is not None and cycle.until < self.now
        ]
        assert self.run(recover_expired_leases(self.engine)) == len(expired)
        for day, cycle in expired:
            self._end(day, cycle, "FAILED", "LEASE_EXPIRED")
        self._look_at_snapshots(before)

    def the_snapshot_is_settled(self, _data: st.DataObject) -> None:
        before = self._pictures()
        self.run(settle_due_snapshots(self.engine))
        self._look_at_snapshots(before, wrote=self.today)

    # --- what the model makes of it

    def _of(self, held: Held) -> tuple[date, Cycle]:
        day = held.assignment.claim.run_date
        return day, self.days[day]

    def _try(self, work: Any, held: Held) -> bool:
        """Whether a write counted: it must, exactly as long as the cycle is the holder's (seed 000, fencing)."""
        _, cycle = self._of(held)
        mine = cycle.status == "RUNNING" and cycle.token == held.assignment.claim.token
        lasts = mine and cycle.until is not None and cycle.until > self.now
        try:
            self.run(work)
        except LeaseLost:
            assert not lasts, "a holder's write was refused"
            return False
        assert lasts, "a write of someone who does not hold the cycle was taken"
        return True

    def _page(self, day: date, cycle: Cycle, held: Held, ids: Collection[str], last: bool) -> None:
        fresh = set(ids) - cycle.seen
        for key in fresh:
            self.postings[key] = ("OPEN", 0)
        cycle.seen |= fresh
        cycle.pages += 1
        cycle.fetched += len(fresh)
        if last or not fresh:
            if last and cycle.fetched:
                self._delta(cycle)
            self._end(day, cycle, "SUCCESS", None)
        elif cycle.pages >= DAILY_PAGES:
            self._end(day, cycle, "BUDGET_EXHAUSTED", "LIST_PAGE_LIMIT")
        elif cycle.fetched >= DAILY_POSTINGS:
            self._end(day, cycle, "BUDGET_EXHAUSTED", "POSTING_LIMIT")
        elif held.pages < SLICE_PAGES:
            cycle.until = self.now + LEASE
        elif self.today > day:
            self._end(day, cycle, "FAILED", "DAY_ENDED")
        else:
            cycle.status, cycle.token, cycle.until = "PENDING", None, None

    def _delta(self, cycle: Cycle) -> None:
        for key, (status, misses) in self.postings.items():
            if status == "OPEN" and key not in cycle.seen:
                closes = self.auto_close and misses + 1 >= 2
                cycle.missed += 1
                cycle.closed += closes
                self.postings[key] = ("CLOSED" if closes else "OPEN", misses + 1)

    def _end(self, day: date, cycle: Cycle, status: str, reason: str | None) -> None:
        cycle.status, cycle.token, cycle.until, cycle.reason = status, None, None, reason
        if status == "BUDGET_EXHAUSTED" or cycle.claims == 0:
            return
        if status == "SUCCESS" and cycle.fetched:
            self.health = Health(episodes=self.health.episodes)
            return
        self.health.abnormal += 1
        if self.health.abnormal >= 3 and not self.health.broken:
            self.health.broken = True
            self.health.episodes += 1

    # --- the snapshot

    def _pictures(self) -> dict[date, tuple[str, int]]:
        """How each day's cycle stands before something happens."""
        return {day: (cycle.status, cycle.fetched) for day, cycle in self.days.items()}

    def _look_at_snapshots(self, before: dict[date, tuple[str, int]], wrote: date | None = None) -> None:
        """A capture shows how the cycle stood before the write that came upon it; no write after 09:00 precedes it."""
        shown = {each["job_posting_collection_sla_snapshot_id"]: each for each in self._rows(items)}
        for header in self._rows(headers):
            day, status = header["snapshot_date"], header["capture_status"]
            if status == "PENDING":
                assert day != wrote or self.now < kst(day, 9), "written after the cutoff, before the capture"
            elif day not in self.captured:
                self.captured[day] = status
                assert self.now >= kst(day, 9)
                if status == "CAPTURED":
                    item = shown[header["id"]]
                    picture = before.get(day, ("NOT_STARTED", 0))
                    assert (item["captured_cycle_status"], item["captured_fetched_count"]) == picture
                    self.days.setdefault(day, Cycle(status="NOT_STARTED"))
            assert self.captured.get(day, "PENDING") == status, "a settled snapshot was changed"

    # --- what must be there

    def _rows(self, table: Any) -> list[dict[str, Any]]:
        return self.run(rows(self.db, table))

    @invariant()
    def cycles_are_as_the_model_has_them(self) -> None:
        stored = {each["run_date"]: each for each in self._rows(cycles)}
        assert set(stored) == set(self.days)
        for day, cycle in self.days.items():
            each = stored[day]
            assert (each["cycle_status"], each["lease_token"], each["lease_until"], each["attempt_count"]) == (
                cycle.status,
                cycle.token,
                cycle.until,
                cycle.claims,
            )
            assert (each["list_page_count"], each["fetched_count"], each["missed_count"], each["closed_count"]) == (
                cycle.pages,
                cycle.fetched,
                cycle.missed,
                cycle.closed,
            )
            assert (each["failure_reason"] or each["budget_exhausted_reason"]) == cycle.reason
            assert bool(each["is_complete"]) is (cycle.status == "SUCCESS")
            assert (each["finished_at"] is not None) is cycle.over

    @invariant()
    def what_follows_from_cycles_is_too(self) -> None:
        reported = {each["run_date"]: each["run_status"] for each in self._rows(runs)}
        assert reported == {day: c.status for day, c in self.days.items() if c.status in ("SUCCESS", "FAILED")}
        found = {each["source_job_id"] for each in self._rows(seen)}
        assert found == {key for cycle in self.days.values() if not cycle.over for key in cycle.seen}
        stored = {
            each["source_job_id"]: (each["posting_status"], each["consecutive_miss_count"])
            for each in self._rows(job_postings)
        }
        assert stored == self.postings
        for each in self._rows(job_source_health):
            assert (each["consecutive_abnormal_days"], each["broken_since"] is not None, each["failure_episode"]) == (
                self.health.abnormal,
                self.health.broken,
                self.health.episodes,
            )


def test_a_sources_cycles_do_what_the_model_does(template: Path) -> None:
    """Seed 000: 상태 전이, lease와 fencing, 예산, 최종 delta, 09:00 snapshot; seed 001: FR-14 to FR-19."""
    assert run_machine(Cycles, template, examples=15, steps=40)
