"""Pipelines that ship with us: what a first visitor opens, and what a new pack begins with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workflows.core.pack.files import Files


@cache
def samples() -> Mapping[str, Files]:
    """Every folder beside this file that has a pipeline, by name."""
    folders = sorted(files(__package__).iterdir(), key=lambda item: item.name)
    return {
        folder.name: Files.of(dict(_walk(folder, "")))
        for folder in folders
        if folder.is_dir() and (folder / "pipeline.json").is_file()
    }


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            yield from _walk(item, f"{prefix}{item.name}/")
        elif item.name.endswith((".json", ".md")):
            yield f"{prefix}{item.name}", item.read_bytes()
