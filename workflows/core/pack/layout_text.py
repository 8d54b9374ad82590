"""Layout of a pack as the text of a file: one line for each state, in the order of their ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

VERSION = 1
PAIRS = (("x", "y"), ("width", "height"))
LONGEST_NOTE = 4_000
LARGEST = 1e9
"""Number of units of the canvas that a position or size may have."""

Places = dict[str, dict[str, Any]]
"""State id → those of x and y, width and height, and note that it has."""


class BadLayout(ValueError):
    """The text is not a layout. The message names the problem."""


def layout_text(places: Mapping[str, Mapping[str, Any]]) -> bytes:
    """The text of a layout. Values of None and empty notes are left out."""
    lines = [
        f"    {_json(key)}: {_json(line)}"
        for key in sorted(places)
        if (line := {name: _number(value) for name, value in _plain(places[key]).items()})
    ]
    states = ",\n".join(lines)
    inner = f"{{\n{states}\n  }}" if lines else "{}"
    return f'{{\n  "version": {VERSION},\n  "states": {inner}\n}}\n'.encode()


def read_layout(data: bytes) -> Places:
    """The places that a text has. Raises BadLayout."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadLayout(f"it is not JSON: {str(error)[:100]}") from None
    if not isinstance(value, dict) or value.get("version") != VERSION:
        raise BadLayout(f'it has no "version": {VERSION}')
    states = value.get("states")
    if not isinstance(states, dict):
        raise BadLayout('it has no object "states"')
    return {key: _checked(key, one) for key, one in states.items()}


def _checked(key: str, place: Any) -> dict[str, Any]:
    if not isinstance(place, dict):
        raise BadLayout(f"the place of {key[:80]!r} is not an object")
    for pair in PAIRS:
        values = [place.get(name) for name in pair]
        if values != [None, None] and not all(map(_is_figure, values)):
            raise BadLayout(f"{' and '.join(pair)} of {key[:80]!r} are not two numbers")
    note = place.get("note", "")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise BadLayout(
            f"the note of {key[:80]!r} is not a text of at most {LONGEST_NOTE:,} characters"
        )
    return _plain(place)


def _plain(place: Mapping[str, Any]) -> dict[str, Any]:
    names = [name for pair in PAIRS for name in pair]
    figures = {name: float(place[name]) for name in names if place.get(name) is not None}
    return {**figures, **({"note": place["note"]} if place.get("note") else {})}


def _is_figure(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= LARGEST


def _number(value: Any) -> Any:
    """A whole number without a fraction, and others with two digits."""
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else round(value, 2)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
