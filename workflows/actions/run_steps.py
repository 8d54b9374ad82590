"""Steps of a run whose log is already in memory: no reads, one transaction of few statements."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from workflows.actions import approvals, run_log
from workflows.actions.run_log import Log, StaleLog
from workflows.actions.run_programs import budget_of, program_of
from workflows.actions.runs import ProgramBroke
from workflows.core.engine.events import Event
from workflows.core.engine.signals import Signal
from workflows.core.engine.transition import advance


class Steps:
    """Answers in sequence, and one commit for all of them: the branches of a fork cost one, not one
    each. `bench.steps` measures it.

    The caller's log may be stale: `commit` then raises StaleLog, nothing is written, and the caller
    reads the log again.
    """

    def __init__(self, log: Log) -> None:
        self._before = log
        self._events: list[Event] = []
        self._program, self._budget = program_of(log.row), budget_of(log.row)
        self.log = log
        """The log as it will be after the commit. Its row changes with the commit."""

    def take(self, answer: Signal) -> bool:
        """Pass on the answer to an effect; False if it changes nothing. Raises ProgramBroke as
        `runs.deliver` does, once the answers before it are stored."""
        try:
            events, run = advance(self._program, self.log.run, answer, budget=self._budget)
        except MemoryError:
            raise
        except Exception as bug:
            self.commit()
            raise ProgramBroke(f"{type(bug).__name__}: {bug}") from bug
        self._events += events
        if events:
            self.log = Log(row=self.log.row, run=run)
        return bool(events)

    def commit(self) -> Log:
        """Store what the answers changed. Returns the new log, or the same one if that is
        nothing."""
        if not self._events:
            return self._before
        events, run = tuple(self._events), self.log.run
        after = run_log.kept(self._before, events, run=run)
        if after is not None:
            return after
        with transaction.atomic():
            return run_log.go_on(self._before, events, run=run)

    @property
    def concern_people(self) -> bool:
        """Return True if the steps ask a person or answer one: each question is stored."""
        return approvals.concern(self.log.row, self._before.run, self.log.run)

    @property
    def changes(self) -> run_log.Step | None:
        """The step that `commit` would store; None without one."""
        if not self._events:
            return None
        return run_log.Step(log=self._before, events=tuple(self._events), run=self.log.run)


def commit_together(steps: Sequence[Steps]) -> list[Log | None]:
    """Store the steps of different runs, with one commit where that is possible. None for a run
    whose caller's log is stale."""
    changes = [one.changes for one in steps]
    kept = iter(run_log.kept_together([change for change in changes if change]))
    logs = [next(kept) if change else None for change in changes]
    return [log or _committed(one) for log, one in zip(logs, steps, strict=True)]


def _committed(steps: Steps) -> Log | None:
    try:
        return steps.commit()
    except StaleLog:
        return None


def step(log: Log, *answers: Signal) -> Log:
    """The log after these answers, stored together. Raises StaleLog and ProgramBroke."""
    steps = Steps(log)
    for answer in answers:
        steps.take(answer)
    return steps.commit()
