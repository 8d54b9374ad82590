"""Agents that ship with us: what a first visitor opens, and a new pack's start."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workflows.core.pack.files import Files

NAMES = ("triage-bot", "review-loop", "blank")


@cache
def samples() -> Mapping[str, Files]:
    """By name; each folder is a repository root, with `.agent` written as `agent`, because
    packaging leaves out what begins with a dot."""
    root = files(__package__)
    return {name: Files.of(dict(_walk(root / name, ""))) for name in NAMES}


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        path = f"{prefix}{item.name}"
        if item.is_dir():
            if item.name != "__pycache__":
                found += _walk(item, f"{path}/")
        else:
            found.append((_named(path), item.read_bytes()))
    return found


def _named(path: str) -> str:
    return f".{path}" if path.startswith("agent/") else path
