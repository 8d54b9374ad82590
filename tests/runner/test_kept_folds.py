"""Folds that are kept in memory between two looks at a run."""

from __future__ import annotations

from uuid import uuid4

from tests.runner.conftest import Begin
from tests.runner.test_runs import LOOP, reply
from workflows.actions import run_log, runs
from workflows.actions.run_log import Folds
from workflows.core.engine.run import RunState
from workflows.models import Run


def test_a_kept_fold_that_is_newer_than_the_row_is_not_used(begin: Begin) -> None:
    run = begin(LOOP)
    early = Run.objects.select_related("pack").get(pk=run.pk)
    before = run_log.folded(early)
    runs.deliver(run.pk, reply(run, "stay"))
    assert runs.work_of(run.pk).run.n > early.last
    assert run_log.folded(early) == before
    assert run_log.folded(early).n == early.last


def test_a_fold_is_found_up_to_its_own_number() -> None:
    folds, id = Folds(), uuid4()
    assert folds.get(id, 9) == RunState()
    folds.put(id, RunState(n=5))
    assert [folds.get(id, last).n for last in (4, 5, 6)] == [0, 5, 5]
    folds.put(id, RunState(n=3))
    assert folds.get(id, 6).n == 5, "the newest stays"


def test_the_least_recently_used_fold_is_evicted() -> None:
    folds, (one, two, three) = Folds(limit=2), (uuid4(), uuid4(), uuid4())
    folds.put(one, RunState(n=1))
    folds.put(two, RunState(n=2))
    folds.get(one, 1)
    folds.put(three, RunState(n=3))
    assert [folds.get(id, 9).n for id in (one, two, three)] == [1, 0, 3]
