"""Owner, shares and groups, for pages and the API."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, User

from roles.rights import Level, level_of, shares_of

WORDS = {Level.NONE: "none", Level.READ: "read", Level.EDIT: "edit", Level.OWN: "own"}


def sharing_json(row: Any, person: User) -> dict[str, Any]:
    """Owner and shares of an object. The shares are shown to those who may change them."""
    level = level_of(person, row)
    may_share = level is Level.OWN and (row.owner_id is not None or person.is_staff)
    shares = shares_of(row) if level is Level.OWN else []
    return {
        "name": title_of(row),
        "owner": row.owner.get_username() if row.owner else None,
        "unowned": row.owner_id is None,
        "may": WORDS[level],
        "may_share": may_share,
        "shares": [
            {"kind": one.kind, "name": one.name, "level": WORDS[one.level]} for one in shares
        ],
    }


def title_of(row: Any) -> str:
    """The name of an object, or the beginning of a fact."""
    return str(getattr(row, "name", "") or getattr(row, "fact", ""))[:80]


def active_names() -> list[str]:
    """Names of the active users."""
    people = User.objects.filter(is_active=True).order_by("username")
    return list(people.values_list("username", flat=True))


def several_people() -> bool:
    """Return True if the server has several active users."""
    return User.objects.filter(is_active=True)[:2].count() > 1


def groups_json(person: User) -> list[dict[str, Any]]:
    """Groups by name. Their members are shown to staff and to members."""
    rows = Group.objects.order_by("name").prefetch_related("user_set")
    return [group_json(row, person) for row in rows]


def group_json(row: Group, person: User) -> dict[str, Any]:
    members = sorted(user.get_username() for user in row.user_set.all())
    shown = person.is_staff or person.get_username() in members
    return {"id": row.pk, "name": row.name, "members": members if shown else []}
