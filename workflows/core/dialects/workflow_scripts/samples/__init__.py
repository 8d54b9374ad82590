"""The shipped scripts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from workflows.core.pack.files import Files

NAMES = (
    "branch-lenses",
    "deep-question",
    "money-audit",
    "flaky-hunt",
    "migrate-components",
    "contract-review",
    "blank",
)


@cache
def samples() -> Mapping[str, Files]:
    """By name; each is a file in the folder of workflow scripts."""
    root = files(__package__)
    return {
        name: Files.of({f".claude/workflows/{name}.js": (root / f"{name}.js").read_bytes()})
        for name in NAMES
    }
