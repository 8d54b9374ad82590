"""The smaller of two budgets, limit by limit."""

from dataclasses import fields

import pytest

from tests.support.checks import each_row
from tests.support.state_machine import Machine
from workflows.core.engine.budget import exhausted, smaller
from workflows.core.engine.fold import fold_all
from workflows.core.engine.program import Budget
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Start, Usage
from workflows.core.engine.transition import transition

LIMITS = [field.name for field in fields(Budget)]
LOOP = {"start": {"model": {"stay": "start"}}}


@each_row(LIMITS)
def test_the_smaller_limit_applies_on_either_side(limit):
    small, large = Budget(**{limit: 2}), Budget(**{limit: 3})
    assert smaller(small, large) == smaller(large, small) == small
    assert smaller(small, Budget()) == smaller(Budget(), small) == small


def test_each_limit_is_compared_by_itself():
    one = Budget(**dict.fromkeys(LIMITS[::2], 1) | dict.fromkeys(LIMITS[1::2], 9))
    other = Budget(**dict.fromkeys(LIMITS[::2], 9) | dict.fromkeys(LIMITS[1::2], 1))
    assert smaller(one, other) == Budget(**dict.fromkeys(LIMITS, 1))


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"cost": 0.5}, "max_cost 0.75 reached limit 0.5"),
        ({"wall_seconds": 60}, "max_wall_time_sec 90 reached limit 60"),
        ({"tokens": 100}, "max_tokens 110 reached limit 100"),
    ],
)
@pytest.mark.parametrize("theirs", ["pack", "starter"])
def test_a_run_stops_at_the_tighter_of_the_packs_and_the_starters_limit(limits, reason, theirs):
    tight, loose = Budget(**limits), Budget(**dict.fromkeys(limits, 1000))
    pack, starter = (tight, loose) if theirs == "pack" else (loose, tight)
    program = Machine(table=LOOP, budget=pack)
    run = fold_all(transition(program, RunState(), Start(at=1.0), budget=starter)[0])
    (key,) = run.pending
    usage = Usage(input_tokens=100, output_tokens=10, cost=0.75)
    reply = Reply(at=91.0, key=key, structured={"go": "stay"}, usage=usage)
    run = fold_all(transition(program, run, reply, budget=starter)[0], run)
    assert (run.status, run.reason) == ("budget_exhausted", reason)
    assert exhausted(loose, run) == ""
