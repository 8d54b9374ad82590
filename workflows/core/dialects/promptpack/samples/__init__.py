"""Packs that ship with us: what a first visitor opens, and what a new pack begins with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from workflows.core.dialects.promptpack.recognise import SUFFIX
from workflows.core.pack.files import Files


@cache
def samples() -> Mapping[str, Files]:
    """Every sample by name."""
    packs: dict[str, Files] = {}
    for file in sorted(files(__package__).iterdir(), key=lambda item: item.name):
        if file.name.endswith(SUFFIX):
            name = file.name.removesuffix(SUFFIX)
            packs[name] = Files.of({file.name: file.read_bytes()})
    return packs
