"""Names as one dialect writes them and as another does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

_KEBAB = re.compile(r"[a-z][a-z0-9]+(-[a-z][a-z0-9]+)*")


def is_kebab(name: str) -> bool:
    """Whether `name` is small words with hyphens that can be told apart in PascalCase."""
    return _KEBAB.fullmatch(name) is not None


def pascal(label: str) -> str:
    """`needs-changes` as `NeedsChanges`; what is not of that form stays as it is."""
    return "".join(map(str.capitalize, label.split("-"))) if is_kebab(label) else label


def unpascal(name: str) -> str:
    """`NeedsChanges` as `needs-changes`, where `pascal` leads back; others stay as they are."""
    label = "-".join(word.lower() for word in re.findall(r"[A-Z][a-z0-9]+", name))
    return label if label and pascal(label) == name else name


def spelled_as(name: str, known: Iterable[str]) -> str:
    """The one of these tools that is meant, however it is spelled: `WebFetch` is `web-fetch`."""
    bare = re.sub(r"[^a-z0-9]", "", name.lower())
    return next((each for each in known if re.sub("[^a-z0-9]", "", each.lower()) == bare), name)


def slug(text: str, fallback: str = "workflow") -> str:
    """Small letters, digits and hyphens, beginning with a letter."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return plain if plain[:1].isalpha() else f"{fallback}-{plain}".strip("-")


def word(text: str) -> str:
    """Letters, digits and underscores: what may stand in a placeholder of any dialect."""
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return plain if plain[:1].isalpha() else f"v_{plain}"


def title(id: str) -> str:
    """An id as a heading."""
    plain = re.sub(r"[^A-Za-z0-9]+", " ", id).strip()
    return plain[:1].upper() + plain[1:] if plain else id


def unique_name(wanted: str, taken: Iterable[str]) -> str:
    """The name, numbered if it is taken."""
    others = taken if isinstance(taken, Set) else set(taken)
    free, number = wanted, 1
    while free in others:
        number += 1
        free = f"{wanted}-{number}"
    return free
