"""What the machines share: a database of their own for each example, a clock by hand, and how long they run."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
from collections.abc import Coroutine
from datetime import date, datetime
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from daemon.clock import ManualClock, kst
from daemon.db import Database, open_database

T = TypeVar("T")

FIRST_DAY = date(2026, 12, 1)
START = kst(FIRST_DAY, 0, 10)

_EXAMPLES = "GONGGO_TEST_MODEL_EXAMPLES"


class Machine(RuleBasedStateMachine):
    """One example's world: an empty SQLite database, ten past midnight in Korea."""

    template: ClassVar[Path]
    lives: ClassVar[int] = 0
    """Examples begun."""
    _numbers = itertools.count()

    def __init__(self) -> None:
        super().__init__()
        type(self).lives += 1
        self.runner = asyncio.Runner()
        self.clock = ManualClock(START)
        self.path = self.template.with_suffix(f".{next(self._numbers)}")
        shutil.copyfile(self.template, self.path)
        self.db: Database = self.run(self._opened())

    async def _opened(self) -> Database:
        return open_database(f"sqlite:///{self.path}", self.clock)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do it now."""
        return self.runner.run(work)

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def teardown(self) -> None:
        self.run(self.db.close())
        self.runner.close()
        for path in self.path.parent.glob(f"{self.path.name}*"):
            path.unlink()


def run_machine(machine: type[Machine], empty: Path, *, examples: int, steps: int) -> bool:
    """Let hypothesis drive a machine, each example on a copy of the `empty` SQLite database; whether it ran them."""
    copying = cast(type[Machine], type(machine.__name__, (machine,), {"template": empty, "lives": 0}))
    run_state_machine_as_test(copying, settings=chosen(examples, steps))
    return copying.lives >= examples


def chosen(examples: int, steps: int) -> settings:
    """So many examples of so many steps, the same each time; more and others where the environment asks for more."""
    wanted = os.environ.get(_EXAMPLES)
    return settings(
        max_examples=int(wanted or examples),
        stateful_step_count=steps,
        derandomize=wanted is None,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
