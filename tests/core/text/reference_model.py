"""The places of a JSON text and their positions, to compare an edited text with a fresh parse."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from workflows.core.text.json.document import JsonText, Pointer


def exact(value: Any) -> str:
    """Text in which 1, 1.0 and true differ and lone surrogates do not matter."""
    return json.dumps(value)


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
