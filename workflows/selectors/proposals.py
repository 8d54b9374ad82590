"""Proposals of a pack: their rows, and their JSON."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import QuerySet

from roles.core.columns import columns
from roles.rows import found
from workflows.core.pack.edits import Edit, edit_from_json
from workflows.errors import NotThere
from workflows.models import Pack, Proposal

PENDING = Proposal.Status.PENDING


def proposals(pack: Pack, status: str = "") -> QuerySet[Proposal]:
    """Proposals for a pack, newest first; "" for those of every status."""
    rows = Proposal.objects.filter(pack=pack).select_related("author")
    return rows.filter(status=status) if status else rows


def proposal_named(pack: Pack, key: int) -> Proposal:
    """A proposal for a pack by its id. Raises NotThere."""
    return found(
        proposals(pack).filter(pk=key), NotThere(f"There is no proposal {key} for this pack.")
    )


def pending_parts(row: Proposal) -> list[int]:
    """Numbers of the parts that wait for a decision, from 0."""
    return [n for n, part in enumerate(row.parts) if part["status"] == PENDING]


def edits_of(row: Proposal, parts: Collection[int]) -> list[Edit]:
    """The edits of some parts, in the order in which they were proposed."""
    indices = sorted(n for part in parts for n in row.parts[part]["edits"])
    return [edit_from_json(row.edits[n]) for n in indices]


def proposal_json(row: Proposal, stale: Mapping[int, str] | None = None) -> dict[str, Any]:
    """A proposal with its parts. `stale`: reasons why parts no longer apply, by their number."""
    return {
        **columns(row, "id", "note", "base", "status", "created_at"),
        "author": row.author.get_username() if row.author else "",
        "parts": [
            {
                **part,
                "edits": [row.edits[at] for at in part["edits"]],
                "stale": (stale or {}).get(n, ""),
            }
            for n, part in enumerate(row.parts)
        ],
    }
