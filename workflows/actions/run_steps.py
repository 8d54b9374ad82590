"""Steps of a run whose log is already in memory: no reads, one transaction of few statements."""

from __future__ import annotations

from django.db import transaction

from workflows.actions import run_log
from workflows.actions.run_log import Log
from workflows.actions.run_programs import budget_of, program_of
from workflows.actions.runs import ProgramBroke
from workflows.core.engine.signals import Signal
from workflows.core.engine.transition import advance


def step(log: Log, answer: Signal) -> Log:
    """Pass on the answer to an effect. Returns the new log, or the same one if nothing changed.

    `log` may be stale: if another writer appended to the run since, this raises StaleLog, nothing
    is written, and the caller reads the log again. Raises ProgramBroke as `runs.deliver` does.
    """
    program, budget = program_of(log.row), budget_of(log.row)
    try:
        events, run = advance(program, log.run, answer, budget=budget)
    except MemoryError:
        raise
    except Exception as bug:
        raise ProgramBroke(f"{type(bug).__name__}: {bug}") from bug
    if not events:
        return log
    after = run_log.kept(log, events, run=run)
    if after is not None:
        return after
    with transaction.atomic():
        return run_log.go_on(log, events, run=run)
