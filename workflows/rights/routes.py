"""Patterns of addresses, as the table of rights has them."""

from __future__ import annotations

from django.conf import settings
from django.urls import ResolverMatch


def route_of(match: ResolverMatch) -> str:
    """The pattern of the address of a request, below SIGNALBOX_PATH."""
    return match.route.removeprefix(settings.ROOT_PATH[1:])
