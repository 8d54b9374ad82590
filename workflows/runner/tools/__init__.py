"""Kinds of tool that a pack's tools can be bound to. Each module in this folder is one, found by
its `TOOL`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from workflows.core.plugins import plugins
from workflows.errors import BadRequest
from workflows.runner.tools.base import MAX_TIMEOUT, TIMEOUT, Tool

TIMEOUT_SETTING = {
    "type": "number",
    "exclusiveMinimum": 0,
    "maximum": MAX_TIMEOUT,
    "description": f"Time limit of a call in seconds. Default: {TIMEOUT:g}.",
}


ASK_SETTING = {
    "type": "boolean",
    "title": "Ask before each call",
    "description": "Each call waits until a person allows it or answers for it.",
}


@cache
def tools() -> dict[str, Tool]:
    """Every kind of tool by name."""
    return plugins(__name__, "TOOL")


def schema_of(tool: Tool) -> dict[str, Any]:
    """JSON Schema of the settings of a binding of this kind."""
    return {
        "type": "object",
        "properties": {**tool.settings, "ask": ASK_SETTING, "timeout": TIMEOUT_SETTING},
        "required": list(tool.required),
        "additionalProperties": False,
    }


def check(kind: str, settings: Mapping[str, Any], secrets: Mapping[str, Any]) -> None:
    """Validate a binding. Raises BadRequest."""
    tool = tools().get(kind)
    if tool is None:
        names = ", ".join(sorted(tools()))
        raise BadRequest(f"There is no kind of tool {kind!r}. Use one of {names}.", where="kind")
    for error in Draft202012Validator(schema_of(tool)).iter_errors(dict(settings)):
        where = "/".join(["settings", *map(str, error.absolute_path)])
        raise BadRequest(f"{error.message[:200]}.", where=where)
    problem = tool.problem(settings, bool(secrets))
    if problem:
        raise BadRequest(problem, where="settings")
    for name, value in secrets.items():
        if not isinstance(value, str) or not name.isascii() or not name.isprintable():
            raise BadRequest("Secrets must be texts with printable ASCII names.", where="secrets")


def check_overrides(overrides: object) -> None:
    """Validate the `tools` of a new run: name → `{"kind", "settings"}`, or null to ask a person.

    Raises BadRequest.
    """
    for name, override in overrides.items() if isinstance(overrides, Mapping) else ():
        if override is None:
            continue
        if not isinstance(override, Mapping) or set(override) - {"kind", "settings"}:
            raise BadRequest(
                "A tool of a run must be {kind, settings}, or null to ask a person.",
                where=f"tools/{name}",
            )
        settings = override.get("settings") or {}
        if not isinstance(settings, Mapping):
            raise BadRequest("`settings` must be an object.", where=f"tools/{name}/settings")
        check(str(override.get("kind")), settings, {})
