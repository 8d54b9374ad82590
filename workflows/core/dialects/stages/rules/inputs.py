"""Rules over `inputsSchema`: what it asks of the results that come to a stage (section 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.stages.rules.handover import RESULT_FIELDS
from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule, unset_in_stage
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.rules.kit import Note, make_fix, quoted_list


def _schemas(facts: Facts) -> Iterator[tuple[str, dict[str, Any]]]:
    for stage in facts.sound:
        schema = facts.values(stage).get("inputsSchema")
        if isinstance(schema, dict):
            yield stage, schema


def _required(schema: Any) -> list[str]:
    names = schema.get("required") if isinstance(schema, dict) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


@stage_rule("ST237", "warning", "Inputs schema asks for what no result has")
def beside_the_result(facts: Facts) -> Iterable[Note]:
    """Each result that comes to the stage has to satisfy the inputs schema: an object with verdict,
    reason, parsed, output, capHit and attemptCount. This schema requires something else at its top,
    so no result ever fits and the stage fails in Setup. What the stage before handed over is under
    `parsed`."""
    for stage, schema in _schemas(facts):
        gone = [name for name in _required(schema) if name not in RESULT_FIELDS]
        if gone:
            inside: dict[str, Any] = {
                "type": "object",
                "required": ["parsed"],
                "properties": {"parsed": {**schema}},
            }
            yield Note(
                message=f"The inputs schema of {stage!r} requires {quoted_list(gone)}, which no"
                " result has.",
                place=facts.head(stage, "inputsSchema", "required"),
                hint="What was handed over is under parsed.",
                fix=make_fix("Ask it of parsed", set_in_stage(stage, "inputsSchema", value=inside)),
            )


@stage_rule("ST238", "warning", "Inputs schema that the stage before cannot satisfy")
def impossible(facts: Facts) -> Iterable[Note]:
    """The inputs schema requires a property of `parsed` that the completion schema of a stage
    before does not allow, so its result never fits and this stage fails in Setup. For a join that
    holds for each branch. Hand the value over there, or do not require it here."""
    for stage, schema in _schemas(facts):
        properties = schema.get("properties")
        parsed = properties.get("parsed") if isinstance(properties, dict) else None
        wanted = _required(parsed)
        for source in _sources(facts, stage) if wanted else ():
            gone = [name for name in wanted if not _allows(facts, source, name)]
            if gone:
                yield Note(
                    message=f"The inputs schema of {stage!r} requires {quoted_list(gone)}, which"
                    f" {source!r} cannot hand over.",
                    place=facts.head(stage, "inputsSchema", "properties", "parsed", "required"),
                )
                break


def _sources(facts: Facts, stage: str) -> Iterator[str]:
    """The stages whose results come to a stage."""
    for use in facts.uses[stage]:
        if use.kind == "sequential":
            yield use.source
        elif use.kind == "join":
            yield from use.siblings


def _allows(facts: Facts, source: str, name: str) -> bool:
    schema = facts.values(source).get("completionSchema")
    if not isinstance(schema, dict) or schema.get("additionalProperties") is not False:
        return True
    known = schema.get("properties")
    open_ended = {"patternProperties", "$ref", "allOf", "anyOf", "oneOf"} & schema.keys()
    return bool(open_ended) or not isinstance(known, dict) or name in known


@stage_rule("ST239", "hint", "Inputs schema that nothing is held to")
def without_inputs(facts: Facts) -> Iterable[Note]:
    """The inputs schema is held against each result that comes to the stage. This one only ever
    begins a run or starts as a branch, and to those none comes, so the schema is never looked at.
    Check what a run is started with in `runInputSchema`, or remove it here."""
    for stage, _ in _schemas(facts):
        kinds = {use.kind for use in facts.uses[stage]}
        if kinds and kinds <= {"entry", "sibling"}:
            yield Note(
                message=f"No result comes to {stage!r}, so its inputs schema is never looked at.",
                place=facts.head(stage, "inputsSchema"),
                fix=make_fix("Remove it", unset_in_stage(stage, "inputsSchema")),
            )
