"""The shipped workflows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from workflows.core.pack.files import Files
from workflows.core.pack.sample_files import files_below

NAMES = ("issue-flow", "blank")


@cache
def samples() -> Mapping[str, Files]:
    """By name; each folder is a repository root, with `.agent` written as `agent`, because
    packaging leaves out what begins with a dot."""
    root = files(__package__)
    return {
        name: Files.of({f".{path}": data for path, data in files_below(root / name)})
        for name in NAMES
    }
