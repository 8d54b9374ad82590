"""Plug-ins: the modules of a package that declare an object."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def plugins(package: str, attribute: str) -> dict[str, Any]:
    """The objects called `attribute` of the package's modules, by their `name`.

    Raises RuntimeError if there are none: without a free file handle a folder looks empty, and a
    caller that keeps the result would keep that.
    """
    modules = iter_modules(import_module(package).__path__, prefix=f"{package}.")
    declared = (getattr(import_module(module.name), attribute, None) for module in modules)
    by_name = {plugin.name: plugin for plugin in declared if plugin is not None}
    if not by_name:
        raise RuntimeError(f"{package} has no modules. Can its folder be read?")
    return by_name
