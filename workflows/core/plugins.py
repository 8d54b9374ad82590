"""Plug-ins: the modules of a package that declare an object."""

from __future__ import annotations

from functools import cache
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


def packages_of(package: str) -> list[ModuleType]:
    """The packages in a package, imported."""
    found = iter_modules(import_module(package).__path__, f"{package}.")
    return [import_module(one.name) for one in found if one.ispkg]


def submodule(package: str, name: str) -> ModuleType | None:
    """The module of this name in a package; None if it does not exist."""
    folder = getattr(import_module(package), "__path__", ())
    there = any(one.name == name for one in iter_modules(folder))
    return import_module(f"{package}.{name}") if there else None


def plugins(package: str, attribute: str) -> dict[str, Any]:
    """The objects called `attribute` of the package's modules, by their `name`."""
    declared = (getattr(module, attribute, None) for module in modules_of(package))
    return {plugin.name: plugin for plugin in declared if plugin is not None}


@cache
def declared(field: str) -> tuple[str, ...]:
    """Texts that the plug-ins of the server declare in this field of `workflows.plugins.base`."""
    found = plugins("workflows.plugins", "PLUGIN").values()
    return tuple(text for one in found if (text := getattr(one, field)))
