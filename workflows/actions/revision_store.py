"""Storage of revisions and file contents: changes per revision, and a snapshot now and then."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from workflows.core.pack.files import Files
from workflows.core.text import spans
from workflows.models import Blob, Pack, Revision
from workflows.selectors.revision_files import stored_spans

SNAPSHOT_EVERY = 20


class StaleRevision(Exception):
    """Another revision was saved first: read the head again and retry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A revision without a number. `after`: all files; `layout`: see models.Revision."""

    kind: Revision.Kind
    author_id: int | None
    summary: str
    before: Files
    after: Files
    layout: dict[str, Any]
    edits: list[Any]
    undoes: int | None = None
    group: str = ""


def changes_between(before: Files, after: Files) -> dict[str, Any]:
    """Changes from one revision's files to the next one's, as Revision.changes stores them."""
    changes: dict[str, Any] = {}
    for path, data in before.difference(after).items():
        if data is None:
            changes[path] = {"remove": digest(before[path])}
        elif path in before:
            changes[path] = stored_spans(spans.difference(before[path], data))
        else:
            changes[path] = {"add": digest(data)}
    return changes


def write(pack: Pack, draft: Draft) -> Revision:
    """Save the next revision of `pack`, whose `head` must still be the newest.

    Must run inside a transaction. Raises StaleRevision if another writer was first.
    """
    number = pack.head + 1
    now = timezone.now()
    if pack.head and not Pack.objects.filter(pk=pack.pk, head=pack.head).update(
        head=number, changed_at=now
    ):
        raise StaleRevision
    changes = changes_between(draft.before, draft.after)
    snapshot = number == 1 or number % SNAPSHOT_EVERY == 0
    put(
        data
        for path, data in draft.after.items()
        if snapshot or isinstance(changes.get(path), dict)
    )
    try:
        with transaction.atomic():
            revision = Revision.objects.create(
                pack=pack,
                number=number,
                kind=draft.kind,
                author_id=draft.author_id,
                edits=draft.edits,
                summary=draft.summary[:300],
                changes={} if number == 1 else changes,
                layout=draft.layout,
                manifest=manifest(draft.after) if snapshot else None,
                undoes=draft.undoes,
                group=draft.group,
            )
    except IntegrityError as twice:
        raise StaleRevision from twice
    pack.head = number
    pack.changed_at = now
    return revision


def manifest(files: Files) -> dict[str, str]:
    """Path → content hash."""
    return {path: digest(data) for path, data in files.items()}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def put(contents: Iterable[bytes]) -> None:
    """Store these contents, each once."""
    wanted = {digest(data): data for data in contents}
    stored = set(Blob.objects.filter(hash__in=wanted).values_list("hash", flat=True))
    Blob.objects.bulk_create(
        (
            Blob(hash=hash, data=zlib.compress(data, 3), size=len(data))
            for hash, data in wanted.items()
            if hash not in stored
        ),
        ignore_conflicts=True,
    )
