"""Roles, for people, runs and the API."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from roles.core.columns import columns
from roles.core.merge_patch import differences
from roles.core.problems import warnings
from roles.core.prompt_config import problems
from roles.errors import NotThere
from roles.models import Role, RoleRevision
from roles.rights import shared_visible, visible
from roles.rows import found

Kind = Literal["own", "shared", "system", "all"]
KINDS: tuple[Kind, ...] = ("own", "shared", "system", "all")


def role_for_run(role_id: int, user: User | None) -> dict[str, Any]:
    """A role as a run copies it: `{"id", "name", "description", "revision", "prompt_config",
    "color"}`.

    A JSON value without references: later edits of the role do not change the run. `user` is the
    person who bound the role and limits the choice to their roles and the system roles; None sees
    every role. `roles.core.prompt_config.prompt_config` converts its config for
    `roles.core.assemble.assemble`. Raises NotThere.
    """
    row = readable_role(role_id, user)
    return columns(row, "id", "name", "description", "revision", "prompt_config", "color")


def roles(person: User, kind: Kind = "own", query: str = "") -> QuerySet[Role]:
    """A user's roles, those that others share with them, the system roles, or all of these, by
    name; `query` is matched against name and description."""
    mine, system = Q(owner=person, is_system=False), Q(is_system=True)
    shared = shared_visible(Role, person) & ~mine
    kinds = {"own": mine, "shared": shared, "system": system, "all": mine | shared | system}
    rows = Role.objects.filter(kinds[kind])
    if query:
        rows = rows.filter(Q(name__icontains=query) | Q(description__icontains=query))
    return rows.select_related("owner").order_by("name", "pk")


def readable_role(role_id: int, person: User | None) -> Role:
    """A role that this user may see: their own, one shared with them, or a system role; None sees
    every role. Raises NotThere."""
    rows = Role.objects.select_related("owner").filter(pk=role_id)
    if person is not None:
        rows = visible(rows, person)
    return found(rows, NotThere(f"There is no role {role_id} that you may see."))


def role_json(row: Role) -> dict[str, Any]:
    """The whole row (specification, section 1). `created_by` is a name, null for system roles."""
    return {
        **columns(row, "id", "name", "description"),
        "created_by": row.owner.get_username() if row.owner else None,
        **columns(row, "is_system", "source_role_id", "color", "platform_scopes", "prompt_config"),
        **columns(row, "revision", "created_at", "updated_at"),
    }


def prompt_json(row: Role) -> dict[str, Any]:
    """The prompt config with its warnings. Pointers begin inside the config."""
    return {
        "prompt_config": row.prompt_config,
        "revision": row.revision,
        "warnings": [one.to_json() for one in warnings(problems(row.prompt_config))],
    }


def etag(value: Any) -> str:
    """A strong ETag of a JSON value."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return f'"{hashlib.sha256(text.encode(errors="replace")).hexdigest()[:32]}"'


def prompt_etag(row: Role) -> str:
    """ETag of the prompt config alone, so that a new colour does not invalidate it."""
    return etag(row.prompt_config)


def role_etag(row: Role) -> str:
    """ETag of the whole row, without the time of the save."""
    values = role_json(row)
    return etag({name: value for name, value in values.items() if not name.endswith("_at")})


def revisions(row: Role) -> QuerySet[RoleRevision]:
    """Every saved prompt config, newest first."""
    return row.revisions.select_related("made_by").order_by("-number")


def revision_numbered(row: Role, number: int) -> RoleRevision:
    """A revision by number. Raises NotThere."""
    return found(
        revisions(row).filter(number=number),
        NotThere(f"{row.name} has no revision {number}.", hint=f"The newest is {row.revision}."),
    )


def revision_json(one: RoleRevision) -> dict[str, Any]:
    return {
        "number": one.number,
        "reason": one.reason,
        "made_by": one.made_by.get_username() if one.made_by else None,
        "made_at": one.made_at.isoformat(),
        "current": one.number == one.role.revision,
    }


def difference(row: Role, start: int, end: int) -> dict[str, Any]:
    """Differences of another revision. Raises NotThere."""
    before, after = revision_numbered(row, start), revision_numbered(row, end)
    changes = differences(before.prompt_config, after.prompt_config)
    return {"from": start, "to": end, "changes": [one.to_json() for one in changes]}
