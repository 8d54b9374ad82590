"""Pipelines that ship with us: what a first visitor opens, and what a new pack begins with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from workflows.core.pack.files import Files
from workflows.core.pack.sample_files import files_below


@cache
def samples() -> Mapping[str, Files]:
    """Every folder beside this file that has a pipeline, by name."""
    folders = sorted(files(__package__).iterdir(), key=lambda item: item.name)
    return {
        folder.name: Files.of(dict(files_below(folder)))
        for folder in folders
        if folder.is_dir() and (folder / "pipeline.json").is_file()
    }
