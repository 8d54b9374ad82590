"""Drivers, which supply model replies. Each module in this folder is one, found by its `DRIVER`."""

from __future__ import annotations

from functools import cache

from workflows.core.plugins import plugins
from workflows.runner.drivers.base import Driver


@cache
def drivers() -> dict[str, Driver]:
    """Every driver by name."""
    return plugins(__name__, "DRIVER")
