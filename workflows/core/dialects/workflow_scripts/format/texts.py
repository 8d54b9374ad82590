"""Texts of a script, of which a run decides parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from workflows.core.dialects.workflow_scripts.format.values import (
    Answer,
    Items,
    Known,
    Record,
    Text,
    Value,
    options_of,
)

MOST_PIECES = 500
TEXT_MEMBERS = frozenset(
    {"length", "trim", "trimStart", "trimEnd", "split", "slice", "substring"}
    | {"substr", "concat", "repeat", "padStart", "padEnd", "includes", "indexOf"}
    | {"lastIndexOf", "startsWith", "endsWith", "match", "matchAll", "search", "test"}
    | {"replace", "replaceAll", "toLowerCase", "toUpperCase", "toString", "valueOf"}
    | {"normalize", "localeCompare", "at", "charAt", "charCodeAt", "codePointAt"}
    | {"then", "catch", "finally"}
)
"""Properties of a text."""


def is_text(value: Value) -> bool:
    """True for a text, of which parts may be unknown."""
    return isinstance(value, Text) or (isinstance(value, Known) and isinstance(value.value, str))


def text_of(parts: Iterable[Value]) -> Value:
    """The text of these values, one after the other."""
    pieces: list[str | None] = []
    sources: dict[int, str] = {}
    for piece, source in islice((each for one in parts for each in _pieces(one)), MOST_PIECES):
        if pieces and piece is not None and pieces[-1] is not None:
            pieces[-1] += piece
        elif piece != "":
            if source:
                sources[len(pieces)] = source
            pieces.append(piece)
    if None not in pieces:
        return Known("".join(one or "" for one in pieces))
    return Text(tuple(pieces), sources)


def _pieces(value: Value) -> Iterator[tuple[str | None, str]]:
    """The pieces of a value as text, each with the answer or input that it is of."""
    match value:
        case Known() if isinstance(value.value, str):
            yield value.value, ""
        case Known() if isinstance(value.value, int) and not isinstance(value.value, bool):
            yield str(value.value), ""
        case Text():
            for place, piece in enumerate(value.pieces):
                yield piece, value.sources.get(place, "")
        case _:
            yield None, _source_of(value)


def _source_of(value: Value) -> str:
    """The path of an answer or input that can hold any text; "" for other values."""
    for one in options_of(value):
        if isinstance(one, Items):
            one = one.element
        if isinstance(one, Record):
            return next(filter(None, map(_source_of, one.fields.values())), "")
        if isinstance(one, Answer) and not _is_plain(one.schema):
            return one.path
    return ""


def _is_plain(schema: Value | None) -> bool:
    """True for the schema of a number, a boolean or one of several words."""
    fields = schema.fields if isinstance(schema, Record) else {}
    kind = fields.get("type")
    words = isinstance(kind, Known) and kind.value in ("number", "integer", "boolean")
    return "enum" in fields or words
