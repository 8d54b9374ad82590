"""Check of arguments before a call: the model gets the reason, and the tool is not called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.checks import each_row
from workflows.core.engine.effects import AskModel, CallTool, Effect
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import Ask, Budget, End, Outcome, Program
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal, Start, ToolDone
from workflows.core.engine.transition import transition
from workflows.core.tools.arguments import argument_problem
from workflows.core.tools.standard import STANDARD

READ = STANDARD["Read"].parameters


@each_row(
    [
        ({"file_path": "a.md"}, ""),
        ({"file_path": "a.md", "offset": 2}, ""),
        ({}, '"file_path" is a required property'),
        ({"file_path": 3}, "/file_path: 3 is not of type"),
        ({"file_path": "a.md", "path": "b.md"}, "'path' was unexpected"),
        ({"file_path": "a.md", "offset": -1}, "/offset: -1 is less than the minimum of 0"),
    ]
)
def test_the_problem_names_the_argument(arguments: dict[str, Any], said: str) -> None:
    problem = argument_problem("Read", READ, arguments)
    assert (said in problem) if said else problem == ""


@each_row([{"type": "nonsense"}, {"$ref": "https://example.com/schema"}, {"properties": 3}])
def test_parameters_that_are_no_schema_check_nothing(parameters: dict[str, Any]) -> None:
    assert argument_problem("odd", parameters, {"a": 1}) == ""


def test_a_long_problem_is_cut() -> None:
    assert len(argument_problem("Read", READ, {"file_path": ["x" * 9_000]})) < 500


class OneCall(Program):
    """Asks the model once, makes its call, and ends with the result for the model."""

    def __init__(self, *, checks: bool) -> None:
        self._checks = checks

    @property
    def budget(self) -> Budget:
        return Budget()

    @property
    def tool_parameters(self) -> Mapping[str, Mapping[str, Any]]:
        return {"Read": READ} if self._checks else {}

    def start(self, run: RunState) -> tuple[str, ...]:
        return ("a",)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        return Outcome(next=Ask(effect=AskModel(key=key, position="0", state="a", system="")))

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        if isinstance(signal, Reply):
            arguments = signal.structured or {}
            call = CallTool(key="", position="", state="", name="Read", arguments=arguments)
            return Outcome(next=Ask(effect=call))
        assert isinstance(signal, ToolDone)
        return Outcome(next=End(status="completed", reason=signal.error or signal.result))


def played(program: Program, arguments: dict[str, Any]) -> tuple[RunState, list[str]]:
    run, types = RunState(), list[str]()
    for signal in (Start(at=1.0), Reply(at=2.0, key="0:1", structured=arguments)):
        key = next((effect.key for effect in pending_effects(run)), "")
        if isinstance(signal, Reply):
            signal = Reply(at=2.0, key=key, structured=arguments)
        events, _ = transition(program, run, signal)
        types += [event.type for event in events]
        run = fold_all(events, run)
    return run, types


def test_a_call_that_does_not_fit_is_not_made() -> None:
    run, types = played(OneCall(checks=True), {"path": "a.md"})
    assert "tool.asked" not in types
    assert types[-2:] == ["tool.refused", "run.finished"]
    assert "so it was not called" in run.reason


def test_a_call_that_fits_is_made() -> None:
    run, types = played(OneCall(checks=True), {"file_path": "a.md"})
    assert types[-1] == "tool.asked"
    assert run.status == "running"


def test_calls_of_older_runs_are_not_checked() -> None:
    _, types = played(OneCall(checks=False), {"path": "a.md"})
    assert types[-1] == "tool.asked"
