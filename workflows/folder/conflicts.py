"""Conflicts of edits with changes in an opened folder, until a user decides about them.

The pack has the folder's version meanwhile. Each conflict is a three-way merge of the version that
both sides had, the edit, and the newest revision, so later changes of either side are part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from roles.rows import found
from workflows.actions import folder_conflicts as actions
from workflows.actions import save_revision
from workflows.actions.save_revision import Step
from workflows.core.merge.decisions import Choice
from workflows.core.merge.files import FileMerge
from workflows.core.pack.files import Files
from workflows.errors import Conflict, NotThere
from workflows.models import FolderConflict, Pack, Revision
from workflows.repos.conflicts import (
    FileConflict,
    Part,
    Parts,
    conflicts_json,
    decided,
    read_decided,
)
from workflows.selectors.revision_files import blobs
from workflows.selectors.sources import opened


def open_conflict(pack: Pack) -> dict[str, Any] | None:
    """The oldest conflict that needs a decision: `{"id", "revision", "conflicts"}`."""
    for row in FolderConflict.objects.filter(pack=pack):
        head = opened(pack)
        conflicts = conflicts_json(_parts(row, head.files), head.under(pack.profile), pack.main)
        if conflicts:
            return {"id": row.pk, "revision": pack.head, "conflicts": conflicts}
    return None


def decide(
    pack: Pack, id: int, author: User, *, expected_revision: int, choices: Mapping[str, Choice]
) -> int:
    """Save the chosen texts as a revision and close the conflict. Returns the newest revision.
    Raises NotThere, Conflict and BadRequest."""
    return save_revision.retried(
        pack.pk, lambda current: _decide(current, id, author, expected_revision, choices)
    )


def _decide(
    pack: Pack, id: int, author: User, expected_revision: int, choices: Mapping[str, Choice]
) -> int:
    row = found(
        FolderConflict.objects.filter(pack=pack, pk=id),
        NotThere("This conflict is decided already."),
    )
    if pack.head != expected_revision:
        raise Conflict(
            "The pack has changed since you looked.",
            hint="Look at the conflict again, then decide.",
            where="expected_revision",
        )
    head = opened(pack)
    parts = _parts(row, head.files)
    others = {path: data for path, data in head.files.items() if path not in parts}
    after = read_decided(pack, head, Files.of({**others, **decided(parts, choices)}))
    with transaction.atomic():
        if after.files != head.files:
            summary = "Decide a conflict with the folder"
            save_revision.save(
                pack,
                Step(
                    kind=Revision.Kind.EDIT, author=author, summary=summary, head=head, after=after
                ),
            )
        actions.close(row)
    return pack.head


def _parts(row: FolderConflict, head: Mapping[str, bytes]) -> Parts:
    """The files of a conflict that still differ from the edit."""
    data = blobs([*row.base.values(), *row.mine.values()])
    base = {path: data[hash] for path, hash in row.base.items()}
    mine = {path: data[hash] for path, hash in row.mine.items()}
    parts: dict[str, Part] = {}
    for path in dict.fromkeys([*base, *mine]):
        old, ours, theirs = base.get(path), mine.get(path), head.get(path)
        if ours in (theirs, old):
            continue
        whole = FileConflict(base=old, mine=ours, theirs=theirs)
        if old is None or ours is None or theirs is None:
            parts[path] = whole
            continue
        merge = FileMerge(path=path, base=old, mine=ours, theirs=theirs)
        if merge.conflicts:
            parts[path] = merge
        elif merge.clean != theirs:  # The merge of both cannot be read.
            parts[path] = whole
    return parts
