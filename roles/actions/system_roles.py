"""Loading system roles from the files of this version."""

from __future__ import annotations

from django.db import transaction

from roles.actions.save_config import save_config
from roles.models import Role
from roles.system_role_files import shipped_roles


@transaction.atomic
def load_system_roles() -> None:
    """Create, change and delete system roles to match the files. Copies do not change; a copy
    without its system role can no longer be reset."""
    rows = {row.key: row for row in Role.objects.filter(is_system=True)}
    for shipped in shipped_roles():
        row = rows.pop(shipped.key, None) or Role(key=shipped.key, is_system=True, revision=0)
        about = {
            "name": shipped.name,
            "description": shipped.description,
            "color": shipped.color,
        }
        same = all(getattr(row, field) == value for field, value in about.items())
        for field, value in about.items():
            setattr(row, field, value)
        if not save_config(row, shipped.prompt_config, "shipped") and not same:
            row.save()
    Role.objects.filter(pk__in=[row.pk for row in rows.values()]).delete()
