"""Saving a prompt config as a numbered revision."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from roles.models import Role, RoleRevision


def save_config(role: Role, config: dict[str, Any], reason: str, by: User | None = None) -> bool:
    """Save the role with this config, as a new revision if it differs from the current one.

    The caller has validated the config and locked the role in its transaction. Returns True if a
    new revision was saved; otherwise nothing is saved.
    """
    if role.revision and role.prompt_config == config:
        return False
    role.prompt_config = config
    role.revision += 1
    role.save()
    RoleRevision.objects.create(
        role=role, number=role.revision, prompt_config=config, reason=reason, made_by=by
    )
    return True
