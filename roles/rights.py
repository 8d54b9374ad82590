"""Rights of users on owned rows: their owner, shares with users and groups, and staff.

All users share a row without an owner. Shares are
rows of django-guardian: `view_…` is READ, `change_…` is EDIT. A model whose rights follow from
another row registers its own rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from typing import Any, TypeVar

from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import BigIntegerField, Model, Q, QuerySet
from django.db.models.functions import Cast
from guardian.models import GroupObjectPermission, UserObjectPermission
from guardian.shortcuts import assign_perm

M = TypeVar("M", bound=Model)


class Level(IntEnum):
    """The right of a user on a row. OWN adds to EDIT: share, hand over, delete."""

    NONE = 0
    READ = 1
    EDIT = 2
    OWN = 3


SHARED = {"view": Level.READ, "change": Level.EDIT}
"""Verb of a permission → the level that it gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One share of a row. `kind` is user or group, `name` its name."""

    kind: str
    name: str
    level: Level


LevelRule = Callable[[User, Any], Level]
VisibleRule = Callable[[User, Level], Q]
_levels: dict[type[Model], LevelRule] = {}
_visible: dict[type[Model], VisibleRule] = {}


def register(model: type[Model], level: LevelRule, visible: VisibleRule) -> None:
    """Use these rules for a model. `visible` and `level` must agree; tests compare them."""
    _levels[model], _visible[model] = level, visible


def level_of(person: User, row: Any) -> Level:
    """The level of this user on this row."""
    if not person.is_active:
        return Level.NONE
    if person.is_staff:
        return Level.OWN
    return _levels.get(type(row), own_level)(person, row)


def own_level(person: User, row: Any) -> Level:
    """The level by the row's owner and shares alone."""
    if row.owner_id is None or row.owner_id == person.pk:
        return Level.OWN
    return shared_level(person, row)


def shared_level(person: User, row: Any) -> Level:
    """The highest level that this row is shared with the user, or with a group of theirs."""
    codes = chain(*(rows.values_list("permission__codename", flat=True)
                    for rows in _share_rows(person, type(row), str(row.pk))))  # fmt: skip
    return max((SHARED.get(code.partition("_")[0], Level.NONE) for code in codes),
               default=Level.NONE)  # fmt: skip


def visible(rows: QuerySet[M], person: User | None, level: Level = Level.READ) -> QuerySet[M]:
    """The rows on which the user has at least this level. None is the server itself: it sees rows
    without an owner only."""
    if person is None:
        return rows.filter(owner=None)
    if not person.is_active:
        return rows.none()
    if person.is_staff:
        return rows
    rule = _visible.get(rows.model)
    return rows.filter(
        own_visible(rows.model, person, level) if rule is None else rule(person, level)
    )


def own_visible(model: type[Model], person: User, level: Level) -> Q:
    """The condition of `visible` by owner and shares alone."""
    return Q(owner=None) | Q(owner=person) | shared_visible(model, person, level)


def shared_visible(model: type[Model], person: User, level: Level = Level.READ) -> Q:
    """Rows that are shared with the user at this level."""
    codes = [f"{verb}_{model._meta.model_name}" for verb, gives in SHARED.items() if gives >= level]
    condition = Q(pk__in=[])
    for rows in _share_rows(person, model):
        keys = rows.filter(permission__codename__in=codes)
        condition |= Q(pk__in=keys.values(key=Cast("object_pk", BigIntegerField())))
    return condition


def _share_rows(person: User, model: type[Model], key: str = "") -> tuple[QuerySet[Any], ...]:
    """Permissions of the user and of their groups on rows of a model."""
    users, groups = _all_share_rows(model, key)
    return users.filter(user=person), groups.filter(group__user=person)


def _all_share_rows(model: type[Model], key: str = "") -> tuple[QuerySet[Any], QuerySet[Any]]:
    """Permissions of users and of groups on rows of a model, or on one row."""
    about = {
        "content_type__app_label": model._meta.app_label,
        "content_type__model": model._meta.model_name,
    } | ({"object_pk": key} if key else {})
    return (
        UserObjectPermission.objects.filter(**about),
        GroupObjectPermission.objects.filter(**about),
    )


def shares_of(row: Model) -> list[Share]:
    """Shares of a row: users by name, then groups by name."""
    users, groups = _all_share_rows(type(row), str(row.pk))
    levels: dict[tuple[str, str], Level] = {}
    for kind, pairs in (
        ("user", users.values_list("user__username", "permission__codename")),
        ("group", groups.values_list("group__name", "permission__codename")),
    ):
        for name, code in sorted(pairs):
            gives = SHARED.get(code.partition("_")[0], Level.NONE)
            levels[kind, name] = max(gives, levels.get((kind, name), Level.NONE))
    return [Share(kind=kind, name=name, level=level) for (kind, name), level in levels.items()]


def share(row: Model, whom: User | Group, level: Level) -> None:
    """Share a row at READ or EDIT; NONE ends the share. Call it in a transaction."""
    unshare(row, whom)
    verb = next((verb for verb, gives in SHARED.items() if gives == level), None)
    if verb is not None:
        assign_perm(_permission(row, verb), whom, row)


def unshare(row: Model, whom: User | Group | None = None) -> None:
    """End the share with a user or group, or all shares."""
    users, groups = _all_share_rows(type(row), str(row.pk))
    if whom is None or isinstance(whom, User):
        (users if whom is None else users.filter(user=whom)).delete()
    if whom is None or isinstance(whom, Group):
        (groups if whom is None else groups.filter(group=whom)).delete()


def _permission(row: Model, verb: str) -> Permission:
    """The permission of this model. Django creates it when it migrates; a database that was
    emptied since may lack it."""
    kind, _ = ContentType.objects.get_or_create(
        app_label=row._meta.app_label, model=row._meta.model_name
    )
    code = f"{verb}_{row._meta.model_name}"
    permission, _ = Permission.objects.get_or_create(
        content_type=kind, codename=code, defaults={"name": f"Can {verb} {row._meta.verbose_name}"}
    )
    return permission
