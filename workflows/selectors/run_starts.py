"""The start of a run, for `run.started`."""

from __future__ import annotations

from typing import Any

from workflows.errors import NotThere
from workflows.models import ModelChoice, Run
from workflows.selectors.model_choices import choice_json, connection_for, resolved
from workflows.selectors.sources import view
from workflows.selectors.tool_bindings import bound

CALLS_MODELS = "model"
"""The driver that calls models through a connection."""


def how_started(row: Run) -> dict[str, Any]:
    """The starter of the run and its options: the revision, the connection and the model of
    states that name none, whether commands are allowed, and the binding of each tool."""
    found: dict[str, Any] = {
        "by": row.owner.get_username() if row.owner else "",
        "trigger": row.trigger.name if row.trigger else "",
        "revision": row.revision,
        "commands": bool(row.options.get("commands")),
    }
    if row.driver == CALLS_MODELS:
        found |= _model(row)
        found["bindings"] = _bindings(row)
    return {name: value for name, value in found.items() if value not in ("", {})}


def _model(row: Run) -> dict[str, str]:
    stored = ModelChoice.objects.filter(pack=row.pack_id, state="").first()
    chosen = resolved(row.options, choice_json(stored) if stored else {})
    try:
        connection = connection_for(row.pack, chosen["connection"], row.owner)
    except NotThere:
        return chosen
    return {"connection": connection.name, "model": chosen["model"] or connection.model}


def _bindings(row: Run) -> dict[str, dict[str, Any]]:
    """Tool → its kind, "person" for one that is not bound. `ask`: a person decides first."""
    found: dict[str, dict[str, Any]] = {}
    for tool in view(row.pack, row.revision, row.profile).drawn.tools:
        binding = bound(row, tool.name)
        kind = {"kind": binding.kind if binding else "person"}
        found[tool.name] = (
            {**kind, "ask": True} if binding and binding.settings.get("ask") else kind
        )
    return found
