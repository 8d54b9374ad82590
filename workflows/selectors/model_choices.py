"""Model choice of a question: the state's, else the run's, the pack's, or the server's default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from workflows.db.text import to_storable
from workflows.errors import NotThere
from workflows.models import Connection, ModelChoice, Pack, Run
from workflows.selectors.connections import connection_named
from workflows.selectors.sources import view


def choices_json(pack: Pack, person: User) -> dict[str, Any]:
    """`server`: the default, null if there is none; `pack`; `states`: the states of the newest
    revision that have a choice of their own."""
    choices = {row.state: choice_json(row) for row in ModelChoice.objects.filter(pack=pack)}
    states = view(pack).states
    return {
        "server": _servers(person),
        "pack": choices.get("", choice_json(ModelChoice())),
        "states": {state: choices[state] for state in states if state in choices},
    }


def choice_json(row: ModelChoice) -> dict[str, str]:
    return {"connection": row.connection, "model": row.model}


def options_at(row: Run, state: str) -> dict[str, Any]:
    """The run's options with the `connection` and `model` for this state, and the id of the `user`
    whose connections it may use."""
    rows = ModelChoice.objects.filter(pack=row.pack_id, state__in=("", to_storable(state)))
    choices = {one.state: choice_json(one) for one in rows}
    levels = (choices.get(to_storable(state), {}), row.options, choices.get("", {}))
    return {**row.options, **resolved(*levels), "user": row.owner_id}


def resolved(*levels: Mapping[str, Any]) -> dict[str, str]:
    """The first connection, from the nearest level, and the first model of a level that names the
    same connection or none: a model name is valid for one connection only."""
    named = (str(one.get("connection") or "") for one in levels)
    connection = next((name for name in named if name), "")
    models = (
        str(one.get("model") or "")
        for one in levels
        if (one.get("connection") or connection) == connection
    )
    return {"connection": connection, "model": next((name for name in models if name), "")}


def connection_for(pack: Pack, named: str, person: User | None) -> Connection:
    """The connection with which such a run starts. Raises NotThere."""
    row = ModelChoice.objects.filter(pack=pack, state="").first()
    return connection_named(named or (row.connection if row else ""), person)


def _servers(person: User) -> dict[str, str] | None:
    try:
        row = connection_named("", person)
    except NotThere:
        return None
    return {"connection": row.name, "model": row.model}
