"""People whom an OpenID Connect provider signs in: their groups and whether they are staff."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import transaction


@transaction.atomic
def follow_groups(user: User, groups: Collection[str]) -> None:
    """Make the user a member of exactly those groups of this server that the provider names, and
    staff or not, each if it is configured."""
    if settings.SIGNALBOX_OIDC_GROUPS:
        user.groups.set(Group.objects.filter(name__in=groups))
    if settings.SIGNALBOX_OIDC_STAFF:
        user.is_staff = settings.SIGNALBOX_OIDC_STAFF in groups
        user.save(update_fields=["is_staff"])
