"""Schemas of answers: those to which every provider can hold a model, those outside the subset of
some provider, and those that are not of an object."""

from __future__ import annotations

from typing import Any

TEXT: dict[str, Any] = {"type": "string"}
WITH_A: dict[str, Any] = {"type": "object", "properties": {"a": TEXT}}


def having(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


FITS: dict[str, dict[str, Any]] = {
    "an object": WITH_A,
    "limits of values": having(
        text={"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a"},
        number={"type": "integer", "minimum": 1, "multipleOf": 2},
        list={"type": "array", "items": TEXT, "minItems": 2, "uniqueItems": True},
    ),
    "closed objects": {**WITH_A, "additionalProperties": False},
    "an object without properties": {"type": "object", "additionalProperties": False},
    "a choice": having(a={"anyOf": [TEXT, having(b=TEXT)]}),
    "one choice": having(a={"oneOf": [TEXT, {"type": "null"}]}),
    "values": having(a={"enum": ["x", 1, None]}, b={"const": "y"}),
    "a nullable text": having(a={"type": ["string", "null"], "description": "Why."}),
    "a nullable object": having(a={"type": ["object", "null"], "properties": {"b": TEXT}}),
    "a definition": {**having(a={"$ref": "#/$defs/t"}), "$defs": {"t": TEXT}},
    "an older definition": {**having(a={"$ref": "#/definitions/t"}), "definitions": {"t": TEXT}},
}
"""Schemas to which every provider can hold a model."""

OUTSIDE: dict[str, tuple[dict[str, Any], str, str]] = {
    "a map": (
        having(m={"type": "object", "additionalProperties": TEXT}),
        "openai anthropic compatible",
        "'properties/m' takes properties of any name",
    ),
    "an open object": (
        {**WITH_A, "additionalProperties": True},
        "openai anthropic compatible",
        "it takes properties of any name",
    ),
    "an object of anything": (
        having(m={"type": "object"}),
        "openai anthropic compatible",
        "'properties/m' takes properties of any name",
    ),
    "anything": (
        having(a={"description": "Why."}),
        "openai anthropic compatible",
        "'properties/a' has no type",
    ),
    "true": (having(a=True), "openai anthropic compatible", "'properties/a' accepts anything"),
    "not": (
        having(a={"not": TEXT}),
        "openai anthropic compatible",
        "'properties/a' uses not",
    ),
    "conditions": (
        {**WITH_A, "if": WITH_A, "then": WITH_A},
        "openai anthropic compatible",
        "it uses if",
    ),
    "all of several": (
        having(a={"allOf": [WITH_A, having(b=TEXT)]}),
        "openai anthropic compatible",
        "'properties/a' uses allOf",
    ),
    "a choice and properties": (
        {**WITH_A, "oneOf": [{"required": ["a"]}]},
        "openai anthropic compatible",
        "it has oneOf next to the type 'object'",
    ),
    "values that are objects": (
        having(a={"enum": [{"b": 1}]}),
        "openai anthropic compatible",
        "'properties/a' lists values that are objects or lists",
    ),
    "a list of anything": (
        having(a={"type": "array"}),
        "openai anthropic compatible",
        "'properties/a' is a list whose items have no type",
    ),
    "a reference into a property": (
        having(a=TEXT, b={"$ref": "#/properties/a"}),
        "openai anthropic compatible",
        "'properties/b' refers to '#/properties/a', which is not a definition",
    ),
    "a tree": (
        {
            **having(t={"$ref": "#/$defs/t"}),
            "$defs": {"t": {"type": "object", "properties": {"t": {"$ref": "#/$defs/t"}}}},
        },
        "anthropic",
        "it contains itself",
    ),
    "many optional properties": (
        {"type": "object", "properties": {f"p{number}": TEXT for number in range(25)}},
        "anthropic",
        "it has 25 optional properties; 24 are the limit",
    ),
    "many types": (
        having(**{f"p{number}": {"type": ["string", "null"]} for number in range(17)}),
        "anthropic",
        "it has 17 properties with several types; 16 are the limit",
    ),
}
"""Schema, the providers that cannot hold a model to it, and the first reason."""

WRAPPED: dict[str, dict[str, Any]] = {
    "a text": TEXT,
    "a list": {"type": "array", "items": TEXT},
    "a nullable object": {"type": ["object", "null"], "properties": {"a": TEXT}},
    "a choice": {"type": "object", "oneOf": [WITH_A, having(b=TEXT)]},
    "values": {"enum": ["a", "b"]},
    "a definition": {"$ref": "#/$defs/t", "$defs": {"t": WITH_A}},
}
