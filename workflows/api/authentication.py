"""Authentication of programs by bearer token."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from workflows.actions.tokens import record_use
from workflows.models import Token
from workflows.rights.operations import scope_of
from workflows.rights.routes import route_of


class BearerToken(TokenAuthentication):
    """`Authorization: Bearer <token>`, with a token created in the settings.

    A token is accepted only for operations of its scopes. The check is here because every view
    that accepts tokens authenticates with this class.
    """

    def authenticate(self, request: Request) -> Any:
        authenticated = super().authenticate(request)  # type: ignore[no-untyped-call]
        if authenticated is not None:
            _, token = authenticated
            require_scope(token, scope_of(request.method or "", _route(request)))
            record_use(token)
        return authenticated

    def authenticate_credentials(self, token: bytes) -> Any:
        try:
            return super().authenticate_credentials(token)  # type: ignore[no-untyped-call]
        except UnicodeDecodeError:
            raise AuthenticationFailed from None

    def authenticate_header(self, request: object) -> str:
        return "Bearer"


def require_scope(token: Token, needed: str) -> None:
    """Raises PermissionDenied for a token without this scope."""
    if needed not in token.scopes:
        raise PermissionDenied(
            f"This token lacks the scope '{needed}'. Create one with it under Settings."
        )


def _route(request: Request) -> str:
    match = request.resolver_match
    return "" if match is None else route_of(match)


class BearerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The security scheme in the OpenAPI document."""

    target_class = "workflows.api.authentication.BearerToken"
    name = "bearerToken"
    priority = 1

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
