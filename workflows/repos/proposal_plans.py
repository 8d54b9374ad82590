"""Previews of proposals: changes of text, drawing, findings, coverage and recorded runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User

from workflows.bindings.run_context import program_from_log
from workflows.core.compare.difference import difference
from workflows.core.compare.drawn_difference import as_svg
from workflows.core.engine.program import CannotRun
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.replay.verify import verify
from workflows.errors import CallerError
from workflows.models import Pack, Run, TrackedPack
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
from workflows.repos.pulls import findings_change
from workflows.selectors.rehearsals import rehearsed
from workflows.selectors.repositories import (
    base_files,
    edited_beside,
    needs_pull,
    status_of,
    tracked_together,
)
from workflows.selectors.runs import log
from workflows.selectors.sources import Opened, opened, read

MAX_RUNS = 20
"""Recorded runs of a pack that a plan checks."""
REHEARSED_RUNS = 50
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
    head = opened(pack)
    base = read(pack.pk, head.dialect, base_files(row))
    coverage = {"before": _coverage(pack, base), "after": _coverage(pack, head)} if check else None
    return {
        **_named(row),
        "status": status_of(row),
        "svg": _svg(base, head, pack.profile),
        **findings_change(pack, base, head),
        "coverage": coverage,
        "diverging_runs": _diverging(pack, head) if check else None,
    }


def _named(row: TrackedPack) -> dict[str, Any]:
    return {"pack": row.pack_id, "name": row.pack.name, "main": row.main}


def _title(rows: Sequence[TrackedPack]) -> str:
    names = [row.pack.name for row in rows]
    if len(names) > MOST_NAMES:
        return f"Change {len(names)} packs"
    return f"Change {' and '.join([', '.join(names[:-1]), names[-1]]) if names[1:] else names[0]}"


def _svg(before: Opened, after: Opened, profile: str) -> str:
    if not (before.source.readable and after.source.readable):
        return ""
    found = difference(after.dialect, before.source, after.source, profile)
    return as_svg(before.under(profile).graph, after.under(profile).graph, found)


def _coverage(pack: Pack, version: Opened) -> dict[str, Any]:
    try:
        made = rehearsed(pack, runs=REHEARSED_RUNS, seed=1, of=version.under(pack.profile))
    except (CannotRun, CallerError) as cannot:
        return {"taken": 0, "of": 0, "problem": str(cannot)}
    total = len(made.transitions)
    return {"taken": total - len(made.unreached), "of": total, "problem": ""}


def _diverging(pack: Pack, head: Opened) -> list[dict[str, Any]]:
    """The newest finished runs that would take another path with the pack as it is now."""
    try:
        program = head.dialect.program(head.source, pack.profile)
    except CannotRun:
        return []
    runs = Run.objects.filter(pack=pack, status="completed").order_by("-created_at")[:MAX_RUNS]
    found = []
    for run in runs:
        events = log(run)
        try:
            verdict = verify(program_from_log(program, events[0].fields), events)
        except InvalidRecording:
            continue
        if verdict.divergence:
            found.append(
                {
                    "run": str(run.pk),
                    "n": verdict.divergence.n,
                    "message": verdict.divergence.message,
                }
            )
    return found
