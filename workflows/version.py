"""The version of Signalbox: that of `pyproject.toml`, or of the installed distribution."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

DISTRIBUTIONS = ("signalbox-cli", "signalbox")


@cache
def version() -> str:
    """The version of the installed distribution, else that of the checkout."""
    project = Path(__file__).resolve().parents[1] / "pyproject.toml"
    if project.is_file():
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    for name in DISTRIBUTIONS:
        try:
            return installed(name)
        except PackageNotFoundError:
            continue
    return "unknown"


def is_next_minor(other: str, own: str) -> bool:
    """Return True if `other` is later than `own`, by one minor version at most."""
    try:
        major, minor, patch = map(int, other.split("."))
        own_major, own_minor, own_patch = map(int, own.split("."))
    except ValueError:
        return False
    if major != own_major or minor - own_minor not in (0, 1):
        return False
    return (minor, patch) > (own_minor, own_patch)
