"""Modes: create, change, delete. Each function is one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from roles.core.modes import problems
from roles.core.problems import Problem, errors
from roles.core.role_fields import cleaned_name, name_problems
from roles.errors import Invalid, NameTaken
from roles.models import Mode
from roles.selectors.modes import mode_seen


@transaction.atomic
def create(given: Any, by: User) -> Mode:
    """Create a mode of this user. Raises Invalid and NameTaken."""
    _check(given, ("name", "manifest"))
    return _saved(Mode(owner=by, name=cleaned_name(given["name"]), manifest=given["manifest"]))


@transaction.atomic
def change(mode_id: int, given: Any, by: User) -> Mode:
    """Change the given fields. Raises NotThere, Invalid and NameTaken."""
    row = mode_seen(mode_id, by)
    _check(given, ())
    row.name = cleaned_name(given.get("name", row.name))
    row.manifest = given.get("manifest", row.manifest)
    return _saved(row)


@transaction.atomic
def delete(mode_id: int, by: User) -> None:
    """Delete a mode. Raises NotThere. Runs that copied it keep it."""
    mode_seen(mode_id, by).delete()


def _check(given: Any, needed: tuple[str, ...]) -> None:
    wrong = errors(_problems(given, needed))
    if wrong:
        raise Invalid(wrong)


def _problems(given: Any, needed: tuple[str, ...]) -> Iterator[Problem]:
    if not isinstance(given, Mapping):
        yield Problem(path="", code="type", message="The body is an object.")
        return
    for field in needed:
        if field not in given:
            yield Problem(path=f"/{field}", code="missing", message=f"`{field}` is required.")
    if "name" in given:
        yield from name_problems(given["name"])
    if "manifest" in given:
        for one in problems(given["manifest"]):
            yield Problem(
                path=f"/manifest{one.path}", code=one.code, message=one.message, level=one.level
            )


def _saved(row: Mode) -> Mode:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise NameTaken(f"You have a mode called {row.name!r} already.", where="/name") from None
    return row
