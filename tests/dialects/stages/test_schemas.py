"""Schemas in stages: valid ones, invalid ones, and differences between drafts."""

from __future__ import annotations

import json
from typing import Any

from tests.support.checks import each_row
from workflows.core.dialects.stages.schemas.validity import (
    differing_keywords,
    draft_7,
    problem,
    validator,
)

GOOD: list[dict[str, Any]] = [
    {},
    {"type": "object"},
    {"type": ["string", "null"], "minLength": 1},
    {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]},
    {"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{}]},
    {"x-unknown": [1, 2], "format": "whatever"},
    {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}},
    {"pattern": "^[a-z]+$"},
]
BAD: list[tuple[dict[str, Any], str, tuple[str | int, ...]]] = [
    ({"type": "notARealType"}, "is not a JSON type", ("type",)),
    ({"properties": {"a": {"type": "txt"}}}, "is not a JSON type", ("properties", "a", "type")),
    ({"required": "a"}, "Write a list", ("required",)),
    ({"pattern": "["}, "regex", ("pattern",)),
    ({"$ref": "#/$defs/gone"}, "does not exist", ()),
    ({"$ref": "https://example.org/a.json"}, "not fetched", ()),
    ({"$schema": "urn:mine"}, "Unknown meta-schema", ()),
    ({"items": [{"type": "string"}]}, "is not of types", ("items",)),
]


@each_row(GOOD)
def test_a_schema_is_one(schema: dict[str, Any]) -> None:
    assert problem(schema) is None


@each_row(BAD)
def test_an_invalid_schema_is_reported_with_its_place(
    schema: dict[str, Any], message: str, pointer: tuple[str | int, ...]
) -> None:
    found = problem(schema)
    assert found is not None
    assert message in found.message
    assert found.pointer == pointer


@each_row([None, [], "object", True, 3])
def test_only_an_object_is_a_schema_here(value: Any) -> None:
    assert problem(value) is not None


def test_a_compiled_schema_decides() -> None:
    check = validator({"type": "object", "required": ["a"]})
    assert check.is_valid({"a": 1})
    assert not check.is_valid({})


def test_draft_7_is_distinguished_from_other_drafts() -> None:
    assert draft_7({})
    assert draft_7({"$schema": "http://json-schema.org/draft-07/schema#"})
    assert not draft_7({"$schema": "https://json-schema.org/draft/2020-12/schema"})


def test_keywords_that_differ_between_drafts_are_found_in_subschemas() -> None:
    schema = {
        "properties": {"a": {"prefixItems": []}, "b": {"items": [{}]}},
        "enum": [{"prefixItems": 1}],
        "unevaluatedProperties": False,
    }
    assert differing_keywords(json.dumps(schema)) == (
        "prefixItems",
        "items",
        "unevaluatedProperties",
    )
