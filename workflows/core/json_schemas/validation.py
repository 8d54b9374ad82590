"""Validation against a schema from a pack: of limited cost, and nothing is fetched.

A schema is measured before it is compiled. A value is judged first, which is fast; messages are
made only for one that does not fit, and only where they cost little. A validator cannot be stopped
and blocks the whole process, so the limits apply before it starts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jsonschema_rs

from workflows.core.json_schemas.document import SchemaDocument
from workflows.core.json_schemas.size import SchemaSize, size_of
from workflows.core.json_schemas.steps import StepCounter, Uncountable, parts_of
from workflows.core.patterns.json_schema import bounded_validator, is_light

MAX_STEPS = 5_000_000
"""Steps of a verdict; about 15 ns each."""
MAX_EXPLAINED = 5_000
"""Steps inside alternatives for which messages are made; about 50 µs and 9 KB each."""
TOO_COSTLY = "it takes more than {:,} steps to check this value against the schema"
UNEXPLAINED = "it does not fit the schema, which has too many alternatives to name the reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """A problem of a value. `instance_path` leads to the part that does not fit."""

    message: str
    instance_path: tuple[str | int, ...] = ()


class PackSchema:
    """A compiled schema. Make it with `pack_schema`."""

    def __init__(self, document: SchemaDocument, size: SchemaSize, text: str) -> None:
        self._document = document
        self._size = size
        self._validator = bounded_validator(text, retriever=_refuse_fetch)

    def is_valid(self, value: Any) -> bool:
        """Return True if the value fits. A value that costs too much to check does not.

        Raises ValueError for a value that is no JSON.
        """
        return not self._too_costly(value) and self._validator.is_valid(value)

    def iter_errors(self, value: Any) -> Iterator[Misfit]:
        """The problems of a value, none if it fits. Raises ValueError for one that is no JSON."""
        if self._too_costly(value):
            yield Misfit(message=TOO_COSTLY.format(MAX_STEPS))
        elif not self._validator.is_valid(value):
            if self._explains(value):
                for error in self._validator.iter_errors(value):
                    yield Misfit(message=error.message, instance_path=tuple(error.instance_path))
            else:
                yield Misfit(message=UNEXPLAINED)

    def _too_costly(self, value: Any) -> bool:
        most = MAX_STEPS // self._size.unfolded
        if not self._size.recursive and parts_of(value, most) <= most:
            return False
        try:
            return self._count(value)[0] > MAX_STEPS
        except Uncountable:
            return True

    def _explains(self, value: Any) -> bool:
        try:
            return self._count(value)[1] <= MAX_EXPLAINED
        except Uncountable:
            return False

    def _count(self, value: Any) -> tuple[int, int]:
        return StepCounter(self._document).count(value)


def pack_schema(schema: Any) -> PackSchema:
    """Compile a schema. Raises TooLarge, or another ValueError if it is not valid."""
    text = json.dumps(schema)
    return _kept_schema(text) if is_light(text) else _pack_schema(text)


@lru_cache(maxsize=512)
def _kept_schema(text: str) -> PackSchema:
    """Cached by text: most states of a pack share equal schemas."""
    return _pack_schema(text)


def _pack_schema(text: str) -> PackSchema:
    document = SchemaDocument(json.loads(text))
    size = size_of(document)
    try:
        return PackSchema(document, size, text)
    except (jsonschema_rs.ReferencingError, RecursionError) as error:
        raise ValueError(str(error).split("\n", 1)[0]) from error


def _refuse_fetch(uri: str) -> Any:
    raise ValueError(uri)
