"""Forges: servers of git repositories that open pull requests. Each module in this folder is one,
found by its `FORGE`."""

from __future__ import annotations

from functools import cache

from workflows.core.plugins import plugins
from workflows.repos.forges.base import Forge


@cache
def forges() -> dict[str, Forge]:
    """Every forge by name."""
    return plugins(__name__, "FORGE")
