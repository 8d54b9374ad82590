"""Prompts that several states use."""

from __future__ import annotations

from collections.abc import Sequence

MOST_NAMED = 4
"""States that a note names. The others are counted."""


def shared_note(users: Sequence[str], own: str = "") -> str:
    """The help text for a prompt that several states use; "" for a prompt of one state. `own` is
    the state whose form has the text; "" for the form of the prompt itself."""
    others = [name for name in users if name != own]
    if len(users) < 2 or not others:
        return ""
    named = ", ".join(others[:MOST_NAMED])
    more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    with_ = "Shared with" if own else "Shared by"
    return f"{with_} {named}{more}. A change of this prompt changes all of them."


def with_note(description: object, note: str) -> str:
    """A field's help text with this note first."""
    return " ".join(part for part in (note, str(description or "")) if part)
