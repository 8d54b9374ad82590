"""Agents that packs publish."""

from __future__ import annotations

from typing import Any

from roles.rows import found
from workflows.db.text import to_storable
from workflows.errors import NotThere
from workflows.models import Agent, Pack


def agents(pack: Pack) -> list[dict[str, Any]]:
    """Every agent that the newest revision publishes, in file order."""
    return [
        {
            "key": row.key,
            "name": str(row.card.get("name") or row.key),
            "description": row.description,
            "card": row.card,
        }
        for row in Agent.objects.filter(pack=pack).order_by("pk")
    ]


def card(pack: Pack, key: str) -> dict[str, Any]:
    """One agent's card. Raises NotThere."""
    row = found(
        Agent.objects.filter(pack=pack, key=to_storable(key)),
        NotThere(
            f"This pack publishes no agent {key!r}.",
            where="member",
            hint="The list of agents names those it has.",
        ),
    )
    return dict(row.card)
