"""What a pack's tools can be bound to, found by looking in this folder: adding one touches nothing
else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from jsonschema import Draft202012Validator

from workflows.errors import BadRequest
from workflows.runner.tools.base import MAX_TIMEOUT, TIMEOUT, Tool

TIMEOUT_SETTING = {
    "type": "number",
    "exclusiveMinimum": 0,
    "maximum": MAX_TIMEOUT,
    "description": f"Seconds that a call may take; {TIMEOUT:g} where nothing is said.",
}


@cache
def tools() -> dict[str, Tool]:
    """Every kind by name."""
    found: dict[str, Tool] = {}
    for module in iter_modules(__path__):
        tool: Tool | None = getattr(import_module(f"{__name__}.{module.name}"), "TOOL", None)
        if tool is not None:
            found[tool.name] = tool
    return found


def schema_of(tool: Tool) -> dict[str, Any]:
    """JSON Schema of the settings of a binding of this kind."""
    return {
        "type": "object",
        "properties": {**tool.settings, "timeout": TIMEOUT_SETTING},
        "required": list(tool.required),
        "additionalProperties": False,
    }


def check(kind: str, settings: Mapping[str, Any], secrets: Mapping[str, Any]) -> None:
    """Raises BadRequest where no tool of a pack can be bound to this."""
    tool = tools().get(kind)
    if tool is None:
        known = ", ".join(sorted(tools()))
        raise BadRequest(f"There is no kind of tool {kind!r}; there are {known}.", where="kind")
    for wrong in Draft202012Validator(schema_of(tool)).iter_errors(dict(settings)):
        where = "/".join(["settings", *map(str, wrong.absolute_path)])
        raise BadRequest(f"{wrong.message[:200]}.", where=where)
    said = tool.problem(settings, bool(secrets))
    if said:
        raise BadRequest(said, where="settings")
    for name, value in secrets.items():
        if not isinstance(value, str) or not name.isascii() or not name.isprintable():
            raise BadRequest("Secrets are texts, each with a plain name.", where="secrets")


def check_overrides(overrides: object) -> None:
    """The `tools` that a run brings along: name → `{"kind", "settings"}`, or null to ask a person.

    Raises BadRequest.
    """
    for name, said in overrides.items() if isinstance(overrides, Mapping) else ():
        if said is None:
            continue
        if not isinstance(said, Mapping) or set(said) - {"kind", "settings"}:
            raise BadRequest(
                "A tool of a run is {kind, settings}, or null to ask a person.",
                where=f"tools/{name}",
            )
        settings = said.get("settings") or {}
        if not isinstance(settings, Mapping):
            raise BadRequest("`settings` is an object.", where=f"tools/{name}/settings")
        check(str(said.get("kind")), settings, {})
