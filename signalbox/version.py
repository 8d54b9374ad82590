"""The installed version of Signalbox."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

DISTRIBUTIONS = ("signalbox-cli", "signalbox")


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
