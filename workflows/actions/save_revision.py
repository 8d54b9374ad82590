"""Saving a revision: bytes, rows, findings count and notification, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from django.contrib.auth.models import User
from django.db import transaction

from workflows.actions import later_checks, projection, revision_store
from workflows.actions.quotas import check_disk
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.errors import Refused
from workflows.models import Pack, Revision
from workflows.notifications import bus
from workflows.opened_packs.view import Opened
from workflows.selectors.layout import Layout
from workflows.selectors.packs import pack_named
from workflows.selectors.repositories import is_read_only
from workflows.selectors.sources import SHELF, last_drawn

ATTEMPTS = 8
EDITS = (
    Revision.Kind.EDIT,
    Revision.Kind.UNDO,
    Revision.Kind.REDO,
    Revision.Kind.RESTORE,
)
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The next revision on top of `head` (None for the first one)."""

    kind: Revision.Kind
    author: User | None
    summary: str
    head: Opened | None
    after: Opened
    edits: Sequence[Edit] = ()
    layout: Layout = field(default_factory=dict)
    undoes: int | None = None
    check_later: bool = False
    """Save a large pack before its rules have run; see `later_checks`."""
    also: Callable[[int], None] | None = None
    """Writes more in the same transaction, with the number of the revision."""


def save(pack: Pack, step: Step) -> Revision:
    """Write the next revision. Raises `StaleRevision` if `pack.head` is no longer the newest,
    QuotaReached, and Refused for an edit of a pack whose repository wins."""
    if step.kind in EDITS and is_read_only(pack):
        raise Refused(
            "This pack follows a repository that is edited with git only.",
            hint="Commit the change there. The pack follows after the next fetch and pull.",
        )
    if step.kind in EDITS:
        check_disk(pack.owner)
    drawn = last_drawn(pack, pack.head, step.head) if step.head else None
    before = drawn.under(pack.profile) if drawn else None
    after = step.after.under(pack.profile)
    checked = after.has_findings or not step.check_later
    if before is not None:
        before.prepare(check=False)
    after.prepare(check=checked)
    with transaction.atomic():
        revision = revision_store.write(
            pack,
            revision_store.Draft(
                kind=step.kind,
                author_id=step.author.pk if step.author else None,
                summary=step.summary,
                before=step.head.files if step.head else Files({}),
                after=step.after.files,
                layout={},
                edits=[edit.to_json() for edit in step.edits],
                undoes=step.undoes,
                group=_group(step.edits),
            ),
        )
        shown = after if after.readable or before is None else before
        moved = projection.refresh(pack, before, shown, step.layout)
        if moved:
            Revision.objects.filter(pk=revision.pk).update(layout=moved)
            revision.layout = moved
        _follow(pack, before.graph.name if before else "", after.graph.name)
        if checked:
            pack.errors, pack.warnings = after.count("error"), after.count("warning")
        pack.deleted = not step.after.files
        if not pack.deleted:
            pack.main = after.drawn.main or pack.main
        pack.save(
            update_fields=["errors", "warnings", "name", "main", "deleted", "head", "changed_at"]
        )
        if step.also:
            step.also(revision.number)
        transaction.on_commit(lambda: SHELF.put(pack.pk, revision.number, step.after))
        if not checked:
            transaction.on_commit(lambda: later_checks.start(pack.pk, revision.number, after))
        ring_when_saved(pack, revision, step.author)
    return revision


def retried(pack_id: int, attempt: Callable[[Pack], Answer]) -> Answer:
    """Run `attempt` on the current pack; retry if another writer was first."""
    for _ in range(ATTEMPTS):
        try:
            return attempt(pack_named(pack_id))
        except revision_store.StaleRevision:
            continue
    with transaction.atomic():
        Pack.objects.select_for_update().filter(pk=pack_id).first()
        return attempt(pack_named(pack_id))


def ring_when_saved(pack: Pack, revision: Revision, author: User | None) -> None:
    """Notify the pack's subscribers after the commit."""
    name = author.get_username() if author else ""
    transaction.on_commit(lambda: bus.notify_pack(pack.pk, revision.number, name))


def _group(edits: Sequence[Edit]) -> str:
    """The undo group of edits that all belong to one; "" if they are a step of their own."""
    groups = {edit.group for edit in edits}
    return (groups.pop() or "")[:64] if len(groups) == 1 else ""


def _follow(pack: Pack, was: str, now: str) -> None:
    """Update the pack's name if it follows the name in its file."""
    if was and now and was != now and pack.name == was:
        pack.name = now[:200]
