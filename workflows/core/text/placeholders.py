"""Placeholders of a prompt: filled in, up to a maximum length of the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

MAX_TEXT = 2_000_000
"""Maximum length of a prompt with its values, in characters."""
TOO_LONG = f"With all its values, the prompt would have more than {MAX_TEXT:,} characters"
"""The first half of a message about placeholders that were left in a prompt."""

ValueOf: TypeAlias = "Callable[[re.Match[str]], str | None]"
"""The value of a placeholder; None for one that stays in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """`stop`: the offset in the template of the first placeholder whose value does not fit; None if
    all values fit. That placeholder and all after it stay in the text."""

    text: str
    stop: int | None = None


def fill(placeholder: re.Pattern[str], template: str, value_of: ValueOf) -> Filled:
    """The template with its placeholders replaced by their values, which are not scanned again."""
    pieces: list[str] = []
    size, at = len(template), 0
    stop = None
    for match in placeholder.finditer(template):
        value = value_of(match)
        if value is None:
            continue
        grows = len(value) - len(match[0])
        if grows > 0 and size + grows > MAX_TEXT:
            stop = match.start()
            break
        size += grows
        pieces += [template[at : match.start()], value]
        at = match.end()
    return Filled(text="".join([*pieces, template[at:]]), stop=stop)
