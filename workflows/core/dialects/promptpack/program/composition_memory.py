"""The recorded state of a composition, in the run's memory.

Steps of one composition can run at several positions at once, so their results are stored for the
whole run, under the id of the position that started the composition.
"""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.references import scope_of
from workflows.core.dialects.promptpack.program.step_order import StepResults, outputs
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position, RunState


def root_of(position: Position) -> str:
    """The id of the position that started the composition."""
    return position.id.partition(".")[0]


def step_key(root: str, plan: Plan, step: Step | str) -> str:
    """The key of a step's result in the run's memory."""
    return f"{root}:{plan.name}/{step if isinstance(step, str) else step.id}"


def memory_at_start(root: str, plan: Plan, value: Any) -> dict[str, Any]:
    """The memory of a composition that has just started. Results of an earlier execution are
    cleared."""
    fresh: dict[str, Any] = {step_key(root, plan, step): None for step in plan.steps_by_id.values()}
    return {**fresh, _input_key(root, plan): {"input": value}, _output_key(root, plan): None}


def memory_at_end(root: str, plan: Plan, output: Any) -> dict[str, Any]:
    """The memory of a finished composition."""
    return {_output_key(root, plan): {"output": output}}


def output_of(run: RunState, root: str, plan: Plan) -> Any:
    """The output of the composition, None before it has finished."""
    return (run.memory.get(_output_key(root, plan)) or {}).get("output")


def _input_key(root: str, plan: Plan) -> str:
    return f"{root}:{plan.name}"


def _output_key(root: str, plan: Plan) -> str:
    return f"{root}=:{plan.name}"


def input_of(run: RunState, root: str, plan: Plan) -> Any:
    """The input of the composition, None if it has none."""
    return (run.memory.get(_input_key(root, plan)) or {}).get("input")


def step_results(run: RunState, root: str, plan: Plan) -> StepResults:
    """The results of all finished steps, by id."""
    results: dict[str, Object] = {}
    for step in plan.steps_by_id.values():
        note = run.memory.get(step_key(root, plan, step))
        if note:
            results[step.id] = note
    return results


def scope_at(run: RunState, root: str, plan: Plan) -> dict[str, Any]:
    """The current values for references of this composition."""
    return scope_of(input_of(run, root, plan), outputs(plan, step_results(run, root, plan)))


def step_entered(plan: Plan, step: Step, **more: Any) -> Draft:
    """The event for the start of a step."""
    fields = {"step": plan.state_id(step), "kind": step.kind, **more}
    return Draft(type="promptpack.step.entered", fields=fields)


def step_left(root: str, plan: Plan, step: Step, note: Object) -> Draft:
    """The event for a finished or skipped step, with its result."""
    fields = {"step": plan.state_id(step), "kind": step.kind, **note}
    kept = {step_key(root, plan, step): dict(note)}
    return Draft(type="promptpack.step.left", fields={**fields, "run_memory": kept})
