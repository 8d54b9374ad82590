"""Who is asked: what the state says, else the run, else the pack, else this server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.db.text import to_storable
from workflows.errors import NotThere
from workflows.models import Connection, ModelChoice, Pack, Run
from workflows.selectors.connections import connection_named
from workflows.selectors.sources import view

NAMES = ("connection", "model")


def choices_json(pack: Pack) -> dict[str, Any]:
    """`server`: what is asked where nothing is said, null where that has to be said; `pack`;
    `states`: those of the newest revision that say something of their own."""
    said = {row.state: choice_json(row) for row in ModelChoice.objects.filter(pack=pack)}
    known = view(pack).states
    return {
        "server": _servers(),
        "pack": said.get("", choice_json(ModelChoice())),
        "states": {state: said[state] for state in known if state in said},
    }


def choice_json(row: ModelChoice) -> dict[str, str]:
    return {"connection": row.connection, "model": row.model}


def options_at(row: Run, state: str) -> dict[str, Any]:
    """The run's options with the `connection` and `model` that are asked in this state."""
    rows = ModelChoice.objects.filter(pack=row.pack_id, state__in=("", to_storable(state)))
    said = {one.state: choice_json(one) for one in rows}
    levels = (said.get(to_storable(state), {}), row.options, said.get("", {}))
    return {**row.options, **resolved(*levels)}


def resolved(*levels: Mapping[str, Any]) -> dict[str, str]:
    """Of levels, the nearest first, the first connection, and the first model of a level that names
    no other one: a model's name means nothing to another connection."""
    named = (str(one.get("connection") or "") for one in levels)
    connection = next((name for name in named if name), "")
    models = (
        str(one.get("model") or "")
        for one in levels
        if (one.get("connection") or connection) == connection
    )
    return {"connection": connection, "model": next((name for name in models if name), "")}


def connection_for(pack: Pack, named: str) -> Connection:
    """The one that a run which names this one begins with. Raises NotThere."""
    row = ModelChoice.objects.filter(pack=pack, state="").first()
    return connection_named(named or (row.connection if row else ""))


def _servers() -> dict[str, str] | None:
    try:
        row = connection_named("")
    except NotThere:
        return None
    return {"connection": row.name, "model": row.model}
