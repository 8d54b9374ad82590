"""Conversions between the naming styles of dialects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from workflows.core.text.ascii_names import ascii_letters, ascii_name, letters_of

_SIGNS = re.compile(r"\W+", re.ASCII)
_SIGNS_BETWEEN_WORDS = re.compile(r"[\W_]+")
_KEBAB = re.compile(r"[a-z][a-z0-9]+(-[a-z][a-z0-9]+)*")


def is_kebab(name: str) -> bool:
    """True for lower-case words with hyphens whose PascalCase can be converted back."""
    return _KEBAB.fullmatch(name) is not None


def pascal(label: str) -> str:
    """`needs-changes` as `NeedsChanges`; other names are unchanged."""
    return "".join(map(str.capitalize, label.split("-"))) if is_kebab(label) else label


def unpascal(name: str) -> str:
    """`NeedsChanges` as `needs-changes`, if `pascal` reverts it; other names are unchanged."""
    label = "-".join(word.lower() for word in re.findall(r"[A-Z][a-z0-9]+", name))
    return label if label and pascal(label) == name else name


def spelled_as(name: str, names: Iterable[str]) -> str:
    """The known tool with this name in any spelling: `WebFetch` is `web-fetch`."""
    bare = letters_of(name)
    return next((each for each in names if letters_of(each) == bare), name)


def slug(text: str, fallback: str = "workflow") -> str:
    """The text as lower-case letters, digits and hyphens, beginning with a letter."""
    plain = ascii_name(text).lower()
    return plain if plain[:1].isalpha() else f"{fallback}-{plain}".strip("-")


def word(text: str) -> str:
    """The text as letters, digits and underscores, which every dialect allows in placeholders."""
    plain = _SIGNS.sub("_", ascii_letters(text)).strip("_")
    return plain if plain[:1].isalpha() else f"v_{plain}"


def title(id: str) -> str:
    """An id as a heading."""
    plain = _SIGNS_BETWEEN_WORDS.sub(" ", id).strip()
    return plain[:1].upper() + plain[1:] if plain else id


def unique_name(wanted: str, taken: Iterable[str]) -> str:
    """The name, numbered if it is taken."""
    others = taken if isinstance(taken, Set) else set(taken)
    free, number = wanted, 1
    while free in others:
        number += 1
        free = f"{wanted}-{number}"
    return free
