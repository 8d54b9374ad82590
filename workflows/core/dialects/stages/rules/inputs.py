"""Rules over `inputsSchema`, the schema of the results that a stage gets (section 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.stages.format.paths import Path
from workflows.core.dialects.stages.rules.handover import RESULT_FIELDS
from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule, unset_in_stage
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, make_fix, quoted_list
from workflows.core.text.tolerant import as_object, as_str_list


def _schemas(facts: Facts) -> Iterator[tuple[str, dict[str, Any]]]:
    for stage in facts.sound:
        schema = facts.values(stage).get("inputsSchema")
        if isinstance(schema, dict):
            yield stage, schema


def _required(schema: Any) -> list[str]:
    return as_str_list(as_object(schema).get("required"))


@stage_rule(
    "ST237", "warning", "Inputs schema requires fields that results do not have", profiles=EVERY
)
def unknown_result_field(facts: Facts) -> Iterable[Note]:
    """Each result that the stage gets must satisfy the inputs schema: an object with verdict,
    reason, parsed, output, capHit and attemptCount. This schema requires another field at its top
    level, so no result fits and the stage fails in Setup. The payload of the previous stage is in
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
                message=f"The inputs schema of {stage!r} requires {quoted_list(gone)}, which"
                " results do not have.",
                place=facts.head(stage, "inputsSchema", "required"),
                hint="The payload of the previous stage is in 'parsed'.",
                fix=make_fix(
                    "Require it in parsed", set_in_stage(stage, "inputsSchema", value=inside)
                ),
            )


@stage_rule("ST238", "warning", "Previous stage cannot satisfy the inputs schema", profiles=EVERY)
def impossible(facts: Facts) -> Iterable[Note]:
    """The inputs schema requires a property of `parsed` that the completion schema of a previous
    stage does not allow, so its result never fits and this stage fails in Setup. For a join this
    applies to each branch. Return the value from the previous stage, or do not require it here."""
    for stage, schema in _schemas(facts):
        parsed = as_object(schema.get("properties")).get("parsed")
        wanted = _required(parsed)
        for source in _sources(facts, stage) if wanted else ():
            gone = [
                name
                for name in wanted
                if facts.result_gap(source, Path(text=name, root="result", steps=("parsed", name)))
            ]
            if gone:
                yield Note(
                    message=f"The inputs schema of {stage!r} requires {quoted_list(gone)}, which"
                    f" {source!r} cannot return.",
                    place=facts.head(stage, "inputsSchema", "properties", "parsed", "required"),
                )
                break


def _sources(facts: Facts, stage: str) -> Iterator[str]:
    """Stages whose results a stage gets."""
    for use in facts.uses[stage]:
        if use.kind == "sequential":
            yield use.source
        elif use.kind == "join":
            yield from use.siblings


@stage_rule("ST239", "hint", "Inputs schema has no effect", profiles=EVERY)
def unused_inputs_schema(facts: Facts) -> Iterable[Note]:
    """The inputs schema validates each result that the stage gets. This stage is always the first
    of a run or a branch, and neither gets a result, so the schema is never used. Remove it, and
    validate the run's input with `runInputSchema`."""
    for stage, _ in _schemas(facts):
        kinds = {use.kind for use in facts.uses[stage]}
        if kinds and kinds <= {"entry", "sibling"}:
            yield Note(
                message=f"{stage!r} gets no results, so its inputs schema has no effect.",
                place=facts.head(stage, "inputsSchema"),
                fix=make_fix("Remove the schema", unset_in_stage(stage, "inputsSchema")),
            )
