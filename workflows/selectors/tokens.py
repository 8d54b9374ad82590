"""API tokens for the settings page and the API."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from workflows.models import Token


def tokens_of(user: User) -> QuerySet[Token]:
    """The user's tokens, newest first."""
    return Token.objects.filter(user=user).order_by("-created")


def token_json(token: Token) -> dict[str, Any]:
    return {
        "id": token.token_key,
        "name": token.name,
        "scopes": token.scopes,
        "created_at": token.created.isoformat(),
        "expires_at": token.expiry.isoformat() if token.expiry else None,
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
    }
