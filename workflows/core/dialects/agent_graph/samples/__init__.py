"""Shipped packs, for first visitors and as a start for new packs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from workflows.core.pack.files import Files
from workflows.core.pack.sample_files import files_below

NAMES = ("feature-team", "research-desk", "blank")


@cache
def samples() -> Mapping[str, Files]:
    """Every sample by name. Each folder is one pack."""
    root = files(__package__)
    return {name: Files.of(dict(files_below(root / name))) for name in NAMES}
