"""Rules about the JSON Schemas in a pack: of tools, of steps' output, and of checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.conversation.answer_form import not_enforced
from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.program.expected_values import schema_at
from workflows.core.dialects.promptpack.rules.kit import pack_rule
from workflows.core.json_schemas.document import SchemaDocument
from workflows.core.json_schemas.size import TooLarge, size_of
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note
from workflows.core.text.tolerant import as_str


@pack_rule("PP216", "error", "Schema is too large to check against", profiles=EVERY)
def too_large(parts: Parts) -> Iterable[Note]:
    """With each `$ref` replaced by its target, this schema has more than 10,000 subschemas, or more
    than 128 levels of them. Nested `anyOf` over the same definition double the number with each
    level, and so the time and memory that a check takes. Signalbox does not check values against
    it: a call of the tool is refused and a check fails. Refer to the definition once, or write
    fewer levels."""
    for pointer, schema in _schemas(parts):
        try:
            size_of(SchemaDocument(schema))
        except TooLarge as large:
            yield Note(
                message=f"The schema is too large: {large.message}.",
                pointer=(*pointer, *large.pointer),
                hint="Refer to each definition once per level, or remove levels.",
            )


@pack_rule("PP217", "hint", "Schema that a provider does not enforce", profiles=EVERY)
def enforced_by_providers(parts: Parts) -> Iterable[Note]:
    """Providers hold a model to a schema of a published subset of JSON Schema. OpenAI and Anthropic
    do not for objects with properties of any name, values of any type, `not`, `if` and `allOf`, and
    Anthropic not for schemas that contain themselves or have many optional properties. Their models
    get such a schema as a description only, so the step's output may differ from it. Declare the
    properties and types that you need."""
    for pointer, step in parts.steps:
        schema = schema_at(as_str(step.get("output_schema")), parts.tree)
        limit = not_enforced(schema) if schema is not None else None
        if limit is not None:
            who, reason = limit
            yield Note(
                message=f"{who} the output schema of {as_str(step.get('id'))!r}: {reason}.",
                pointer=(*pointer, "output_schema"),
                hint="Their models get it as a description only.",
            )


def _schemas(parts: Parts) -> Iterator[tuple[Pointer, Any]]:
    for key, tool in parts.tools.items():
        yield ("tools", key, "parameters"), tool.get("parameters")
    for pointer, step in parts.steps:
        yield (*pointer, "output_schema"), step.get("output_schema")
    for pointer, check in (*parts.validators, *parts.evals):
        params = check.get("params")
        if isinstance(params, dict):
            yield (*pointer, "params", "schema"), params.get("schema")
