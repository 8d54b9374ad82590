"""Forges: servers of git repositories that open pull requests. Each module in this folder is one,
found by its `FORGE`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from workflows.repos.forges.base import Forge


@cache
def forges() -> dict[str, Forge]:
    """Every forge by name."""
    by_name: dict[str, Forge] = {}
    for module in iter_modules(__path__):
        forge: Forge | None = getattr(import_module(f"{__name__}.{module.name}"), "FORGE", None)
        if forge is not None:
            by_name[forge.name] = forge
    return by_name
