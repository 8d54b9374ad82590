"""Previews of proposals: changes of text, drawing, findings, coverage and recorded runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User

from workflows.models import Pack, TrackedPack
from workflows.repos import exports
from workflows.repos.fetches import mirror_of
from workflows.repos.mirror import locked
from workflows.repos.proposal_branches import (
    adopt,
    branch_name,
    commands,
    committer_of,
    prepare_export,
    reset,
)
from workflows.selectors.consequences import completed_runs, consequences_of
from workflows.selectors.repositories import (
    base_files,
    edited_beside,
    needs_pull,
    status_of,
    tracked_together,
)
from workflows.selectors.sources import opened

MOST_NAMES = 3
"""Names of packs in a title."""


def propose_plan(
    pack: Pack,
    author: User,
    *,
    others: Sequence[Pack] = (),
    branch: str = "",
    check: bool = False,
) -> dict[str, Any]:
    """Preview of a proposal of a pack, with `others` in the same commit: changes of text, and for
    each pack those of drawing and findings; with `check` also coverage and recorded runs that would
    diverge. Commits nothing. Raises RepositoryRefused and NotThere."""
    rows = tracked_together([pack, *others])
    first = rows[0]
    mirror = mirror_of(first.repository)
    name = branch or branch_name(first, mirror)
    with locked(first.repository_id):
        before = adopt(mirror, first.repository, name)
        try:
            request = prepare_export(mirror, name, rows, committer_of(first, author))
            commit = exports.preview(first.pack, request)
        finally:
            reset(mirror, name, before)
    title = _title(rows)
    packs = [_pack_plan(row, check=check) for row in rows]
    chosen = {row.pk for row in rows}
    return {
        "branch": name,
        "target": first.branch,
        "needs_pull": any(needs_pull(row) for row in rows),
        "commit": commit,
        "title": title,
        "message": title,
        "commands": commands(first, name),
        "packs": packs,
        "candidates": [_named(row) for row in edited_beside(first, author) if row.pk not in chosen],
    }


def _pack_plan(row: TrackedPack, *, check: bool) -> dict[str, Any]:
    pack = row.pack
    found = consequences_of(
        pack,
        base_files(row),
        opened(pack).files,
        runs=completed_runs(pack) if check else None,
        rehearse=check,
        drawn=True,
    )
    body = found.to_json()
    plan = ("findings_new", "findings_fixed", "coverage", "diverging_runs", "cases")
    return {
        **_named(row),
        "status": status_of(row),
        "svg": found.svg,
        **{name: body[name] for name in plan},
    }


def _named(row: TrackedPack) -> dict[str, Any]:
    return {"pack": row.pack_id, "name": row.pack.name, "main": row.main}


def _title(rows: Sequence[TrackedPack]) -> str:
    names = [row.pack.name for row in rows]
    if len(names) > MOST_NAMES:
        return f"Change {len(names)} packs"
    return f"Change {' and '.join([', '.join(names[:-1]), names[-1]]) if names[1:] else names[0]}"
