"""Sample answers of a step's model or tool, one for each outcome of a later branch step.

A rehearsal picks one of them; a script picks one by its label.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.format.parts import as_str
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.expected_values import (
    BranchAnswer,
    branch_answers,
    example,
    values_read,
)
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.engine.effects import Choice


def reply_choices(context: PackContext, plan: Plan, step: Step) -> tuple[Choice, ...]:
    """Model answers, one per outcome of the branch steps that read this step's output."""
    choices = []
    for answer in branch_answers(plan, reference_path(plan, step)):
        if step.structured or isinstance(answer.value, str):
            reply = {"structured" if step.structured else "text": answer.value}
            choices.append(choice_for(context, plan, answer, reply))
    return tuple(choices)


def result_choices(context: PackContext, plan: Plan, step: Step) -> tuple[Choice, ...]:
    """Tool results, one per branch outcome. Each has every value that later steps read."""
    start = reference_path(plan, step)
    read = values_read(plan, start)
    choices = [
        choice_for(context, plan, answer, {"result": as_text(example(read, answer.value))})
        for answer in branch_answers(plan, start)
    ]
    if not choices and any(read):
        reply = {"result": as_text(example(read, {}))}
        choices = [Choice(label="result", transition="", reply=reply)]
    return tuple(choices)


def choice_for(
    context: PackContext, plan: Plan, answer: BranchAnswer, reply: Mapping[str, Any]
) -> Choice:
    """A choice with this answer and the id of the branch's transition on the canvas."""
    state = plan.state_id(answer.step)
    label = answer.taken if answer.to else ""
    out = [
        transition
        for transitions in context.transitions_into.values()
        for transition in transitions
        if transition.source == state and transition.label == label
    ]
    return Choice(
        label=answer.to or f"past {answer.step.id}",
        transition=out[0].id if out else "",
        reply=reply,
    )


def reference_path(plan: Plan, step: Step) -> tuple[str, ...]:
    """The reference by which later steps read this step's output."""
    if not step.within:
        return (step.id, "output")
    around = plan.steps_by_id[step.within]
    reduce = around.body.get("reduce")
    reduce = reduce if isinstance(reduce, dict) else {}
    into = (around.id, "output", as_str(reduce.get("into")))
    if reduce.get("strategy") == "barrier":
        return (*into, step.id)
    last = reduce.get("strategy") == "replace" and around.branches[-1].id == step.id
    return into if last else ("",)
