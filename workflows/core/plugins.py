"""Plug-ins: the modules of a package that declare an object."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


def modules_of(package: str) -> list[ModuleType]:
    """The modules of a package, imported.

    Raises RuntimeError if there are none: without a free file handle a folder looks empty, and a
    caller that keeps the result would keep that.
    """
    names = [one.name for one in iter_modules(import_module(package).__path__, f"{package}.")]
    if not names:
        raise RuntimeError(f"{package} has no modules. Can its folder be read?")
    return [import_module(name) for name in names]


def plugins(package: str, attribute: str) -> dict[str, Any]:
    """The objects called `attribute` of the package's modules, by their `name`."""
    declared = (getattr(module, attribute, None) for module in modules_of(package))
    return {plugin.name: plugin for plugin in declared if plugin is not None}
