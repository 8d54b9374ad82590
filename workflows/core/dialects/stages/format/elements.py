"""From an element's name to the place where it stands: `state:plan`, `grant:bash`, `file:…`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.stages.source import StagesSource

ENTRY_FIELDS = (
    "file", "setup", "gate", "assert", "exit", "maxVisits", "next", "onParallelFailure",
)  # fmt: skip
"""Fields of a stage's form that stand in the pipeline; `body` is the prompt, all others stand in
the front matter."""


def grants(source: StagesSource) -> Mapping[str, int]:
    """Key of a grant → its index: the tool, with a number where there are several of one tool."""
    found: dict[str, int] = {}
    listed: Any = source.whole().get("grants")
    for index, grant in enumerate(listed if isinstance(listed, list) else ()):
        tool = grant.get("tool") if isinstance(grant, dict) else None
        key = base = tool if isinstance(tool, str) and tool else "grant"
        number = 1
        while key in found:
            number += 1
            key = f"{base}#{number}"
        found[key] = index
    return found


def setups(source: StagesSource) -> Mapping[str, tuple[str, str]]:
    """Key of a ctx field (`plan/task`) → its stage and its name."""
    found: dict[str, tuple[str, str]] = {}
    for stage in source.stages:
        fields = source.entry(stage).get("setup")
        for name in fields if isinstance(fields, dict) else ():
            found[f"{stage}/{name}"] = (stage, name)
    return found
