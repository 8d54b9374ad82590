"""Teams that ship with us: what a first visitor opens, and what a new pack begins with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workflows.core.pack.files import Files

NAMES = ("feature-team", "research-desk", "blank")


@cache
def samples() -> Mapping[str, Files]:
    """Every sample by name; each folder is one pack."""
    root = files(__package__)
    return {name: Files.of(dict(_walk(root / name, ""))) for name in NAMES}


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            if item.name != "__pycache__":
                found += _walk(item, f"{prefix}{item.name}/")
        else:
            found.append((f"{prefix}{item.name}", item.read_bytes()))
    return found
