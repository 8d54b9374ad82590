"""Half a character: an escape can write one half of a surrogate pair, which UTF-8 cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workflows.core.text.json.pointer import Pointer

HALF = "A text holds half a character, which nothing can store or send."
HALF_HINT = "An escape such as \\ud83d needs its other half right behind it."

_ESCAPED = re.compile(rb"\\(u|U0000)[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")


def half_character(data: bytes, value: object) -> Pointer | None:
    """Its first place in this value, which was read from these bytes of JSON or YAML."""
    if not _ESCAPED.search(data):
        return None
    return next(_halves(value, ()), None)


def _halves(value: object, pointer: Pointer) -> Iterator[Pointer]:
    match value:
        case str():
            if _HALF.search(value):
                yield pointer
        case dict():
            for key, item in value.items():
                if isinstance(key, str) and _HALF.search(key):
                    yield pointer
                yield from _halves(item, (*pointer, key))
        case list():
            for index, item in enumerate(value):
                yield from _halves(item, (*pointer, index))
