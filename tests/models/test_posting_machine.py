"""A source's postings against a model: found, edited, missed, closed, passed, opened again, corrected by the person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from daemon.company.tables import job_sources
from daemon.db import Tx, transaction
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.actions.deadlines import close_passed_deadlines
from daemon.posting.actions.personal import edit_posting, register_manual
from daemon.posting.model import (
    EditRefusal,
    EditRefused,
    Missed,
    Observed,
    PostingEdit,
    PostingOvertaken,
    PostingStatus,
    Recorded,
    Recording,
)
from daemon.posting.record import record_missed, record_observed
from daemon.posting.tables import job_postings
from daemon.sources.model import ChangeSignalKind, ChangeSignature, RawJobPosting
from tests.engines import add_source, rows
from tests.models.machine import Machine, run_machine

IDS = tuple("ABCD")
STEPS = (
    *("a_list_is_read",) * 6,
    *("a_night_passes", "time_passes", "time_passes", "auto_close_is_switched", "the_source_is_seeded"),
    *("the_person_opens_one_again", "the_person_opens_one_again", "the_person_enters_one", "the_person_closes_theirs"),
)


@dataclass
class Posting:
    """What the model knows of a posting."""

    title: str
    deadline: datetime | None
    signature: str | None
    eligible: bool
    first_seen: datetime
    collected: bool = True
    status: str = "OPEN"
    reason: str | None = None
    misses: int = 0
    version: int = 0
    edits: int = 0

    def closes(self, reason: str | None) -> None:
        self.status, self.reason = "CLOSED", reason
        self.version += 1


class Postings(Machine):
    """One company-bound source whose list changes from day to day, and a person who has a say."""

    @initialize()
    def begin(self) -> None:
        self.source = self.run(add_source(self.db))
        (row,) = self.run(rows(self.db, job_sources))
        self.company = row["company_id"]
        self.auto_close, self.seeding = False, True
        self.postings: dict[str, Posting] = {}
        self.ids: dict[str, int] = {}

    @rule(what=st.sampled_from(STEPS), data=st.data())
    def step(self, what: str, data: st.DataObject) -> None:
        """One rule for all, as in the machine of the cycles."""
        getattr(self, what)(data)

    def time_passes(self, data: st.DataObject) -> None:
        self.clock.advance(timedelta(hours=data.draw(st.sampled_from([1, 12, 24, 24]))))

    def auto_close_is_switched(self, data: st.DataObject) -> None:
        self.auto_close = data.draw(st.sampled_from([True, True, False]))
        self.run(switch_flag(self.db, FlagKey.AUTO_CLOSE, self.auto_close))

    def the_source_is_seeded(self, _data: st.DataObject) -> None:
        self.seeding = False

    def a_list_is_read(self, data: st.DataObject) -> None:
        """Complete, so what it leaves out is missed; each posting with a deadline and evidence of edits, or without."""
        days = st.sampled_from([None, None, 0, 1, 2])
        shown = {
            key: (data.draw(days), data.draw(st.sampled_from(["1", "1", "2", None])), data.draw(st.booleans()))
            for key in sorted(data.draw(st.sets(st.sampled_from(IDS))))
        }
        raws = {key: self._raw(key, *values) for key, values in shown.items()}
        recorded, missed = self.run(transaction(self.db, self._record, raws))
        fresh = [key for key in raws if key not in self.postings]
        assert len(recorded.new_ids) == len(fresh)
        edited = [key for key, raw in raws.items() if key not in fresh and self._found(self.postings[key], raw)]
        assert len(recorded.changed_ids) == len(edited)
        for key in fresh:
            raw = raws[key]
            signature = None if raw.signature is None else raw.signature.value
            self.postings[key] = Posting(raw.title, raw.deadline_at, signature, not self.seeding, self.now)
        assert missed == self._missed(set(raws))

    def _raw(self, key: str, days: int | None, signature: str | None, renamed: bool) -> RawJobPosting:
        return RawJobPosting(
            source_job_id=key,
            title=f"서버 개발자 {key}" if renamed else f"백엔드 개발자 {key}",
            posting_url=f"https://a.example/{key}",
            deadline_at=None if days is None else self.now + timedelta(days=days),
            signature=None if signature is None else ChangeSignature(kind=ChangeSignalKind.FIELD_HASH, value=signature),
        )

    async def _record(self, tx: Tx, raws: dict[str, RawJobPosting]) -> tuple[Recorded, tuple[int, int]]:
        recording = Recording(
            job_source_id=self.source,
            company_ids={},
            default_company_id=self.company,
            company_names={self.company: "당근마켓"},
            seeding=self.seeding,
        )
        now = await tx.now()
        recorded = await record_observed(tx, recording, [Observed(raw=raw) for raw in raws.values()], now)
        missed: Missed = await record_missed(tx, self.source, set(raws), now, auto_close=self.auto_close)
        return recorded, (missed.missed, len(missed.closed_ids))

    def _found(self, known: Posting, raw: RawJobPosting) -> bool:
        """FR-12, FR-16: the site's evidence tells edits, without any title and deadline do; whether it was edited."""
        fresh = None if raw.signature is None else raw.signature.value
        if fresh is None:
            edited = (known.title, known.deadline) != (raw.title, raw.deadline_at)
        else:
            edited = known.signature is not None and known.signature != fresh
        ahead = raw.deadline_at is None or raw.deadline_at > self.now
        reopens = known.status == "CLOSED" and (known.reason != "DEADLINE_PASSED" or ahead)
        differs = (known.title, known.deadline) != (raw.title, raw.deadline_at)
        known.version += edited or reopens or differs or (fresh is not None and fresh != known.signature)
        known.title, known.deadline, known.misses = raw.title, raw.deadline_at, 0
        known.signature = fresh or known.signature
        known.edits += edited
        if reopens:
            known.status, known.reason = "OPEN", None
        return edited

    def _missed(self, shown: set[str]) -> tuple[int, int]:
        """FR-14: two complete lists in a row without it, and it closes; what a person entered is never missed."""
        missed = closed = 0
        for key, posting in self.postings.items():
            if posting.collected and posting.status == "OPEN" and key not in shown:
                posting.misses += 1
                missed += 1
                if self.auto_close and posting.misses >= 2:
                    posting.closes("NOT_FOUND_TWICE")
                    closed += 1
        return missed, closed

    def a_night_passes(self, _data: st.DataObject) -> None:
        """FR-17: at 00:30 what has a deadline before now closes; nothing while auto-close is off."""
        passed = [
            posting
            for posting in self.postings.values()
            if posting.status == "OPEN" and posting.deadline is not None and posting.deadline < self.now
        ]
        assert self.run(close_passed_deadlines(self.db)) == (len(passed) if self.auto_close else None)
        for posting in passed if self.auto_close else ():
            posting.closes("DEADLINE_PASSED")

    # --- the person

    def _edit(self, key: str, posting: Posting, edit: PostingEdit, data: st.DataObject) -> str:
        behind = data.draw(st.sampled_from([None, 0, 0, 1]))
        expected = None if behind is None else [posting.version - behind]
        try:
            self.run(edit_posting(self.db, self.ids[key], edit, expected=expected))
        except PostingOvertaken:
            assert behind == 1
            return "OVERTAKEN"
        except EditRefused as refused:
            return str(refused.refusal)
        assert behind != 1
        return "DONE"

    def the_person_opens_one_again(self, data: st.DataObject) -> None:
        """Seed 001, 데이터 롤백; FR-20."""
        closed = [key for key, posting in self.postings.items() if posting.status == "CLOSED"]
        if not closed:
            return
        key = data.draw(st.sampled_from(closed))
        posting = self.postings[key]
        done = self._edit(key, posting, {"posting_status": PostingStatus.OPEN}, data)
        if done == "DONE":
            assert posting.deadline is None or posting.deadline > self.now
            posting.status, posting.reason, posting.misses = "OPEN", None, 0
            posting.version += 1
        elif done != "OVERTAKEN":
            assert done == EditRefusal.DEADLINE_PASSED
            assert posting.deadline is not None
            assert posting.deadline <= self.now

    def the_person_enters_one(self, data: st.DataObject) -> None:
        if "BY HAND" in self.postings:
            return
        deadline = data.draw(st.sampled_from([None, self.now + timedelta(days=1), self.now - timedelta(days=1)]))
        entered = register_manual(self.db, self.company, "직접 찾은 공고", "https://b.example/1", deadline)
        self.ids["BY HAND"] = self.run(entered)
        self.postings["BY HAND"] = Posting("직접 찾은 공고", deadline, None, False, self.now, collected=False)

    def the_person_closes_theirs(self, data: st.DataObject) -> None:
        for key, posting in self.postings.items():
            if posting.status == "OPEN" and (not posting.collected or data.draw(st.integers(0, 3)) == 0):
                done = self._edit(key, posting, {"posting_status": PostingStatus.CLOSED}, data)
                if done == "DONE":
                    assert not posting.collected, "what the site says is the site's"
                    posting.closes(None)
                else:
                    assert done == "OVERTAKEN" or (posting.collected and done == EditRefusal.COLLECTED)

    # --- what must be there

    @invariant()
    def postings_are_as_the_model_has_them(self) -> None:
        stored = {each["source_job_id"] or "BY HAND": each for each in self.run(rows(self.db, job_postings))}
        self.ids = {key: each["id"] for key, each in stored.items()}
        assert set(stored) == set(self.postings)
        for key, posting in self.postings.items():
            each = stored[key]
            assert (each["posting_status"], each["closed_reason"], each["closed_at"] is not None) == (
                posting.status,
                posting.reason,
                posting.status == "CLOSED",
            )
            assert (each["consecutive_miss_count"], each["version"]) == (posting.misses, posting.version)
            assert (each["title"], each["deadline_at"]) == (posting.title, posting.deadline)
            assert each["change_signal_value"] == posting.signature
            assert (each["changed_at"] is not None) is (posting.edits > 0)
            assert (bool(each["notification_eligible"]), each["first_seen_at"]) == (
                posting.eligible,
                posting.first_seen,
            )


def test_postings_do_what_the_model_does(template: Path) -> None:
    """Seed 001, 상태 전이 표 JobPosting; FR-10 to FR-20."""
    assert run_machine(Postings, template, examples=15, steps=40)
