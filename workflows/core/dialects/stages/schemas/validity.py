"""Validation of JSON Schemas in stages and pipelines, and their drafts (stages.md section 3.4).

A schema follows the draft in its `$schema`, or 2020-12 by default. Nothing is fetched: a reference
to another document is a problem of the schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workflows.core.json_schemas.size import TooLarge
from workflows.core.json_schemas.validation import PackSchema, pack_schema
from workflows.core.limits import VALUE_DEPTH
from workflows.core.pack.naming import did_you_mean
from workflows.core.rules.kit import TYPE_STEPS

DRAFT_7 = "http://json-schema.org/draft-07/schema"
"""The draft that stud-cli 0.1.1 validates with."""
DIFFERING = ("$recursiveRef", "dependentRequired", "prefixItems", "unevaluatedProperties")
"""Keywords of later drafts that a draft-07 validator ignores."""
JSON_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_WRONG_TYPE = re.compile(r' is not of type "(array|boolean|integer|number|object|string)"$')
_MISSING_RESOURCE = re.compile(r"Resource '([^']*)' is not present")


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaProblem:
    """A problem of a schema. `pointer` is the place inside the schema."""

    message: str
    pointer: tuple[str | int, ...] = ()


def problem(schema: Any) -> SchemaProblem | None:
    """The first problem of a schema; None for a valid one."""
    if not isinstance(schema, dict):
        return SchemaProblem(message="it is not an object")
    return problem_of(json.dumps(schema))


def validator(schema: Mapping[str, Any]) -> PackSchema:
    """A compiled validator. Raises ValueError (with the problem's message) for an invalid
    schema."""
    return pack_schema(schema)


def draft_7(schema: Mapping[str, Any]) -> bool:
    """Return True if the schema names draft-07 or no draft."""
    named = schema.get("$schema")
    return named is None or str(named).rstrip("#").replace("https:", "http:") == DRAFT_7


@lru_cache(maxsize=2_048)
def differing_keywords(text: str) -> tuple[str, ...]:
    """Keywords in the schema of this text that have another meaning, or none, in draft-07."""
    return tuple(dict.fromkeys(_differing(json.loads(text), 0)))


def _differing(schema: Any, depth: int) -> Iterator[str]:
    if depth > VALUE_DEPTH:
        return
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in DIFFERING or (key == "items" and isinstance(value, list)):
                yield key
            if key not in ("enum", "const", "default", "examples"):
                yield from _differing(value, depth + 1)
    elif isinstance(schema, list):
        for value in schema:
            yield from _differing(value, depth + 1)


@lru_cache(maxsize=2_048)
def problem_of(text: str) -> SchemaProblem | None:
    """The first problem of the schema of this text; None for a valid one."""
    try:
        pack_schema(json.loads(text))
    except TooLarge as error:
        return SchemaProblem(message=error.message, pointer=error.pointer)
    except ValueError as error:
        pointer = tuple(getattr(error, "instance_path", ()))
        return SchemaProblem(message=_message(error, pointer), pointer=pointer)
    return None


def _message(error: ValueError, pointer: tuple[str | int, ...]) -> str:
    text = str(getattr(error, "message", error)).split("\n", 1)[0]
    elsewhere = _MISSING_RESOURCE.match(text)
    if elsewhere:
        return f"it refers to {elsewhere[1]}, but schemas are not fetched"
    if pointer[-1:] == ("type",) and "'anyOf'" in text:
        name = text.split(" is not", 1)[0]
        near = did_you_mean(name.strip('"'), JSON_TYPES)
        return f"{name} is not a JSON type{f'. {near[:-1]}' if near else ''}"
    if needed := _WRONG_TYPE.search(text):
        where = "/".join(map(str, pointer)) or "it"
        return f"{where} is {text[: needed.start()]}. {TYPE_STEPS[needed[1]].rstrip('.')}"
    return text
