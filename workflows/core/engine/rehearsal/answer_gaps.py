"""The proof that a model can give the answer that the machine reads.

The schema of an answer, or the tools of a question, limit what a model can answer. A gate, a
condition, an assertion or an artifact reads some values of it. `gap` compares the two: rules report
what it finds, and rehearsals give no answer that has it.

A schema that lists properties allows no others, unless it has `additionalProperties` or
`patternProperties`: providers close such objects. Patterns are ignored, because expressions from a
pack are never run in the core.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from textwrap import shorten
from typing import Any

from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_fit import fits, merged, resolved
from workflows.core.engine.rehearsal.schema_values import ABSENT, value_for
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import type_step

MAX_ALTERNATIVES = 64
"""Combinations of `anyOf` and `oneOf` that are compared."""
MAX_DEPTH = 24
COMPOUNDS = ("allOf", "anyOf", "oneOf")
MAX_PARTS = 2_000
"""Subschemas that are compared. A schema that contains itself twice would never end."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The part of an answer that the schema does not let a model give.

    `path` is the place of the refused part. `value` is the refused value, or ABSENT if the schema
    has no such place. `allowed` are the names or values that the schema has there. `near` is the
    path of a property with that name, or with a similar one, () if there is none. `types` are the
    types that a refused value may have.
    """

    path: Path
    value: Any
    allowed: tuple[Any, ...] = ()
    near: Path = ()
    types: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """A clause for a message: `the schema has no 'acton' in 'next_action'`."""
        parent = f" in {path_text(self.path[:-1])!r}" if len(self.path) > 1 else ""
        if self.value is ABSENT:
            return f"the schema has no {str(self.path[-1])!r}{parent}" if self.path else "no schema"
        return f"{path_text(self.path)!r} is never {self.value!r}"

    @property
    def next_step(self) -> str:
        """A hint: the nearest path, or what the schema allows at this place."""
        if self.near:
            return f"Did you mean {path_text(self.near)!r}?"
        if self.types:
            return f"The schema allows {' or '.join(self.types)}. {type_step(self.types)}"
        if not self.allowed:
            return "Add it to the schema, or read another field."
        words = ", ".join(map(str, self.allowed[:6]))
        return f"The schema allows {words}{' and others' if len(self.allowed) > 6 else ''}."


def path_text(path: Path) -> str:
    """The dotted text of a path: `next_action.action`, `files[0].name`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def gap(schema: Any, decided: Any) -> Gap | None:
    """The first part of `decided`, some values of an answer, that `schema` does not let a model
    give; None if an answer can have them all."""
    try:
        found = _Proof(schema).gap(schema, decided, ())
    except (TypeError, ValueError, AttributeError):
        return None  # An invalid schema is the finding of another rule.
    if found is None or found.value is not ABSENT:
        return found
    return Gap(path=found.path, value=ABSENT, allowed=found.allowed, near=_near(schema, found.path))


ANY: Any = object()
"""In a decided answer: any value that the schema allows."""


def read_gap(schema: Any, path: Path, value: Any = ANY) -> Gap | None:
    """`gap` for a machine that reads this value, or any, at this path."""
    decided = value
    for part in reversed(path):
        decided = {part: decided} if isinstance(part, str) else _Item(decided)
    return gap(schema, decided)


def example(schema: Any) -> str:
    """The JSON of one answer that the schema lets a model give, shortened for a message."""
    return shorten(json.dumps(value_for(schema, Rng(1)), ensure_ascii=False), 100, placeholder=" …")


class _Item:
    """In a decided answer: a list of which one item is read."""

    def __init__(self, item: Any) -> None:
        self.item = item


class _Proof:
    def __init__(self, root: Any) -> None:
        self.root = root
        self.fuel = MAX_PARTS

    def gap(self, schema: Any, decided: Any, path: Path) -> Gap | None:
        """The gap of the alternative of the schema that comes furthest."""
        found: Gap | None = None
        for plain in islice(self._alternatives(schema, 0), MAX_ALTERNATIVES):
            missing = self._plain_gap(plain, decided, path)
            if missing is None:
                return None
            if found is None or len(missing.path) > len(found.path):
                found = missing
        return found or Gap(path=path, value=decided)

    def _alternatives(self, schema: Any, depth: int) -> Iterator[Mapping[str, Any]]:
        """The schema without references, `allOf`, `anyOf` and `oneOf`; none for `false`."""
        if schema is False:
            return
        plain = resolved(schema, self.root)
        own = {key: value for key, value in plain.items() if key not in COMPOUNDS}
        parts: list[Sequence[Any]] = [[member] for member in plain.get("allOf") or ()]
        parts += [plain[word] for word in ("anyOf", "oneOf") if plain.get(word)]
        self.fuel -= 1
        ended = depth > MAX_DEPTH or self.fuel < 0
        yield from self._combined(own, [] if ended else parts, depth)

    def _combined(
        self, own: Mapping[str, Any], parts: list[Sequence[Any]], depth: int
    ) -> Iterator[Mapping[str, Any]]:
        if not parts:
            yield own
            return
        for option in parts[0]:
            for one in self._alternatives(option, depth + 1):
                yield from self._combined(merged(own, one), parts[1:], depth)

    def _plain_gap(self, schema: Mapping[str, Any], decided: Any, path: Path) -> Gap | None:
        if decided is ANY:
            return None
        if isinstance(decided, dict):
            if not _may_be(schema, "object") and all(str(name).isdigit() for name in decided):
                items = [_Item(item) for item in decided.values()]
                gaps = (self._plain_gap(schema, item, path) for item in items)
                return next((found for found in gaps if found is not None), None)
            return self._object_gap(schema, decided, path)
        if isinstance(decided, _Item):
            if not _may_be(schema, "array"):
                return Gap(path=path, value=ABSENT)
            return self.gap(schema.get("items", {}), decided.item, (*path, 0))
        if isinstance(decided, list) and _may_be(schema, "array"):
            gaps = (
                self.gap(schema.get("items", {}), item, (*path, number))
                for number, item in enumerate(decided)
            )
            return next((found for found in gaps if found is not None), None)
        if fits(decided, schema, self.root):
            return None
        allowed = _values(schema)
        types = () if allowed or not isinstance(decided, str) else schema.get("type", ())
        kinds = (types,) if isinstance(types, str) else tuple(types)
        return Gap(
            path=path, value=decided, allowed=allowed, types=() if "string" in kinds else kinds
        )

    def _object_gap(
        self, schema: Mapping[str, Any], decided: Mapping[str, Any], path: Path
    ) -> Gap | None:
        properties = schema.get("properties") or {}
        free = "patternProperties" in schema or (
            schema.get("additionalProperties", not properties) is not False
        )
        for name, value in decided.items():
            if name not in properties and (not free or not _may_be(schema, "object")):
                return Gap(path=(*path, name), value=ABSENT, allowed=tuple(properties))
            other = schema.get("additionalProperties") or True
            found = self.gap(properties.get(name, other), value, (*path, name))
            if found is not None:
                return found
        return None


def _may_be(schema: Mapping[str, Any], kind: str) -> bool:
    kinds = schema.get("type", kind)
    return (kind in kinds if isinstance(kinds, list) else kinds == kind) and not (
        {"enum", "const"} & schema.keys()
    )


def _values(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    if "const" in schema:
        return (schema["const"],)
    return tuple(schema.get("enum") or ())


def _near(schema: Any, path: Path) -> Path:
    """The path of the property that the reader most likely means: the same name elsewhere, or a
    similar one at the same place or elsewhere."""
    name = str(path[-1]) if path else ""
    places = list(islice(_properties(schema, schema, (), 0), 400))
    beside = {str(place[-1]): place for place in places if place[:-1] == path[:-1]}
    near = closest_name(name, beside)
    if near:
        return beside[near]
    by_name = {str(place[-1]): place for place in reversed(places)}
    near = closest_name(name, by_name)
    return by_name[near] if near else ()


def _properties(schema: Any, root: Any, path: Path, depth: int) -> Iterator[Path]:
    """The paths of all properties, outer ones first at each place."""
    if depth > MAX_DEPTH:
        return
    plain = resolved(schema, root)
    for word in COMPOUNDS:
        for member in plain.get(word) or ():
            yield from _properties(member, root, path, depth + 1)
    properties = plain.get("properties")
    for name, part in (properties if isinstance(properties, Mapping) else {}).items():
        yield (*path, name)
        yield from _properties(part, root, (*path, name), depth + 1)
    if isinstance(plain.get("items"), Mapping):
        yield from _properties(plain["items"], root, (*path, 0), depth + 1)
