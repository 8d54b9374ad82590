"""The bytes of a revision, from snapshots and the byte changes since."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from workflows.core.pack.files import Files
from workflows.core.text import spans
from workflows.errors import NotThere
from workflows.models import Blob, Pack, Revision


def files_at(pack_id: int, number: int) -> Files:
    """The files of one revision, byte for byte. Raises NotThere for an unknown number."""
    snapshot = (
        Revision.objects.filter(pack_id=pack_id, number__lte=number, manifest__isnull=False)
        .order_by("-number")
        .first()
    )
    if snapshot is None or snapshot.manifest is None:
        raise NotThere(f"There is no revision {number} of this pack.")
    since = list(
        Revision.objects.filter(
            pack_id=pack_id, number__gt=snapshot.number, number__lte=number
        ).order_by("number")
    )
    if (since[-1].number if since else snapshot.number) != number:
        raise NotThere(f"There is no revision {number} of this pack.")
    data = blobs({*snapshot.manifest.values(), *_added(since)})
    files = {path: data[hash] for path, hash in snapshot.manifest.items()}
    for revision in since:
        changed(files, revision.changes, data)
    return Files(files)


def paths_ever(pack: Pack) -> set[str]:
    """The path of each file that a revision of the pack has or removes."""
    rows = Revision.objects.filter(pack=pack).values_list("manifest", "changes")
    return {path for row in rows for part in row for path in part or ()}


def blobs(hashes: Iterable[str]) -> dict[str, bytes]:
    """The bytes for these content hashes."""
    rows = Blob.objects.filter(hash__in=set(hashes)).values_list("hash", "data")
    return {hash: zlib.decompress(bytes(data)) for hash, data in rows}


def changed(files: dict[str, bytes], changes: Mapping[str, Any], data: Mapping[str, bytes]) -> None:
    """Apply one revision's `changes` (shape: models.Revision) to `files`, in place."""
    for path, change in changes.items():
        if isinstance(change, list):
            files[path] = spans.apply(files[path], spans_of(change))
        elif "add" in change:
            files[path] = data[change["add"]]
        else:
            files.pop(path, None)


def spans_of(stored: Iterable[Any]) -> tuple[spans.Change, ...]:
    """Byte changes as `core.text.spans` takes them, from a revision's JSON."""
    return tuple((start, end, _bytes(text)) for start, end, text in stored)


def stored_spans(changes: Iterable[spans.Change]) -> list[list[Any]]:
    """The inverse of `spans_of`: replacements as text if they are UTF-8, else base64."""
    return [[start, end, _text(data)] for start, end, data in changes]


def _bytes(text: Any) -> bytes:
    return text.encode() if isinstance(text, str) else base64.b64decode(text["b64"])


def _text(data: bytes) -> Any:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(data).decode()}


def _added(revisions: Iterable[Revision]) -> set[str]:
    return {
        change["add"]
        for revision in revisions
        for change in revision.changes.values()
        if isinstance(change, dict) and "add" in change
    }
