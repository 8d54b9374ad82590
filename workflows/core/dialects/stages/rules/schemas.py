"""Rules over the JSON Schemas of a pack (section 3.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.stages.rules.kit import (
    set_in_stage,
    stage_rule,
    unset_in_stage,
    upstream,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.dialects.stages.schemas.validity import (
    DRAFT_7,
    differing_keywords,
    draft_7,
    problem,
    problem_of,
)
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, make_fix, quoted_list


def _invalid(facts: Facts, wanted: str, what: str, hint: str) -> Iterator[Note]:
    """A note for each invalid schema under this key."""
    for stage, key, _, text in facts.schemas:
        error = problem_of(text) if key == wanted else None
        if error is not None:
            yield Note(
                message=f"The {what} of {stage!r} is not a valid JSON Schema: {error.message}.",
                place=facts.head(stage, key, *error.pointer),
                hint=hint,
            )


@stage_rule("ST230", "error", "Completion schema is not valid", profiles=EVERY)
def completion_schema(facts: Facts) -> Iterable[Note]:
    """The completion schema validates the payload of the completion tool. This one is not a valid
    JSON Schema, so no payload can be validated and the stage cannot complete. The draft is the one
    in `$schema`, or 2020-12 by default. Correct the schema."""
    hint = upstream("StageCompletionSchemaInvalid", "/completionSchema")
    return _invalid(facts, "completionSchema", "completion schema", hint)


@stage_rule("ST231", "error", "Inputs schema is not valid", profiles=EVERY)
def inputs_schema(facts: Facts) -> Iterable[Note]:
    """The inputs schema validates every result that the stage gets. This one is not a valid JSON
    Schema, so the stage fails in Setup. Correct it, or remove it: it is optional."""
    hint = "stud-cli reports it as StageInitFailed."
    return _invalid(facts, "inputsSchema", "inputs schema", hint)


@stage_rule("ST232", "hint", "stud-cli cannot read the draft of the schema", profiles=EVERY)
def other_draft(facts: Facts) -> Iterable[Note]:
    """stud-cli 0.1.1 validates with draft-07; its check throws on a schema that names another
    draft, as every schema of its own state machine does. Signalbox follows the named draft. If the
    stage must run in stud-cli, remove `$schema` or name draft-07."""
    for stage, key, schema, _ in facts.schemas:
        if not draft_7(schema):
            yield Note(
                message=f"{key!r} of {stage!r} names a draft that stud-cli 0.1.1 cannot read.",
                place=facts.head(stage, key, "$schema"),
                hint=f"It only reads {DRAFT_7}#.",
                fix=make_fix("Remove $schema", unset_in_stage(stage, key, "$schema")),
            )


@stage_rule("ST233", "hint", "Keyword differs between drafts", profiles=EVERY)
def different_keyword(facts: Facts) -> Iterable[Note]:
    """This keyword has another meaning, or none, in draft-07, which stud-cli 0.1.1 uses. Signalbox
    may accept a payload that stud-cli rejects, or reject one that it accepts. Use keywords that
    mean the same in both drafts."""
    for stage, key, _, text in facts.schemas:
        if words := differing_keywords(text):
            yield Note(
                message=f"{key!r} of {stage!r} uses {quoted_list(words)}, which differs in"
                " draft-07.",
                place=facts.head(stage, key),
            )


@stage_rule("ST234", "error", "Schema of the run's input is not valid", profiles=EVERY)
def run_input_schema(facts: Facts) -> Iterable[Note]:
    """`runInputSchema` validates the input of a run. This one is not a valid JSON Schema, so no run
    can start. Correct it, or remove it: without it any input is accepted."""
    schema = facts.whole.get("runInputSchema")
    if schema is None:
        return
    error = problem(schema)
    if error is not None:
        yield Note(
            message=f"The schema of the run's input is not valid: {error.message}.",
            place=facts.top("runInputSchema", *error.pointer),
        )


@stage_rule("ST235", "warning", "Completion schema is not of type object", profiles=EVERY)
def result_type(facts: Facts) -> Iterable[Note]:
    """The model returns its result as the arguments of a tool call, and arguments are always an
    object. A completion schema of another type can never be satisfied, so the stage ends at its
    turn cap. Wrap the value in an object with one property."""
    for stage, key, schema, _ in facts.schemas:
        kinds = schema.get("type")
        if key != "completionSchema" or not isinstance(kinds, (str, list)):
            continue
        if kinds != "object" and "object" not in kinds and problem(schema) is None:
            wrapped: Any = {
                "type": "object",
                "required": ["value"],
                "properties": {"value": schema},
            }
            yield Note(
                message=f"The completion schema of {stage!r} has the type {kinds!r}, not 'object'.",
                place=facts.head(stage, key, "type"),
                fix=make_fix("Wrap it in an object", set_in_stage(stage, key, value=wrapped)),
            )


@stage_rule("ST236", "hint", "Required property is not described", profiles=EVERY)
def undescribed_property(facts: Facts) -> Iterable[Note]:
    """The schema requires a property that it does not describe, so the model only gets its name.
    With `additionalProperties: false` the property is not allowed either, so no payload satisfies
    the schema. Describe the property, or remove it from `required`."""
    for stage, key, schema, _ in facts.schemas:
        required, properties = schema.get("required"), schema.get("properties")
        if not isinstance(required, list) or not isinstance(properties, dict):
            continue
        gone = [name for name in required if isinstance(name, str) and name not in properties]
        if gone:
            yield Note(
                message=f"{key!r} of {stage!r} requires {quoted_list(gone)} without describing it.",
                place=facts.head(stage, key, "required"),
            )
