"""Lone surrogates: JSON and YAML escapes can write half of a surrogate pair, which UTF-8 cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workflows.core.text.json.pointer import Pointer

LONE_SURROGATE = "The text contains a lone surrogate, which cannot be stored or sent."
SURROGATE_HINT = "An escape such as \\ud83d must be followed by the second half of its pair."
SURROGATE = re.compile("[\ud800-\udfff]")

_ESCAPED = re.compile(rb"\\(u|U0000)[dD][89a-fA-F]")


def lone_surrogate(data: bytes, value: object) -> Pointer | None:
    """The first place of a lone surrogate in `value`, which was parsed from the JSON or YAML in
    `data`; None if there is none."""
    if not _ESCAPED.search(data):
        return None
    return next(_surrogates(value, ()), None)


def _surrogates(value: object, pointer: Pointer) -> Iterator[Pointer]:
    match value:
        case str():
            if SURROGATE.search(value):
                yield pointer
        case dict():
            for key, item in value.items():
                if isinstance(key, str) and SURROGATE.search(key):
                    yield pointer
                yield from _surrogates(item, (*pointer, key))
        case list():
            for index, item in enumerate(value):
                yield from _surrogates(item, (*pointer, index))
