"""Modes, for people and runs."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from roles.core.columns import columns
from roles.core.modes import problems
from roles.core.problems import warnings
from roles.errors import NotThere
from roles.models import Mode
from roles.rows import found


def mode_for_run(mode_id: int, user: User | None) -> dict[str, Any]:
    """A mode as a run copies it: `{"id", "name", "manifest"}`. With the number of turns it is all
    that `roles.core.modes.Session` needs. Raises NotThere."""
    row = readable_mode(mode_id, user)
    return {"id": row.pk, "name": row.name, "manifest": row.manifest}


def modes(person: User) -> QuerySet[Mode]:
    """A user's modes, by name."""
    return Mode.objects.filter(owner=person).order_by("name")


def readable_mode(mode_id: int, person: User | None) -> Mode:
    """One mode of this user, or of any user if None. Raises NotThere."""
    rows = Mode.objects.filter(pk=mode_id)
    return found(
        rows if person is None else rows.filter(owner=person),
        NotThere(f"There is no mode {mode_id} of yours."),
    )


def mode_json(row: Mode) -> dict[str, Any]:
    return {
        **columns(row, "id", "name", "manifest"),
        "warnings": [one.to_json() for one in warnings(problems(row.manifest))],
        **columns(row, "created_at", "updated_at"),
    }
