"""Rehearsal of a stored pack within a time limit. Nothing is stored."""

from __future__ import annotations

import time

from workflows.core.engine.program import Outcome, Program, ProgramWrapper
from workflows.core.engine.rehearsal.rehearse import Limits, Rehearsal, rehearse
from workflows.core.engine.run import Position, RunState
from workflows.errors import CannotStart
from workflows.models import Pack
from workflows.selectors.sources import view

SECONDS = 15.0
LIMITS = Limits(steps=2_000, total=20_000)


class _TimeLimited(ProgramWrapper):
    """A program that raises when its time is up, because the engine does not read a clock."""

    def __init__(self, program: Program, until: float) -> None:
        super().__init__(program)
        self._until = until

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        if time.monotonic() > self._until:
            raise CannotStart(
                f"The rehearsal took longer than {SECONDS:.0f} seconds.",
                hint="Ask for fewer runs.",
                where="runs",
            )
        return super().ask(run, position, key)


def rehearsed(pack: Pack, *, runs: int, seed: int) -> Rehearsal:
    """Rehearse a pack. Raises CannotRun or CannotStart if it cannot be rehearsed, or not in
    time."""
    seen = view(pack)
    program = seen.dialect.program(seen.source, pack.profile)
    timed = _TimeLimited(program, time.monotonic() + SECONDS)
    return rehearse(timed, seen.graph, runs=runs, seed=seed, limits=LIMITS)
