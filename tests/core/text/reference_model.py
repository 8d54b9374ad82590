"""A slow and simple second reading of JSON edits, to compare with: objects are lists of pairs."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from workflows.core.text.json.document import JsonText, Pointer


class Pairs(list[list[Any]]):
    """An object with its members in file order, repeated keys included."""


def pairs(data: bytes) -> Any:
    """The file as nested Pairs, lists and scalars."""
    return json.loads(
        data.decode("utf-8-sig"), object_pairs_hook=lambda found: Pairs(map(list, found))
    )


def exact(value: Any) -> str:
    """Text in which 1, 1.0 and true differ and lone surrogates do not matter."""
    return json.dumps(value)


def at(model: Any, pointer: Pointer) -> Any:
    for segment in pointer:
        model = model[place(model, segment)]
        if isinstance(segment, str):
            model = model[1]
    return model


def place(model: Any, segment: str | int) -> int:
    """The index of the last member with this key, or of the element."""
    if isinstance(segment, int):
        return segment
    return max(index for index, (key, _) in enumerate(model) if key == segment)


def pointers(text: JsonText) -> list[Pointer]:
    """Every place in the file, the root first."""
    found: list[tuple[Pointer, Any]] = [((), text.value)]
    for pointer, value in found:
        match value:
            case dict():
                found += [((*pointer, key), inside) for key, inside in value.items()]
            case list():
                found += [((*pointer, index), inside) for index, inside in enumerate(value)]
    return [pointer for pointer, _ in found]


def some_pointers(text: JsonText, random: Random, count: int) -> list[Pointer]:
    """Places below the root, found by walking down; none in a file that is one scalar."""
    found: list[Pointer] = []
    for _ in range(count if text.value and isinstance(text.value, dict | list) else 0):
        pointer: Pointer = ()
        value = text.value
        while isinstance(value, dict | list) and value and (not pointer or random.random() < 0.8):
            name = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
            pointer, value = (*pointer, name), value[name]
        found.append(pointer)
    return found


def layout(text: JsonText) -> list[tuple[Pointer, int, int, int]]:
    """All positions: a fresh parse and an edited text must agree on them."""
    rows = []
    for pointer in pointers(text):
        span = text.span(pointer)
        rows.append((pointer, span.start, span.end, text.line(pointer, key=True)))
    return rows


def any_value(random: Random, depth: int = 0) -> Any:
    """A random value."""
    match random.randrange(7 if depth < 2 else 5):
        case 0:
            return random.choice([None, True, False])
        case 1:
            return random.choice([0, -3, 1.0, 2.5e-7, 10**25])
        case 2 | 3 | 4:
            return random.choice(["", "new", "é/ü", "🚦", "line\nbreak", "\ud800", "\\u0041", "<"])
        case 5:
            return [any_value(random, depth + 1) for _ in range(random.randrange(4))]
    keys = random.sample(["k", "ö", "a/b", "deep"], random.randrange(4))
    return {key: any_value(random, depth + 1) for key in keys}
