"""Sample answers of a step's model or tool, one for each outcome of a later branch step.

A rehearsal picks one of them; a script picks one by its label.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.expected_values import (
    BranchAnswer,
    branch_answers,
    build_value,
    example,
    output_schema,
    values_read,
)
from workflows.core.dialects.promptpack.program.predicates import PathValues, PredicateError, holds
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.engine.effects import Choice
from workflows.core.engine.rehearsal.answer_gaps import gap
from workflows.core.engine.rehearsal.schema_values import ABSENT
from workflows.core.text.tolerant import as_object, as_str


def reply_choices(context: PackContext, plan: Plan, step: Step) -> tuple[Choice, ...]:
    """Model answers, one per outcome of the branch steps that read this step's output."""
    choices = []
    start = reference_path(plan, step)
    schema = output_schema(plan, step, context.parts.tree)
    for answer in branch_answers(plan, start):
        if step.structured:
            reply = {"structured": _possible(schema, start, answer)}
            choices.append(choice_for(context, plan, answer, reply))
        elif isinstance(answer.value, str):
            choices.append(choice_for(context, plan, answer, {"text": answer.value}))
    return tuple(choices)


def _possible(schema: Object | None, start: tuple[str, ...], answer: BranchAnswer) -> Any:
    """The answer, with another value that the schema lists where it does not allow this one."""
    missing = None if schema is None else gap(schema, answer.value)
    predicate, wanted = answer.step.body.get("predicate"), answer.taken == "then"
    if missing is None or missing.value is ABSENT:
        return answer.value
    for value in missing.allowed:
        wish: PathValues = {(): answer.value} if not missing.path else _leaves(answer.value)
        other = build_value({**wish, tuple(map(str, missing.path)): value})
        scope = build_value({start: other})
        with suppress(PredicateError):
            if holds(predicate, scope) is wanted and gap(schema, other) is None:
                return other
    return answer.value


def _leaves(value: Any) -> PathValues:
    """The values of an answer by path."""
    if not isinstance(value, dict):
        return {(): value}
    return {
        (name, *path): leaf for name, part in value.items() for path, leaf in _leaves(part).items()
    }


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
    reduce = as_object(around.body.get("reduce"))
    into = (around.id, "output", as_str(reduce.get("into")))
    if reduce.get("strategy") == "barrier":
        return (*into, step.id)
    last = reduce.get("strategy") == "replace" and around.branches[-1].id == step.id
    return into if last else ("",)
