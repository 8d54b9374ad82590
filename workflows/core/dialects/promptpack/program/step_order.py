"""Which step of a composition is next, which are left out, and what it comes to (section 5.4).

`notes` say what became of each step so far, by its id: `status` (done, skipped or failed), the
`output` of a step that has one, `taken` (then, else or "") and `to` of a branch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, as_str
from workflows.core.dialects.promptpack.program.composition_plan import (
    BRANCH_STEP_KINDS,
    Plan,
    Step,
)

StepResults = Mapping[str, Object]
SKIPPED: Object = {"status": "skipped"}


class NoResult(Exception):
    """The composition has run and has nothing to give back."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def next_step(plan: Plan, after: str, notes: StepResults) -> tuple[Step | None, tuple[Step, ...]]:
    """The step that runs next, and the steps that are skipped because all they depend on was.

    Steps run in the order they stand in; "" is before the first one. `depends_on` changes nothing
    about that order.
    """
    passed = [step.id for step in plan.steps]
    start = passed.index(after) + 1 if after else 0
    skipped: list[Step] = []
    out = {id for id, note in notes.items() if note.get("status") == "skipped"}
    for step in plan.steps[start:]:
        if step.id in out:
            continue
        if step.depends_on and out.issuperset(step.depends_on):
            out.add(step.id)
            skipped.append(step)
            continue
        return step, tuple(skipped)
    return None, tuple(skipped)


def branch_result(step: Step, held: bool) -> tuple[Object, str]:
    """What a branch step notes, and the id of the step that it leaves out ("" for none)."""
    then, other = as_str(step.body.get("then")), as_str(step.body.get("else"))
    taken = "then" if held else "else" if other else ""
    note = {"status": "done", "taken": taken, "to": {"then": then, "else": other, "": ""}[taken]}
    left_out = other if held else then
    return note, left_out if left_out != note["to"] else ""


def merge_branches(step: Step, notes: StepResults) -> Any:
    """What the branches of a parallel step come to. Raises NoResult for an unknown strategy."""
    reduce = step.body.get("reduce")
    reduce = reduce if isinstance(reduce, dict) else {}
    outputs = {branch.id: notes[branch.id].get("output") for branch in step.branches}
    values: dict[str, Any] = {
        "append": list(outputs.values()),
        "replace": list(outputs.values())[-1] if outputs else None,
        "barrier": outputs,
    }
    strategy = as_str(reduce.get("strategy"))
    if strategy not in values:
        raise NoResult(f'reduce.strategy "{strategy}" is not valid (append|replace|barrier)')
    return {as_str(reduce.get("into")): values[strategy]}


def outputs(plan: Plan, notes: StepResults) -> dict[str, Any]:
    """What references may be about: the outputs of the steps that stand in the list itself."""
    return {
        step.id: notes[step.id].get("output")
        for step in plan.steps
        if step.kind in (*BRANCH_STEP_KINDS, "parallel")
        and notes.get(step.id, {}).get("status") == "done"
    }


def result(plan: Plan, notes: StepResults) -> Any:
    """What the whole composition comes to: the output of the step it names, else of the last step
    that ran and has one. Raises NoResult."""
    found = outputs(plan, notes)
    if plan.output:
        if plan.output not in found:
            why = _no_output_reason(plan, notes)
            raise NoResult(f'output step "{plan.output}" produced no bindable output ({why})')
        return found[plan.output]
    if not found:
        raise NoResult("composition produced no output")
    return list(found.values())[-1]


def _no_output_reason(plan: Plan, notes: StepResults) -> str:
    step = plan.steps_by_id.get(plan.output)
    if step is None:
        return "there is no such step"
    if step.kind == "branch":
        return "a branch step has none"
    return "only its parallel step has one" if step.within else "it was skipped"
