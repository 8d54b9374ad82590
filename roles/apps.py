from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db import connections
from django.db.models.signals import post_migrate


class RolesConfig(AppConfig):
    name = "roles"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(_load, sender=self, dispatch_uid="roles.system_roles")
        user_logged_in.connect(_bring_back, dispatch_uid="roles.copies")


def _load(*, using: str, **kwargs: Any) -> None:
    """Load the system roles of this version after its tables exist; other apps can be migrated
    first."""
    from roles.actions.system_roles import load_system_roles
    from roles.models import CopyMade

    if CopyMade._meta.db_table in connections[using].introspection.table_names():
        load_system_roles()


def _bring_back(*, user: Any, **kwargs: Any) -> None:
    """Create deleted copies of system roles again when their owner signs in."""
    from roles.actions.copies import bring_back

    bring_back(user)
