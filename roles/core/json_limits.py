"""Limits of JSON that is stored: plain text, finite numbers, bounded depth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from roles.core.problems import Problem, pointer

DEEPEST = 20
LONGEST = 200_000
"""Maximum length of one text, in characters."""


def unkeepable(value: Any, *steps: str | int) -> Iterator[Problem]:
    """A problem for each place that cannot be stored unchanged."""
    path = pointer(*steps)
    if len(steps) > DEEPEST:
        yield Problem(path=path, code="depth", message=f"This is nested over {DEEPEST} deep.")
        return
    match value:
        case str():
            yield from unkeepable_text(value, path)
        case float() if not math.isfinite(value):
            yield Problem(path=path, code="number", message="This number is too large.")
        case dict():
            for key, item in value.items():
                if not plain(key):
                    yield Problem(
                        path=path, code="characters", message="A key holds NUL or a lone surrogate."
                    )
                else:
                    yield from unkeepable(item, *steps, key)
        case list():
            for index, item in enumerate(value):
                yield from unkeepable(item, *steps, index)


def unkeepable_text(text: str, path: str) -> Iterator[Problem]:
    """A problem for a text that cannot be stored unchanged."""
    if len(text) > LONGEST:
        message = f"This is longer than {LONGEST:,} characters."
        yield Problem(path=path, code="too_long", message=message)
    elif not plain(text):
        message = "This holds NUL or a lone surrogate, which cannot be stored."
        yield Problem(path=path, code="characters", message=message)


def plain(text: str) -> bool:
    """Return True for UTF-8 text without NUL."""
    try:
        text.encode()
    except UnicodeError:
        return False
    return "\0" not in text
