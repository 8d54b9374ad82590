"""Drivers, which supply model replies. Each module in this folder is one, found by its `DRIVER`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from workflows.runner.drivers.base import Driver


@cache
def drivers() -> dict[str, Driver]:
    """Every driver by name."""
    by_name: dict[str, Driver] = {}
    for module in iter_modules(__path__):
        driver: Driver | None = getattr(import_module(f"{__name__}.{module.name}"), "DRIVER", None)
        if driver is not None:
            by_name[driver.name] = driver
    return by_name
