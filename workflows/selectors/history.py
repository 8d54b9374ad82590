"""Undo and redo stacks of one author, computed from the revisions alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from workflows.models import Revision

DEEPEST = 500
"""Number of an author's newest revisions that can be undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoStacks:
    """Revision numbers, the next one last. `redo` holds the undo revisions to revert."""

    undo: tuple[int, ...]
    redo: tuple[int, ...]


def stacks(pack_id: int, author: AbstractBaseUser | AnonymousUser | None) -> UndoStacks:
    """The undo and redo stacks of this author."""
    rows = (
        Revision.objects.filter(pack_id=pack_id, author_id=author.pk if author else None)
        .exclude(kind=Revision.Kind.IMPORT)
        .order_by("-number")
        .values_list("number", "kind", "undoes")[:DEEPEST]
    )
    return folded(reversed(list(rows)))


def folded(rows: Iterable[tuple[int, str, int | None]]) -> UndoStacks:
    """Stacks after these (number, kind, undoes), oldest first."""
    undo: list[int] = []
    redo: list[int] = []
    for number, kind, undoes in rows:
        if kind == Revision.Kind.UNDO:
            undo = [other for other in undo if other != undoes]
            redo.append(number)
        elif kind == Revision.Kind.REDO:
            redo = [other for other in redo if other != undoes]
            undo.append(number)
        else:
            undo.append(number)
            redo.clear()
    return UndoStacks(undo=tuple(undo), redo=tuple(redo))


def buttons(pack_id: int, author: AbstractBaseUser | AnonymousUser | None) -> dict[str, Any]:
    """The `undo` and `redo` buttons of the editor: enabled or not, and the edit each one
    reverts."""
    ready = stacks(pack_id, author)
    tops = [stack[-1] for stack in (ready.undo, ready.redo) if stack]
    labels = dict(
        Revision.objects.filter(pack_id=pack_id, number__in=tops).values_list("number", "summary")
    )
    return {
        "undo": _button(ready.undo, labels),
        "redo": _button(ready.redo, labels),
    }


def _button(stack: tuple[int, ...], labels: dict[int, str]) -> dict[str, Any]:
    if not stack:
        return {"can": False, "label": ""}
    label = labels.get(stack[-1], "").removeprefix("Undo: ").removeprefix("Redo: ")
    return {"can": True, "label": label}
