"""Sharing of owned objects, handing over, and groups. Callers check rights first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction

from roles.models import Memory, Role
from roles.rights import Level, Share, share, unshare
from roles.rows import found, unless_taken
from workflows.actions.quotas import check_pack
from workflows.db.text import is_storable
from workflows.errors import BadRequest, NotAllowed, NotThere
from workflows.models import Connection, Pack, Trigger

LEVELS = {"read": Level.READ, "edit": Level.EDIT}
MOST_SHARES = 200


@transaction.atomic
def set_sharing(row: Any, shares: Sequence[Share], *, by: User, owner: str | None = None) -> None:
    """Replace the shares of an object, and its owner if one is named. Raises BadRequest and
    NotAllowed."""
    _check_shareable(row, by)
    if len(shares) > MOST_SHARES:
        raise BadRequest(
            f"An object has at most {MOST_SHARES} shares.",
            hint="Share it with a group.",
            where="shares",
        )
    if owner is not None and owner != _owner_name(row):
        _hand_over(row, owner)
    unshare(row)
    for one in shares:
        whom = _whom(one)
        if isinstance(whom, User) and whom.pk == row.owner_id:
            continue
        share(row, whom, one.level)


def _check_shareable(row: Any, by: User) -> None:
    if isinstance(row, Role) and row.is_system:
        raise BadRequest("All users have the system roles already.")
    if isinstance(row, Memory) and row.role_id is not None:
        raise BadRequest("Facts of a role are shared with the role.", hint="Share the role.")
    if row.owner_id is None and not by.is_staff:
        raise NotAllowed("All users share this.", hint="Staff can give it an owner.")


def _owner_name(row: Any) -> str:
    return row.owner.get_username() if row.owner else ""


def _hand_over(row: Any, name: str) -> None:
    if isinstance(row, Trigger):
        raise BadRequest(
            "Runs of a trigger are started as its owner, so it cannot be handed over.",
            hint="Another user can create their own.",
            where="owner",
        )
    row.owner = _user(name, "owner")
    if isinstance(row, Pack):
        check_pack(row.owner)
    if isinstance(row, Connection):
        row.default = False
    with unless_taken(BadRequest(f"{name} has one of this name already.", where="owner")):
        row.save()


def _whom(one: Share) -> User | Group:
    if one.kind == "user":
        return _user(one.name, "shares")
    return found(
        Group.objects.filter(name=one.name),
        BadRequest(f"There is no group {one.name!r}.", where="shares"),
    )


def _user(name: str, where: str) -> User:
    return found(
        User.objects.filter(username=name, is_active=True),
        BadRequest(f"There is no active user {name!r}.", where=where),
    )


@transaction.atomic
def create_group(name: str, members: Sequence[str] = ()) -> Group:
    """Create a group of users. Raises BadRequest."""
    group = Group(name=_group_name(name))
    return _set_group(group, members)


@transaction.atomic
def change_group(group_id: int, name: str, members: Sequence[str]) -> Group:
    """Rename a group and replace its members. Raises NotThere and BadRequest."""
    group = _group(group_id)
    group.name = _group_name(name)
    return _set_group(group, members)


@transaction.atomic
def delete_group(group_id: int) -> None:
    """Delete a group; its shares end. Raises NotThere."""
    _group(group_id).delete()


def _group(group_id: int) -> Group:
    return found(Group.objects.filter(pk=group_id), NotThere(f"There is no group {group_id}."))


def _group_name(text: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > 150 or not is_storable(name):
        raise BadRequest("A group needs a name of at most 150 characters.", where="name")
    return name


def _set_group(group: Group, members: Sequence[str]) -> Group:
    users = [_user(name, "members") for name in members]
    with unless_taken(BadRequest(f"The group {group.name!r} already exists.", where="name")):
        group.save()
    group.user_set.set(users)
    return group
