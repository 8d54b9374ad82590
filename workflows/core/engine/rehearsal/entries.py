"""One program, started at each entry of its graph and with each choice of its start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.core.engine.program import CannotRun, Program, ProgramWrapper
from workflows.core.engine.run import RunState
from workflows.core.engine.run_options import RunOption
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsedStart:
    """A program and the inputs with which it is started."""

    program: Program
    inputs: Mapping[str, str]


def starts_of(
    program: Program, graph: Graph, inputs: Mapping[str, str], given: Mapping[str, str]
) -> list[RehearsedStart]:
    """The program, and the same program from every entry at which it does not start itself and with
    every other value of a choice that its start requires. `given`: the inputs that a person chose,
    which stay."""
    starts = [
        RehearsedStart(program=one, inputs=inputs)
        for one in _programs_by_entry(program, graph, inputs)
    ]
    for option in open_choices(program, given):
        others = [value for value in option.values if value != inputs.get(option.name)]
        starts += [
            RehearsedStart(program=program, inputs={**inputs, option.name: value})
            for value in others
        ]
    return starts


def open_choices(program: Program, given: Mapping[str, str]) -> list[RunOption]:
    """The choices that a start requires and that are not in `given`."""
    return [one for one in program.options if one.required and one.name not in given]


def _programs_by_entry(program: Program, graph: Graph, inputs: Mapping[str, str]) -> list[Program]:
    """The program, and the same program from every entry at which it does not start itself."""
    try:
        own = program.start(RunState(inputs=inputs))
    except CannotRun:
        return [program]
    state_ids = {state.id for state in graph.states if not state.stateless}
    others = dict.fromkeys(entry.state for entry in graph.entries if entry.state in state_ids)
    return [program, *(_FromEntry(program, entry) for entry in others if entry not in own)]
