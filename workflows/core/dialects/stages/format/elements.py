"""Names of elements and their places in the files: `state:plan`, `grant:bash`, `file:…`."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.source_cache import once_per_source
from workflows.core.text.tolerant import as_list, as_object

ENTRY_FIELDS = (
    "file", "setup", "gate", "assert", "exit", "maxVisits", "next", "onParallelFailure",
)  # fmt: skip
"""Fields of a stage's form that are stored in the pipeline. `body` is the prompt; all others are
stored in the front matter."""


@once_per_source
def grants(source: StagesSource) -> Mapping[str, int]:
    """Key of a grant → its index. The key is the tool, with a number for repeated tools."""
    indexes: dict[str, int] = {}
    repeats: dict[str, int] = {}
    for index, grant in enumerate(as_list(source.whole().get("grants"))):
        tool = as_object(grant).get("tool")
        key = base = tool if isinstance(tool, str) and tool else "grant"
        number = repeats.get(base, 1)
        while key in indexes:
            number += 1
            key = f"{base}#{number}"
        indexes[key] = index
        repeats[base] = number
    return indexes


@once_per_source
def setups(source: StagesSource) -> Mapping[str, tuple[str, str]]:
    """Key of a ctx field (`plan/task`) → its stage and its name."""
    places: dict[str, tuple[str, str]] = {}
    for stage in source.stages:
        for name in as_object(source.entry(stage).get("setup")):
            places[f"{stage}/{name}"] = (stage, name)
    return places
