"""API tokens of tests."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User

from workflows.actions.tokens import make_token
from workflows.rights.scopes import SCOPES


def api_token(user: User, name: str = "test", scopes: Sequence[str] = SCOPES) -> str:
    """A new token, with every scope unless named."""
    return make_token(user, name, scopes=scopes)[1]
