"""Packs for tests: a small valid one, changed in a few places."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from workflows.core.dialects.promptpack import DIALECT
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

GONE = object()
"""As a value in `pack`: remove this member."""


def prompt(key: str, text: str = "Do it.", **more: Any) -> dict[str, Any]:
    return {"id": key, "name": key, "version": "1.0.0", "system_template": text, **more}


GOOD: dict[str, Any] = {
    "id": "good",
    "name": "Good",
    "version": "1.0.0",
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "prompts": {"draft": prompt("draft"), "review": prompt("review"), "done": prompt("done")},
    "workflow": {
        "version": 2,
        "entry": "draft",
        "states": {
            "draft": {"prompt_task": "draft", "on_event": {"Submit": "review"}},
            "review": {"prompt_task": "review", "on_event": {"Approve": "done"}},
            "done": {"prompt_task": "done", "terminal": True},
        },
    },
}


def pack(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The valid pack with values set by pointer: `{"workflow/entry": "review"}`. Missing parent
    objects are created; keys with a slash are not supported."""
    tree = deepcopy(GOOD)
    for pointer, value in (changes or {}).items():
        *path, last = pointer.split("/")
        place: Any = tree
        for key in path:
            place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
        if value is GONE:
            del place[last]
        else:
            place[last] = deepcopy(value)
    return tree


def source(tree: Any, *, indent: int | None = 2) -> PackSource:
    data = tree if isinstance(tree, bytes) else json.dumps(tree, indent=indent).encode()
    return DIALECT.read(Files.of({"good.pack.json": data}))


def codes(tree: Any, profile: str = "documented") -> list[str]:
    """The codes of all findings, once each, sorted."""
    return sorted({finding.code for finding in check(DIALECT, source(tree), profile)})


def applied(before: PackSource, *edits: Edit) -> PackSource:
    for edit in edits:
        before = DIALECT.apply(before, edit)
    return before


def tree_of(found: PackSource) -> Any:
    return json.loads(found.files[found.main])
