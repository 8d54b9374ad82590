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
from workflows.core.dialects.stages.schemas.validity import DRAFT_7, differing, draft_7, problem
from workflows.core.pack.findings import Place
from workflows.core.rules.kit import Note, make_fix, quoted_list


def _schemas(facts: Facts) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every schema in a stage's head: stage, key, schema."""
    for stage, file in facts.heads:
        for key in ("completionSchema", "inputsSchema"):
            schema = file.values.get(key)
            if isinstance(schema, dict):
                yield stage, key, schema


def _wrong(what: str, schema: dict[str, Any], place: Place, hint: str) -> Iterator[Note]:
    found = problem(schema)
    if found is not None:
        yield Note(
            message=f"{what} is no valid JSON Schema: {found.message}.", place=place, hint=hint
        )


@stage_rule("ST230", "error", "Completion schema is not valid")
def completion_schema(facts: Facts) -> Iterable[Note]:
    """The completion schema decides whether what the model hands over has the right shape. This one
    is no valid JSON Schema, so nothing can be checked against it and the stage cannot complete. A
    schema is read by the draft in its `$schema`, without one by 2020-12."""
    for stage, key, schema in _schemas(facts):
        if key == "completionSchema":
            found = problem(schema)
            place = facts.head(stage, key, *(found.pointer if found else ()))
            hint = upstream("StageCompletionSchemaInvalid", "/completionSchema")
            yield from _wrong(f"The completion schema of {stage!r}", schema, place, hint)


@stage_rule("ST231", "error", "Inputs schema is not valid")
def inputs_schema(facts: Facts) -> Iterable[Note]:
    """The inputs schema is what every result handed to this stage has to satisfy. This one is no
    valid JSON Schema, so the stage fails in Setup. Correct it, or remove it: it is optional."""
    for stage, key, schema in _schemas(facts):
        if key == "inputsSchema":
            found = problem(schema)
            place = facts.head(stage, key, *(found.pointer if found else ()))
            hint = "It is audited as StageInitFailed."
            yield from _wrong(f"The inputs schema of {stage!r}", schema, place, hint)


@stage_rule("ST232", "warning", "Draft that stud-cli cannot read")
def other_draft(facts: Facts) -> Iterable[Note]:
    """stud-cli 0.1.1 validates with draft-07, and a schema that names another draft makes its check
    throw, although every schema of its own state machine does. Signalbox follows the draft that is
    named. Remove `$schema`, or name draft-07, if the stage has to run there."""
    for stage, key, schema in _schemas(facts):
        if not draft_7(schema):
            yield Note(
                message=f"{key!r} of {stage!r} names a draft that stud-cli 0.1.1 cannot read.",
                place=facts.head(stage, key, "$schema"),
                hint=f"It reads {DRAFT_7}# alone.",
                fix=make_fix("Remove $schema", unset_in_stage(stage, key, "$schema")),
            )


@stage_rule("ST233", "warning", "Keyword that drafts read differently")
def different_keyword(facts: Facts) -> Iterable[Note]:
    """This keyword means something in the newer drafts and nothing, or something else, in draft-07,
    which stud-cli 0.1.1 uses. The same result may then be accepted here and rejected there, or the
    other way round. Say it with keywords that both drafts know."""
    for stage, key, schema in _schemas(facts):
        words = list(dict.fromkeys(differing(schema)))
        if words:
            yield Note(
                message=f"{key!r} of {stage!r} uses {quoted_list(words)}, which draft-07 reads"
                " differently.",
                place=facts.head(stage, key),
            )


@stage_rule("ST234", "error", "Schema of the run's input is not valid")
def run_input_schema(facts: Facts) -> Iterable[Note]:
    """`runInputSchema` describes what a run is started with. This one is no valid JSON Schema, so
    no run can start. Correct it, or remove it: without one any input is accepted."""
    schema = facts.whole.get("runInputSchema")
    if schema is None:
        return
    found = problem(schema)
    if found is not None:
        yield Note(
            message=f"The schema of the run's input is not valid: {found.message}.",
            place=facts.top("runInputSchema", *found.pointer),
        )


@stage_rule("ST235", "warning", "Result that is no object")
def result_type(facts: Facts) -> Iterable[Note]:
    """The model hands over its result as the arguments of a tool call, and those are always an
    object. A completion schema whose type is something else can never be satisfied; the stage would
    end at its turn cap. Wrap the value in an object with one property."""
    for stage, key, schema in _schemas(facts):
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
                message=f"The completion schema of {stage!r} asks for {kinds!r}, but arguments are"
                " an object.",
                place=facts.head(stage, key, "type"),
                fix=make_fix("Wrap it in an object", set_in_stage(stage, key, value=wrapped)),
            )


@stage_rule("ST236", "hint", "Required property is not described")
def undescribed_property(facts: Facts) -> Iterable[Note]:
    """The schema requires a property that it does not describe, so the model knows its name and
    nothing else. With `additionalProperties: false` it may not even be given, and no result can
    satisfy the schema. Describe the property, or take it off the list."""
    for stage, key, schema in _schemas(facts):
        required, known = schema.get("required"), schema.get("properties")
        if not isinstance(required, list) or not isinstance(known, dict):
            continue
        gone = [name for name in required if isinstance(name, str) and name not in known]
        if gone:
            yield Note(
                message=f"{key!r} of {stage!r} requires {quoted_list(gone)} without describing it.",
                place=facts.head(stage, key, "required"),
            )
