"""What a run of a composition has written down: in the run's memory, by the place it runs at.

Steps of one composition may be at several positions at once, so what they come to is kept for the
whole run, under the position that the composition was begun at.
"""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.references import scope_of
from workflows.core.dialects.promptpack.program.step_order import Notes, outputs
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position, RunState


def root_of(position: Position) -> str:
    """The position that the composition was begun at."""
    return position.id.partition(".")[0]


def key_of(root: str, plan: Plan, step: Step | str) -> str:
    """Where the run's memory has what a step came to."""
    return f"{root}:{plan.name}/{step if isinstance(step, str) else step.id}"


def begun(root: str, plan: Plan, given: Any) -> dict[str, Any]:
    """The memory of a composition that has just begun: nothing of an earlier time is left."""
    fresh: dict[str, Any] = {key_of(root, plan, step): None for step in plan.every.values()}
    return {**fresh, _in(root, plan): {"input": given}, _out(root, plan): None}


def came_to(root: str, plan: Plan, output: Any) -> dict[str, Any]:
    """The memory of a composition that is over."""
    return {_out(root, plan): {"output": output}}


def output_of(run: RunState, root: str, plan: Plan) -> Any:
    """What the composition came to, None before it has."""
    return (run.memory.get(_out(root, plan)) or {}).get("output")


def _in(root: str, plan: Plan) -> str:
    return f"{root}:{plan.name}"


def _out(root: str, plan: Plan) -> str:
    return f"{root}=:{plan.name}"


def given_to(run: RunState, root: str, plan: Plan) -> Any:
    """The input of the composition, None where nobody gave one."""
    return (run.memory.get(_in(root, plan)) or {}).get("input")


def notes_of(run: RunState, root: str, plan: Plan) -> Notes:
    """What became of every step so far, by its id."""
    found: dict[str, Object] = {}
    for step in plan.every.values():
        note = run.memory.get(key_of(root, plan, step))
        if note:
            found[step.id] = note
    return found


def scope_at(run: RunState, root: str, plan: Plan) -> dict[str, Any]:
    """What references of this composition are looked up in now."""
    return scope_of(given_to(run, root, plan), outputs(plan, notes_of(run, root, plan)))


def entered(plan: Plan, step: Step, **more: Any) -> Draft:
    """A step begins."""
    fields = {"step": plan.state_of(step), "kind": step.kind, **more}
    return Draft(type="promptpack.step.entered", fields=fields)


def left(root: str, plan: Plan, step: Step, note: Object) -> Draft:
    """A step is over, or was left out; its note is kept."""
    fields = {"step": plan.state_of(step), "kind": step.kind, **note}
    kept = {key_of(root, plan, step): dict(note)}
    return Draft(type="promptpack.step.left", fields={**fields, "run_memory": kept})
