"""Undo and redo stacks of one author, computed from the revisions alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from workflows.models import Revision

DEEPEST = 500
"""Number of an author's newest revisions that can be undone."""


NO_GROUPS: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoStacks:
    """Revision numbers, the next one last. `redo` holds the undo revisions to revert."""

    undo: tuple[int, ...]
    redo: tuple[int, ...]
    step: tuple[int, ...] = ()
    """The revisions that the next undo reverts, newest first."""


def stacks(pack_id: int, author: AbstractBaseUser | AnonymousUser | None) -> UndoStacks:
    """The undo and redo stacks of this author."""
    rows = list(
        Revision.objects.filter(pack_id=pack_id, author_id=author.pk if author else None)
        .exclude(kind=Revision.Kind.IMPORT)
        .order_by("-number")
        .values_list("number", "kind", "undoes", "group")[:DEEPEST]
    )
    groups = {number: group for number, _, _, group in rows if group}
    return folded((row[:3] for row in reversed(rows)), groups)


def undo_step(stack: Sequence[int], number: int, groups: Mapping[int, str]) -> list[int]:
    """The revisions that are undone with this one, newest first: those of its group directly
    before it."""
    step = [number]
    if number not in stack or number not in groups:
        return step
    for other in reversed(stack[: stack.index(number)]):
        if groups.get(other) != groups[number] or other != step[-1] - 1:
            break
        step.append(other)
    return step


def folded(
    rows: Iterable[tuple[int, str, int | None]], groups: Mapping[int, str] = NO_GROUPS
) -> UndoStacks:
    """Stacks after these (number, kind, undoes), oldest first. `groups`: number → undo group."""
    undo: list[int] = []
    redo: list[int] = []
    for number, kind, undoes in rows:
        if kind == Revision.Kind.UNDO:
            step = undo_step(undo, undoes, groups) if undoes else []
            undo = [other for other in undo if other not in step]
            redo.append(number)
        elif kind == Revision.Kind.REDO:
            redo = [other for other in redo if other != undoes]
            undo.append(number)
        else:
            undo.append(number)
            redo.clear()
    step = undo_step(undo, undo[-1], groups) if undo else []
    return UndoStacks(undo=tuple(undo), redo=tuple(redo), step=tuple(step))


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
