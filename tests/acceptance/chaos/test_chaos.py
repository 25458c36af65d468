"""A short chaos: three days of everything, and checks that see what they are there for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.chaos.checks import CHECKS, findings
from tests.acceptance.chaos.damage import DAMAGES, copied
from tests.acceptance.chaos.play import play
from tests.acceptance.chaos.report import lines
from tests.acceptance.chaos.schedule import KILLS, ON_DATABASE, Options, schedule
from tests.servers import SERVERS, why_missing

SEED = 13
"""Its first day meets 09:00 at rest, its second one at work."""

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]


async def test_three_days_of_chaos_violate_nothing_and_every_kind_of_damage_to_what_they_leave_is_noticed(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    wanted = pytestconfig.getoption("--engines").split(",")
    engine = next((name for name in SERVERS if name in wanted and why_missing(name) is None), None)
    if engine is None:
        pytest.skip("needs a MySQL-family server of its own")
    outcome = await play(Options(days=3, seed=SEED, engine=engine, brief=True), tmp_path)
    assert outcome.violations == [], "\n".join(lines(outcome))
    assert outcome.days == 3
    assert outcome.kills >= 6
    assert sum(one.kind in ON_DATABASE for one in outcome.struck) >= 3
    assert outcome.messages > 0
    assert outcome.evidence is not None
    assert outcome.memory is not None
    assert findings(*copied(outcome.evidence, outcome.memory)) == []
    for name in CHECKS:
        evidence, memory = copied(outcome.evidence, outcome.memory)
        DAMAGES[name](evidence, memory)
        assert name in {each.check for each in findings(evidence, memory)}, f"not noticed: {name}"


def test_a_seed_is_a_schedule_and_thirty_days_of_it_are_hundreds_of_kills() -> None:
    options = Options(days=30, seed=7)
    plans = schedule(options)
    assert plans == schedule(options)
    assert plans[:3] == schedule(Options(days=3, seed=7))
    assert plans != schedule(Options(days=30, seed=8))
    faults = [fault for plan in plans for fault in (*plan.collecting, *plan.nine)]
    assert sum(fault.kind in KILLS for fault in faults) >= 300
    assert sum(fault.kind in ON_DATABASE for fault in faults) >= 50
    assert any(plan.late_after is not None for plan in plans)
