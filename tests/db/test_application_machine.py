"""The life of an application against a model of a few lines: whatever is asked, in whatever order (hypothesis)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from daemon.application.actions import add_interview, apply_for_posting, edit_interview, transit_application
from daemon.application.model import (
    ApplicationExists,
    ApplicationOvertaken,
    ApplicationStatus,
    InterviewChanges,
    InterviewOvertaken,
    InterviewResult,
    RoundExists,
    TransitionRefused,
)
from daemon.clock import KST, ManualClock
from daemon.db import Database, open_database
from daemon.operations.applications.actions import show_application
from tests.databases import url_of
from tests.db.applied import some_posting

WAYS = {
    "APPLIED": {"DOCUMENT_SCREENING", "REJECTED", "WITHDRAWN"},
    "DOCUMENT_SCREENING": {"INTERVIEWING", "REJECTED", "WITHDRAWN"},
    "INTERVIEWING": {"OFFERED", "REJECTED", "WITHDRAWN"},
    "OFFERED": {"ACCEPTED", "OFFER_DECLINED"},
}
"""The table of seed 001 once more, in words of its own."""

NOTES = st.sampled_from([None, "메모", "두 줄\n메모"])
START = datetime(2026, 12, 1, tzinfo=KST)


@dataclass
class Round:
    """What the model knows of an interview."""

    id: int
    values: tuple[str, datetime | None, InterviewResult | None, str | None]
    version: int = 0


@dataclass
class Life:
    """What the model knows of an application."""

    id: int
    posting: int
    steps: list[tuple[str | None, str, datetime, str | None]]
    rounds: dict[int, Round] = field(default_factory=dict)

    @property
    def status(self) -> str:
        return self.steps[-1][1]


class Applications(RuleBasedStateMachine):
    """One application and all that can be asked of it."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = ManualClock(START)
        self.db: Database = self.runner.run(self._opened())
        self.posting = self.runner.run(some_posting(self.db))
        self.life: Life | None = None

    async def _opened(self) -> Database:
        return open_database(self.url, self.clock)

    @rule(hours=st.integers(1, 48))
    def time_passes(self, hours: int) -> None:
        self.clock.advance(timedelta(hours=hours))

    @rule(note=NOTES)
    def apply(self, note: str | None) -> None:
        if self.life is not None:
            with pytest.raises(ApplicationExists) as refused:
                self.runner.run(apply_for_posting(self.db, self.posting, None, note))
            assert refused.value.application.id == self.life.id
            return
        made = self.runner.run(apply_for_posting(self.db, self.posting, None, note))
        self.life = Life(made.id, self.posting, [(None, "APPLIED", self.clock.now(), note)])

    @precondition(lambda self: self.life is not None)
    @rule(wanted=st.sampled_from(ApplicationStatus), note=NOTES, behind=st.sampled_from([None, 0, 0, 1]))
    def move(self, wanted: ApplicationStatus, note: str | None, behind: int | None) -> None:
        life = self._life()
        version = len(life.steps) - 1
        expected = None if behind is None else [version - behind]
        try:
            self.runner.run(transit_application(self.db, life.id, wanted, note, expected=expected))
        except ApplicationOvertaken:
            assert behind == 1
        except TransitionRefused:
            assert behind != 1
            assert wanted not in WAYS.get(life.status, ())
        else:
            assert behind != 1
            assert wanted in WAYS[life.status]
            life.steps.append((life.status, wanted.value, self.clock.now(), note))

    @precondition(lambda self: self.life is not None)
    @rule(number=st.integers(1, 3), dated=st.booleans())
    def interview(self, number: int, dated: bool) -> None:
        life = self._life()
        at = self.clock.now() + timedelta(days=3) if dated else None
        asked = add_interview(self.db, life.id, number, f"{number}차", at)
        if number in life.rounds:
            with pytest.raises(RoundExists) as refused:
                self.runner.run(asked)
            assert refused.value.interview.interview_id == life.rounds[number].id
            return
        life.rounds[number] = Round(self.runner.run(asked).interview_id, (f"{number}차", at, None, None))

    @precondition(lambda self: self.life is not None and self.life.rounds)
    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        life = self._life()
        known = life.rounds[data.draw(st.sampled_from(sorted(life.rounds)))]
        given = data.draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "label": st.sampled_from(["임원면접", "과제"]),
                    "scheduled_at": st.sampled_from([None, START + timedelta(days=30)]),
                    "interview_result": st.sampled_from([None, *InterviewResult]),
                    "memo": NOTES,
                },
            )
        )
        stale = data.draw(st.booleans())
        changes = InterviewChanges(**given)  # type: ignore[typeddict-item]  # drawn by name
        expected = [known.version - 1] if stale else [known.version]
        names = ("label", "scheduled_at", "interview_result", "memo")
        after = tuple(given.get(name, old) for name, old in zip(names, known.values, strict=True))
        try:
            self.runner.run(edit_interview(self.db, life.id, known.id, changes, expected=expected))
        except InterviewOvertaken:
            assert stale
        else:
            assert not stale
            known.version += after != known.values
            known.values = after  # type: ignore[assignment]  # zipped from the same names

    @invariant()
    def shows_what_the_model_knows(self) -> None:
        if self.life is None:
            return
        life = self.life
        shown = self.runner.run(show_application(self.db, life.id))
        assert (shown.job_posting_id, shown.current_status, shown.version) == (
            life.posting,
            life.status,
            len(life.steps) - 1,
        )
        steps = [(one.previous_status, one.next_status, one.transited_at, one.memo) for one in shown.status_histories]
        assert steps == life.steps
        assert (shown.applied_at, shown.last_transited_at) == (life.steps[0][2], life.steps[-1][2])
        assert shown.rejected_at_stage == (life.steps[-1][0] if life.status == "REJECTED" else None)
        assert set(shown.allowed_next_statuses) == WAYS.get(life.status, set())
        assert [one.round_number for one in shown.interviews] == sorted(life.rounds)
        for one in shown.interviews:
            known = life.rounds[one.round_number]
            assert (one.interview_id, one.version) == (known.id, known.version)
            assert (one.label, one.scheduled_at, one.interview_result, one.memo) == known.values

    def teardown(self) -> None:
        self.runner.run(self.db.close())
        self.runner.close()

    def _life(self) -> Life:
        assert self.life is not None
        return self.life


def test_an_application_does_what_the_model_does(db: Database, engine: str) -> None:
    """Seed 001, 상태 전이 표 Application and 생성 이력 규칙."""

    class OnThisEngine(Applications):
        url = url_of(db)

    examples = settings(
        max_examples=15 if engine == "sqlite" else 6,
        stateful_step_count=20,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(OnThisEngine, settings=examples)
    assert Applications.url == "", "the machine of one engine leaves the others alone"
