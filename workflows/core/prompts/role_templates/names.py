"""What a template may be called. Names come from files and from models, so nothing else passes."""

from __future__ import annotations

import re

FOLDER = "docs/templates"
"""Where a pack keeps its own, beside its main file."""
SUFFIX = ".md"
LONGEST = 100
RULE = "Letters, digits, _ and - (at most 100 of them)."

_NAME = re.compile(r"[A-Za-z0-9_-]+")


def is_name(name: str) -> bool:
    """Whether this can name a template: `^[A-Za-z0-9_-]+$`, so that no name leads anywhere else."""
    return len(name) <= LONGEST and _NAME.fullmatch(name) is not None


def path_of(name: str, folder: str = "") -> str:
    """Where the pack in `folder` keeps the template of this name."""
    return f"{folder}/{FOLDER}/{name}{SUFFIX}" if folder else f"{FOLDER}/{name}{SUFFIX}"


def name_in(path: str, folder: str = "") -> str:
    """The name of the template at this path of a pack, "" for a file that is none."""
    base = f"{folder}/{FOLDER}/" if folder else f"{FOLDER}/"
    name = path.removeprefix(base).removesuffix(SUFFIX)
    return name if path == path_of(name, folder) and is_name(name) else ""
