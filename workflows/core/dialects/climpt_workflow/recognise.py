"""Recognition of workflow files by their content, never by name alone."""

from __future__ import annotations

import json
from posixpath import basename, dirname
from typing import Any

from workflows.core.dialects.base import PackLocation
from workflows.core.pack.files import Files

NAME = "workflow.json"
MARKS = (b'"phases"', b'"labelMapping"', b'"agents"')


def recognises(files: Files) -> list[PackLocation]:
    """Every file with phases, agents and a mapping of labels. A pack is one file."""
    return [
        PackLocation(dialect="climpt_workflow", name=name_of(path), main=path, paths=(path,))
        for path in files
        if path.endswith(".json") and _is_workflow(path, files[path])
    ]


def _is_workflow(path: str, data: bytes) -> bool:
    if not all(mark in data for mark in MARKS):
        return False
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        return basename(path) == NAME and basename(dirname(path)) == ".agent"
    if not isinstance(value, dict):
        return False
    phases, labels, agents = (value.get(key) for key in ("phases", "labelMapping", "agents"))
    if not isinstance(phases, dict) or not isinstance(labels, dict):
        return False
    typed = [item for item in phases.values() if isinstance(item, dict) and "type" in item]
    return isinstance(agents, dict) and bool(typed or not phases)


def name_of(path: str) -> str:
    """`workflow` for `.agent/workflow.json`, `workflow-merge` for `.agent/workflow-merge.json`."""
    return basename(path).removesuffix(".json")


def main_of(files: Files) -> str:
    """The workflow file; the first JSON file if none is recognised."""
    if locations := recognises(files):
        return locations[0].main
    return next(iter((*(path for path in files if path.endswith(".json")), *files)), NAME)
