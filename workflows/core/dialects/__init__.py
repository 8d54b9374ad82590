"""The registry of dialects: every package in this folder is one."""

from __future__ import annotations

from functools import cache

from workflows.core.cases.case_paths import with_cases
from workflows.core.dialects.base import Dialect, PackLocation
from workflows.core.pack.files import Files
from workflows.core.plugins import plugins


@cache
def dialects() -> dict[str, Dialect]:
    """Every dialect by name."""
    return plugins(__name__, "DIALECT")


def file_names() -> tuple[str, ...]:
    """Names for a text without a file name, most likely first, to be tried in turn."""
    return tuple(name for dialect in dialects().values() for name in dialect.file_names)


def recognise(files: Files) -> list[PackLocation]:
    """Every pack in this tree with its cases, in any dialect, sorted by path."""
    packs = [pack for dialect in dialects().values() for pack in dialect.recognises(files)]
    return list(with_cases(files, sorted(packs, key=lambda pack: (pack.main, pack.dialect))))
