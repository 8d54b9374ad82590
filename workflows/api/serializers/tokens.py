"""API tokens. The token itself is returned once, by the operation that creates it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.rights.scopes import SCOPES

DEFAULT_DAYS = 90
LONGEST_DAYS = 3650
EXPIRES = "Days until the token expires; null for no expiry."


class NewToken(s.Serializer[Any]):
    name = s.CharField(max_length=100)
    scopes = s.ListField(child=s.ChoiceField(choices=SCOPES), min_length=1, max_length=len(SCOPES))
    expires_in_days = s.IntegerField(
        default=DEFAULT_DAYS,
        allow_null=True,
        min_value=1,
        max_value=LONGEST_DAYS,
        help_text=EXPIRES,
    )


class TokenDescription(s.Serializer[Any]):
    id = s.CharField(help_text="The beginning of the token.")
    name = s.CharField()
    scopes = s.ListField(child=s.ChoiceField(choices=SCOPES))
    created_at = s.DateTimeField()
    expires_at = s.DateTimeField(allow_null=True)
    last_used_at = s.DateTimeField(allow_null=True, help_text="To the minute.")


class FreshToken(TokenDescription):
    token = s.CharField()
