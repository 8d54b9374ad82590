"""Authentication of programs by bearer token."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed


class BearerToken(TokenAuthentication):
    """`Authorization: Bearer <token>`, with a token created in the settings."""

    def authenticate_credentials(self, token: bytes) -> Any:
        try:
            return super().authenticate_credentials(token)  # type: ignore[no-untyped-call]
        except UnicodeDecodeError:
            raise AuthenticationFailed from None

    def authenticate_header(self, request: object) -> str:
        return "Bearer"


class BearerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The security scheme in the OpenAPI document."""

    target_class = "workflows.api.authentication.BearerToken"
    name = "bearerToken"
    priority = 1

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
