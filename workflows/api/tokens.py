"""API tokens of the caller: list, create, revoke."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from rest_framework.request import Request

from workflows.actions import tokens as actions
from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.models import Token
from workflows.selectors import tokens as read


@operation(shapes.TokenDescription(many=True))
def tokens_list(request: Request) -> Any:
    """The caller's tokens, newest first. The tokens themselves are never returned again."""
    user: Any = request.user
    return [read.token_json(token) for token in read.tokens_of(user)]


@operation(
    shapes.FreshToken,
    400,
    403,
    status=201,
    request=shapes.NewToken,
    description="Create a token. `token` is returned only here. A token creates others only "
    "with its own scopes, and none that expires later.",
)
def tokens_create(request: Request) -> Any:
    """The caller's tokens, newest first. The tokens themselves are never returned again."""
    user: Any = request.user
    body = checked(shapes.NewToken, request)
    days = body["expires_in_days"]
    row, token = actions.make_token(
        user,
        body["name"],
        scopes=body["scopes"],
        lifetime=None if days is None else timedelta(days=days),
        by=request.auth if isinstance(request.auth, Token) else None,
    )
    return {**read.token_json(row), "token": token}


@operation(None, status=204)
def tokens_revoke(request: Request, id: str) -> None:
    """Revoke a token of the caller. It is invalid at once."""
    user: Any = request.user
    actions.revoke_token(user, id)
