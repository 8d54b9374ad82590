"""Rehearsal of a stored pack within a time limit. Nothing is stored."""

from __future__ import annotations

import time
from typing import Any

from workflows.core.engine.effects import Effect
from workflows.core.engine.program import Heard, Outcome, Program
from workflows.core.engine.rehearsal.rehearse import Limits, Rehearsal, rehearse
from workflows.core.engine.run import Position, Run
from workflows.core.engine.signals import Signal
from workflows.errors import CannotStart
from workflows.models import Pack
from workflows.selectors.sources import view

SECONDS = 15.0
LIMITS = Limits(steps=2_000, total=20_000)


class _Timed:
    """A program that raises when its time is up, because the engine does not read a clock."""

    def __init__(self, program: Program, until: float) -> None:
        self._program = program
        self._until = until
        self.budget = program.budget

    def __getattr__(self, name: str) -> Any:
        return getattr(self._program, name)

    def start(self, run: Run) -> tuple[str, ...]:
        return self._program.start(run)

    def ask(self, run: Run, position: Position, key: str) -> Outcome:
        if time.monotonic() > self._until:
            raise CannotStart(
                f"The rehearsal took longer than {SECONDS:.0f} seconds.",
                hint="Ask for fewer runs.",
                where="runs",
            )
        return self._program.ask(run, position, key)

    def answer(self, run: Run, position: Position, effect: Effect, signal: Signal) -> Outcome:
        return self._program.answer(run, position, effect, signal)

    def fire(self, run: Run, position: Position, event: str) -> Outcome | Heard | None:
        return self._program.fire(run, position, event)


def rehearsed(pack: Pack, *, runs: int, seed: int) -> Rehearsal:
    """Rehearse a pack. Raises CannotRun or CannotStart if it cannot be rehearsed, or not in
    time."""
    seen = view(pack)
    program = seen.dialect.program(seen.source, pack.profile)
    timed = _Timed(program, time.monotonic() + SECONDS)
    return rehearse(timed, seen.graph, runs=runs, seed=seed, limits=LIMITS)
