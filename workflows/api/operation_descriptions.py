"""Summaries of operations, and descriptions of their parameters, for the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

OBJECTS = {
    "agent-roles": "role",
    "agents": "agent",
    "approvals": "approval",
    "artifacts": "artifact",
    "connections": "model connection",
    "groups": "group",
    "mcp-servers": "MCP server",
    "memories": "fact",
    "modes": "mode",
    "packs": "pack",
    "repositories": "repository",
    "runs": "run",
    "states": "state",
    "tokens": "API token",
    "transitions": "transition",
    "triggers": "trigger",
}
"""First segment of a path → the object whose id follows."""
WORDS = {
    "address": "The webhook's random address.",
    "after": "Number of the revision that the caller has.",
    "as": "Format of the file.",
    "by": "Grouping of the sums.",
    "conflict": "Id of the conflict.",
    "cron": "Minute, hour, day of month, month and day of week, such as `0 7 * * 1-5`.",
    "dialect": "Only packs of this dialect, by its name.",
    "driver": "Only runs of this driver.",
    "element": "Id of a state or transition; the whole pack without it.",
    "kind": "Only entries about this kind of object.",
    "limit": "Number of results at most; 100 without it, 1,000 at most.",
    "name": "Name of the template.",
    "number": "Number of the revision.",
    "object_id": "Only entries about the object with this id.",
    "offset": "Number of results to skip.",
    "operation": "Only entries of this operation, by its id in this document.",
    "other": "Id of the run to compare with.",
    "outcome": "Only entries with this outcome.",
    "pack": "Only runs of this pack, by its id.",
    "path": "Path of a file in the pack.",
    "project": "Only facts of this project.",
    "proposal": "Id of the proposal.",
    "q": "Text to search for, regardless of case.",
    "role": "Only facts of this role, by its id.",
    "run": "Only approvals of this run, by its id.",
    "scope": "Only facts of this scope.",
    "since": "First day, in UTC.",
    "source": "Only runs that this source started, such as `webhook`.",
    "state": "Id of the state.",
    "status": "Only objects with this status.",
    "task": "Id of the task.",
    "timezone": "Name of the time zone, such as `Europe/Berlin`.",
    "until": "Last day, in UTC.",
    "user": "Only entries of this user, by name.",
}
"""Name of a parameter → its description, unless the operation has another."""
OF_OPERATIONS = {
    ("sharing_read", "kind"): "Kind of the object, as in its path.",
    ("sharing_change", "kind"): "Kind of the object, as in its path.",
    ("sharing_read", "id"): "Id of the object; the name of a template.",
    ("sharing_change", "id"): "Id of the object; the name of a template.",
    ("approvals_list", "pack"): "Only approvals of this pack, by its id.",
    ("packs_fields", "element"): "Id of the state or transition whose form is returned.",
}
FIRST_SENTENCE = re.compile(r"[^.]*(?:\.(?=\S)[^.]*)*")
"""Text up to a full stop that ends a word."""


def add_words(path: str, operation: dict[str, Any]) -> None:
    """Add a summary and the descriptions of parameters that have none."""
    if first := FIRST_SENTENCE.match(" ".join(operation.get("description", "").split())):
        operation.setdefault("summary", first.group())
    for parameter in operation.get("parameters", ()):
        if not parameter.get("description"):
            parameter["description"] = _words(path, operation["operationId"], parameter)


def _words(path: str, operation: str, parameter: Mapping[str, Any]) -> str:
    name = parameter["name"]
    if words := OF_OPERATIONS.get((operation, name)):
        return words
    if name == "id" and parameter["in"] == "path":
        return f"Id of the {OBJECTS[path.split('/')[3]]}."
    return WORDS[name]
