"""Users that tests share."""

from __future__ import annotations

from django.contrib.auth.models import User


def operator() -> User:
    """A user with the right to run commands."""
    return User.objects.get_or_create(username="operator", defaults={"is_staff": True})[0]
