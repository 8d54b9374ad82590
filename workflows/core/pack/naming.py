"""New names for elements, and suggestions for misspelled ones."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from workflows.core.pack.edits import EditRefused

MAX_CANDIDATES = 60
"""The number of names of similar length that are compared letter by letter."""


def require_free(taken: Iterable[str], name: str, what: str) -> None:
    """Raises EditRefused for a name that is empty or taken."""
    if not name.strip():
        raise EditRefused(f"A {what} needs a name.")
    if name in taken:
        raise EditRefused(
            f"There is a {what} {name!r} already.", hint="Choose a name that is not taken."
        )


def numbered_name(name: str, taken: Iterable[str]) -> str:
    """The name, or the name with the first free number appended: draft, draft-2, draft-3…"""
    names = set(taken)
    if name not in names:
        return name
    joint = "_" if "_" in name and "-" not in name else "-"
    number = 2
    while f"{name}{joint}{number}" in names:
        number += 1
    return f"{name}{joint}{number}"


def closest_name(name: str, names: Iterable[str]) -> str:
    """The known name that is most similar to a misspelled one; "" if none is similar."""
    plain = name.casefold().replace("_", "-")
    near: list[str] = []
    for other in names:
        if other.casefold().replace("_", "-") == plain:
            return other
        if abs(len(other) - len(name)) <= 4 and len(near) < MAX_CANDIDATES:
            near.append(other)
    matches = get_close_matches(name, near, n=1, cutoff=0.7)
    return matches[0] if matches else ""


def did_you_mean(name: object, names: Iterable[str], otherwise: str = "") -> str:
    """The hint for a misspelled name: `Did you mean 'x'?`. `otherwise` if no known one is
    similar."""
    near = closest_name(name, names) if isinstance(name, str) else ""
    return f"Did you mean {near!r}?" if near else otherwise
