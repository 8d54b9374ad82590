"""The state that AG-UI shares with a front end, and its changes as JSON Patch (RFC 6902)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from workflows.core.engine.run import RunState
from workflows.core.text.json.pointer import escape

Json: TypeAlias = dict[str, Any]
ASKED = ("question", "kind", "choices", "state", "position")
"""Fields of a question to a person that a front end needs."""


def shared_state(run: RunState) -> Json:
    """Status, active states by position, artifacts, and open questions to people by key."""
    return {
        "status": run.status,
        "active": _active(run),
        "artifacts": dict(run.artifacts),
        "questions": _questions(run),
    }


def patch_of(before: RunState, after: RunState) -> list[Json]:
    """The operations that lead from one shared state to the next."""
    found: list[Json] = []
    if after.status != before.status:
        found.append({"op": "replace", "path": "/status", "value": after.status})
    if after.positions is not before.positions:
        found += _changes("/active", _active(before), _active(after))
    if after.artifacts is not before.artifacts:
        found += _changes("/artifacts", before.artifacts, after.artifacts)
    if after.pending is not before.pending:
        found += _changes("/questions", _questions(before), _questions(after))
    return found


def _changes(path: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Json]:
    gone = [name for name in before if name not in after]
    new = [name for name in after if name not in before or after[name] != before[name]]
    return [
        *({"op": "remove", "path": f"{path}/{escape(name)}"} for name in gone),
        *({"op": "add", "path": f"{path}/{escape(name)}", "value": after[name]} for name in new),
    ]


def _active(run: RunState) -> Json:
    return {position.id: position.state for position in run.positions}


def _questions(run: RunState) -> Json:
    return {
        key: {name: effect[name] for name in ASKED if effect.get(name)}
        for key, effect in run.pending.items()
        if effect.get("effect") == "AskHuman"
    }
