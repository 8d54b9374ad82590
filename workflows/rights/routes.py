"""Addresses below the path of the server (SIGNALBOX_PATH)."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.urls import ResolverMatch


def route_of(match: ResolverMatch) -> str:
    """The pattern of the address of a request, below SIGNALBOX_PATH."""
    return match.route.removeprefix(settings.ROOT_PATH[1:])


def is_api(request: HttpRequest) -> bool:
    """Return True for an operation, False for a page."""
    return request.path_info.startswith(f"{settings.ROOT_PATH}api/")
