"""One program, started at each entry of its graph."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.core.engine.program import CannotRun, Program, ProgramWrapper
from workflows.core.engine.run import RunState
from workflows.core.pack.graph import Graph


class _FromEntry(ProgramWrapper):
    """A program that starts at another entry."""

    def __init__(self, program: Program, entry: str) -> None:
        super().__init__(program)
        self._entry = entry

    def start(self, run: RunState) -> tuple[str, ...]:
        self._program.start(run)
        return (self._entry,)


def program_from(program: Program, state: str) -> Program:
    """The same program, started at this state."""
    return _FromEntry(program, state)


def programs_by_entry(program: Program, graph: Graph, inputs: Mapping[str, str]) -> list[Program]:
    """The program, and the same program from every entry at which it does not start itself."""
    try:
        own = program.start(RunState(inputs=inputs))
    except CannotRun:
        return [program]
    state_ids = {state.id for state in graph.states if not state.stateless}
    others = dict.fromkeys(entry.state for entry in graph.entries if entry.state in state_ids)
    return [program, *(_FromEntry(program, entry) for entry in others if entry not in own)]
