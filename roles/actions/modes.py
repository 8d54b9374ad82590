"""Modes: create, change, delete. Each function is one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from roles.core.modes import problems
from roles.core.problems import Problem, errors
from roles.core.role_fields import cleaned_name, name_problems
from roles.errors import Invalid, NameTaken
from roles.models import Mode
from roles.rows import unless_taken
from roles.selectors.modes import readable_mode


@transaction.atomic
def create(body: Any, by: User) -> Mode:
    """Create a mode of this user. Raises Invalid and NameTaken."""
    _check(body, ("name", "manifest"))
    return _saved(Mode(owner=by, name=cleaned_name(body["name"]), manifest=body["manifest"]))


@transaction.atomic
def change(mode_id: int, body: Any, by: User) -> Mode:
    """Change the given fields. Raises NotThere, Invalid and NameTaken."""
    row = readable_mode(mode_id, by)
    _check(body, ())
    row.name = cleaned_name(body.get("name", row.name))
    row.manifest = body.get("manifest", row.manifest)
    return _saved(row)


@transaction.atomic
def delete(mode_id: int, by: User) -> None:
    """Delete a mode. Raises NotThere. Runs that copied it keep it."""
    readable_mode(mode_id, by).delete()


def _check(body: Any, needed: tuple[str, ...]) -> None:
    faults = errors(_problems(body, needed))
    if faults:
        raise Invalid(faults)


def _problems(body: Any, needed: tuple[str, ...]) -> Iterator[Problem]:
    if not isinstance(body, Mapping):
        yield Problem(path="", code="type", message="The body is an object.")
        return
    for field in needed:
        if field not in body:
            yield Problem(path=f"/{field}", code="missing", message=f"`{field}` is required.")
    if "name" in body:
        yield from name_problems(body["name"])
    if "manifest" in body:
        for one in problems(body["manifest"]):
            yield Problem(
                path=f"/manifest{one.path}", code=one.code, message=one.message, level=one.level
            )


def _saved(row: Mode) -> Mode:
    with unless_taken(NameTaken(f"You have a mode called {row.name!r} already.", where="/name")):
        row.save()
    return row
