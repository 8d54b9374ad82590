"""The formats we know, found by looking in this folder: adding one touches nothing else."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from workflows.core.dialects.base import Dialect, PackLocation
from workflows.core.pack.files import Files


@cache
def dialects() -> dict[str, Dialect]:
    """Every dialect by name."""
    found: dict[str, Dialect] = {}
    for module in iter_modules(__path__):
        if module.ispkg:
            dialect: Dialect = import_module(f"{__name__}.{module.name}").DIALECT
            found[dialect.name] = dialect
    return found


def file_names() -> tuple[str, ...]:
    """Names to try in turn for a text that came without a telling one, likeliest first."""
    return tuple(name for dialect in dialects().values() for name in dialect.file_names)


def recognise(files: Files) -> list[PackLocation]:
    """Every pack in this tree, of any dialect, in path order."""
    found = [pack for dialect in dialects().values() for pack in dialect.recognises(files)]
    return sorted(found, key=lambda pack: (pack.main, pack.dialect))
