"""The check of a request against the table of rights. API and pages call it before their views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from roles.rights import Level, level_of
from workflows.errors import NotAllowed, NotThere, StaffOnly
from workflows.rights.levels import KINDS, SHAREABLE, Kind, project_levels
from workflows.rights.operations import Need, Operation, route_of, rows_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request, as far as rights depend on it. `body` reads the JSON body when it is needed."""

    route: str
    method: str
    arguments: Mapping[str, Any]
    query: Mapping[str, Sequence[str]]
    form: Mapping[str, str]
    body: Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An object that a request is about."""

    kind: str
    key: str
    name: str


def operation_of(call: Call) -> Operation | None:
    """The row of a request; None if the table has none."""
    rows = rows_of(route_of(call.route), call.method)
    plain = [row for row in rows if not row.form]
    forms = [row for row in rows if row.form and row.form == call.form.get("do")]
    return next(iter([*forms, *plain]), None)


def is_unknown_form(call: Call) -> bool:
    """Return True for a form with a `do` that its page does not have. The page reports it."""
    rows = rows_of(route_of(call.route), call.method)
    return bool(rows) and all(row.form and row.form != call.form.get("do") for row in rows)


def check(person: User, call: Call) -> list[Target]:
    """The objects of an allowed request.

    Raises NotThere for an object that the user may not see, as for one that does not exist;
    NotAllowed for one that the user may see only; StaffOnly.
    """
    if is_unknown_form(call):
        return []
    row = operation_of(call)
    if row is None:
        raise NotAllowed("This address is not in the table of rights, so it is closed.")
    if row.access == "staff" and not person.is_staff:
        raise StaffOnly
    return [
        target for need in row.needs for key in _keys(call, need)
        if (target := _check(person, need, key, call)) is not None
    ]  # fmt: skip


def _check(person: User, need: Need, key: object, call: Call) -> Target | None:
    if need.kind == "project":
        _check_project(person, need, str(key))
        return None
    name = need.kind
    if name == "shared":
        name = SHAREABLE.get(str(call.arguments.get("kind")), "")
        if not name:
            raise NotThere("Nothing of this kind can be shared.", hint=f"{', '.join(SHAREABLE)}.")
    kind = KINDS[name]
    row = kind.find(key)
    if row is None:
        return None  # The view reports it, in the same words as `missing`.
    require(person, row, need.level, kind=kind, key=key)
    return Target(kind=name, key=str(row.pk), name=str(getattr(row, "name", "")))


def require(
    person: User, row: Any, level: Level, *, kind: Kind | None = None, key: object = None
) -> None:
    """Raise NotThere or NotAllowed unless the user has this level on the row."""
    actual = level_of(person, row)
    if actual >= level:
        return
    kind = kind or next(one for one in KINDS.values() if one.model is type(row))
    if actual is Level.NONE:
        raise NotThere(kind.missing.format(row.pk if key is None else key), hint=kind.hint)
    raise NotAllowed(_sentence(kind, actual, level, row), hint=_whom(row))


def _sentence(kind: Kind, actual: Level, needed: Level, row: Any) -> str:
    if needed is Level.OWN:
        return f"Only the owner of this {kind.word} and staff may do this."
    if kind.word in ("run", "approval"):
        return f"You may watch this {kind.word}, but not control it."
    return f"This {kind.word} is shared with you for reading, so you can't change it."


def _whom(row: Any) -> str:
    owner = getattr(row, "owner", None)
    name = f"{owner.get_username()}, its owner," if owner else "its owner"
    return f"Ask {name} to share it for editing, or work on a copy."


def _check_project(person: User, need: Need, name: str) -> None:
    """A project of shared memory can belong to a pack: its facts are part of the prompts of the
    pack's runs."""
    if person.is_staff:
        return
    level = project_levels(person, [name]).get(name)
    if level is None or level >= need.level:
        return
    if level is Level.NONE:
        raise NotThere(f"There is no project {name!r}.")
    raise NotAllowed("This project's pack is shared with you for reading only.")


def _keys(call: Call, need: Need) -> Iterable[object]:
    where, dot, name = need.place.partition(".")
    if not dot:
        return [call.arguments[where]]
    if where == "query":
        return list(call.query.get(name, ()))
    holder: object = call.form if where == "form" else call.body()
    value = holder.get(name) if isinstance(holder, Mapping) else None
    if isinstance(value, str):
        # Fields remove space around a text, and some names may have it.
        return [one for one in dict.fromkeys((value, value.strip())) if one]
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return [value] if plain else []
