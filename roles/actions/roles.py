"""Roles: create, change, reset, restore, delete. Each function is one transaction.

`matches` is called with the locked row: it returns False if the row is no longer what the caller
read. A system role is refused before anything else is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from roles.actions.save_config import save_config
from roles.core.merge_patch import merged
from roles.core.problems import Problem, errors
from roles.core.prompt_config import problems as config_problems
from roles.core.role_fields import cleaned_name, in_envelope, problems, scope_problems
from roles.errors import (
    ChangedMeanwhile,
    Invalid,
    NameTaken,
    NotResettable,
    SystemRole,
    TemplateMissing,
)
from roles.models import Role
from roles.rows import unless_taken
from roles.selectors.roles import readable_role, revision_numbered

Matches = Callable[[Role], bool]


def _whatever(row: Role) -> bool:
    return True


@transaction.atomic
def create(body: Any, by: User) -> Role:
    """Create a role of this user. Raises Invalid and NameTaken."""
    _check(problems(body, new=True))
    row = Role(owner=by, revision=0)
    _take(row, body)
    with _unless_taken(row):
        save_config(row, body["prompt_config"], "created", by)
    return row


@transaction.atomic
def change(role_id: int, body: Any, by: User, matches: Matches = _whatever) -> Role:
    """Change the given fields. Raises NotThere, SystemRole, ChangedMeanwhile, Invalid and
    NameTaken."""
    row = _held(role_id, by, matches)
    _check(problems(body, new=False))
    _take(row, body)
    config = body.get("prompt_config", row.prompt_config)
    with _unless_taken(row):
        if not save_config(row, config, "edited", by):
            row.save()
    return row


@transaction.atomic
def set_prompt(
    role_id: int, body: Any, by: User, *, merge: bool = False, matches: Matches = _whatever
) -> Role:
    """Replace the prompt config with that of `body`, whose one key is `prompt_config`; with
    `merge`, the body is a merge patch (RFC 7396), and its result is validated.

    Raises NotThere, SystemRole, ChangedMeanwhile and Invalid; then nothing has changed.
    """
    row = _held(role_id, by, matches)
    if not isinstance(body, Mapping) or "prompt_config" not in body:
        message = "The body is an object with `prompt_config`."
        raise Invalid([Problem(path="/prompt_config", code="missing", message=message)])
    config = body["prompt_config"]
    if merge:
        whole = merged({"prompt_config": row.prompt_config}, {"prompt_config": config})
        return set_prompt(role_id, whole, by)
    _check(in_envelope(config_problems(config)))
    save_config(row, config, "edited", by)
    return row


@transaction.atomic
def reset(role_id: int, by: User, matches: Matches = _whatever) -> Role:
    """Reset a copy's prompt config to that of its system role; other fields are kept. The old
    config stays a revision. Raises NotThere, NotResettable, TemplateMissing and ChangedMeanwhile.
    """
    row = _held(role_id, by, matches, system=NotResettable)
    if row.source_role_id is None:
        raise NotResettable
    source = Role.objects.filter(pk=row.source_role_id, is_system=True).first()
    if source is None:
        raise TemplateMissing
    save_config(row, source.prompt_config, "reset", by)
    return row


@transaction.atomic
def restore(role_id: int, number: int, by: User) -> Role:
    """Restore the prompt config of a revision, as a new one. Raises NotThere, SystemRole, and
    Invalid if it breaks newer rules."""
    row = _held(role_id, by, _whatever)
    old = revision_numbered(row, number)
    _check(in_envelope(config_problems(old.prompt_config)))
    save_config(row, old.prompt_config, f"restored {number}", by)
    return row


@transaction.atomic
def set_scopes(role_id: int, body: Any, by: User) -> Role:
    """Set the role's platform scopes. Raises NotThere, SystemRole and Invalid."""
    row = _held(role_id, by, _whatever)
    if not isinstance(body, Mapping) or "platform_scopes" not in body:
        message = "The body is an object with `platform_scopes`."
        raise Invalid([Problem(path="/platform_scopes", code="missing", message=message)])
    _check(scope_problems(body["platform_scopes"]))
    row.platform_scopes = body["platform_scopes"]
    row.save()
    return row


@transaction.atomic
def delete(role_id: int, by: User, matches: Matches = _whatever) -> None:
    """Delete a role, its revisions and its own memory. A deleted copy of a system role is created
    again at its owner's next sign-in. Raises NotThere, SystemRole and ChangedMeanwhile."""
    _held(role_id, by, matches).delete()


def _held(
    role_id: int,
    by: User,
    matches: Matches,
    system: type[SystemRole | NotResettable] = SystemRole,
) -> Role:
    """The row, locked. System roles are refused before anything else is checked."""
    role = readable_role(role_id, by)
    if role.is_system:
        raise system
    row = Role.objects.select_for_update().filter(pk=role_id).first() or readable_role(role_id, by)
    if not matches(row):
        raise ChangedMeanwhile
    return row


def _check(problems: Any) -> None:
    faults = errors(problems)
    if faults:
        raise Invalid(faults)


def _take(row: Role, body: Mapping[str, Any]) -> None:
    if "name" in body:
        row.name = cleaned_name(body["name"])
    for field in ("description", "color", "platform_scopes"):
        if field in body:
            setattr(row, field, body[field])


def _unless_taken(row: Role) -> AbstractContextManager[None]:
    taken = NameTaken(f"You have a role called {row.name!r} already.", where="/name")
    return unless_taken(taken)
