"""The user of a request."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.request import Request


def request_user(request: HttpRequest | Request) -> User:
    """The signed-in user. Authentication rejects every other request before it reaches a view."""
    assert isinstance(request.user, User)
    return request.user
