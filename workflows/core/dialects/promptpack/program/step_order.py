"""The order of a composition's steps, the steps that are skipped, and the result (section 5.4).

`notes` are the results of finished steps by id: `status` (done, skipped or failed), the `output` of
a step that has one, `taken` (then, else or "") and `to` of a branch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.composition_plan import (
    BRANCH_STEP_KINDS,
    Plan,
    Step,
)
from workflows.core.text.tolerant import as_object, as_str

StepResults = Mapping[str, Object]
SKIPPED: Object = {"status": "skipped"}


class NoResult(Exception):
    """The composition has finished without a result."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def next_step(plan: Plan, after: str, notes: StepResults) -> tuple[Step | None, tuple[Step, ...]]:
    """The next step, and the steps that are skipped because all their dependencies were.

    Steps run in list order; `after` is "" before the first one. `depends_on` does not change that
    order.
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
    """The result of a branch step, and the id of the step that it skips ("" for none)."""
    then, other = as_str(step.body.get("then")), as_str(step.body.get("else"))
    taken = "then" if held else "else" if other else ""
    note = {"status": "done", "taken": taken, "to": {"then": then, "else": other, "": ""}[taken]}
    left_out = other if held else then
    return note, left_out if left_out != note["to"] else ""


def merge_branches(step: Step, notes: StepResults) -> Any:
    """The combined output of a parallel step. Raises NoResult for an unknown strategy."""
    reduce = as_object(step.body.get("reduce"))
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
    """The outputs that references can read: those of the steps in the list itself."""
    return {
        step.id: notes[step.id].get("output")
        for step in plan.steps
        if step.kind in (*BRANCH_STEP_KINDS, "parallel")
        and notes.get(step.id, {}).get("status") == "done"
    }


def result(plan: Plan, notes: StepResults) -> Any:
    """The output of the composition: that of the step it names, else of the last finished step with
    an output. Raises NoResult."""
    values = outputs(plan, notes)
    if plan.output:
        if plan.output not in values:
            why = _no_output_reason(plan, notes)
            raise NoResult(f'output step "{plan.output}" produced no bindable output ({why})')
        return values[plan.output]
    if not values:
        raise NoResult("composition produced no output")
    return list(values.values())[-1]


def _no_output_reason(plan: Plan, notes: StepResults) -> str:
    step = plan.steps_by_id.get(plan.output)
    if step is None:
        return "the step does not exist"
    if step.kind == "branch":
        return "a branch step has no output"
    return "only its parallel step has an output" if step.within else "it was skipped"
