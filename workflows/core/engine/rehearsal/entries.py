"""One program, begun at every entry of its graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.engine.effects import Effect
from workflows.core.engine.program import CannotRun, Heard, Outcome, Program
from workflows.core.engine.run import Position, Run
from workflows.core.engine.signals import Signal
from workflows.core.pack.graph import Graph


class _From:
    """A program that begins at another entry. Everything else is the program's own."""

    def __init__(self, program: Program, entry: str) -> None:
        self._program = program
        self._entry = entry
        self.budget = program.budget

    def __getattr__(self, name: str) -> Any:
        return getattr(self._program, name)

    def start(self, run: Run) -> tuple[str, ...]:
        self._program.start(run)
        return (self._entry,)

    def ask(self, run: Run, position: Position, key: str) -> Outcome:
        return self._program.ask(run, position, key)

    def answer(self, run: Run, position: Position, effect: Effect, signal: Signal) -> Outcome:
        return self._program.answer(run, position, effect, signal)

    def fire(self, run: Run, position: Position, event: str) -> Outcome | Heard | None:
        return self._program.fire(run, position, event)


def begun_at(program: Program, state: str) -> Program:
    """The same program, which begins at this state."""
    return _From(program, state)


def starts(program: Program, graph: Graph, inputs: Mapping[str, str]) -> list[Program]:
    """The program, and the same program from every entry that it does not begin at itself."""
    try:
        own = program.start(Run(inputs=inputs))
    except CannotRun:
        return [program]
    known = {state.id for state in graph.states if not state.stateless}
    others = dict.fromkeys(entry.state for entry in graph.entries if entry.state in known)
    return [program, *(_From(program, entry) for entry in others if entry not in own)]
