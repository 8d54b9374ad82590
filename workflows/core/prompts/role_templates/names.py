"""Names of templates. They come from files and models, so they are restricted to safe
characters."""

from __future__ import annotations

import re

FOLDER = "docs/templates"
"""The folder of a pack's own templates, next to its main file."""
SUFFIX = ".md"
LONGEST = 100
RULE = "Letters, digits, _ and - (at most 100 of them)."

_NAME = re.compile(r"[A-Za-z0-9_-]+")


def is_name(name: str) -> bool:
    """Return True for a valid template name: `^[A-Za-z0-9_-]+$`, so that no name is a path."""
    return len(name) <= LONGEST and _NAME.fullmatch(name) is not None


def path_of(name: str, folder: str = "") -> str:
    """The path of this template in the pack in `folder`."""
    return f"{folder}/{FOLDER}/{name}{SUFFIX}" if folder else f"{FOLDER}/{name}{SUFFIX}"


def name_in(path: str, folder: str = "") -> str:
    """The name of the template at this path of a pack, "" for other files."""
    base = f"{folder}/{FOLDER}/" if folder else f"{FOLDER}/"
    name = path.removeprefix(base).removesuffix(SUFFIX)
    return name if path == path_of(name, folder) and is_name(name) else ""
