"""Conflicts of edits with changes in an opened folder: recorded, moved with renames, closed."""

from __future__ import annotations

from collections.abc import Mapping, Set

from workflows.actions import revision_store
from workflows.core.pack.files import Files
from workflows.models import FolderConflict, Pack


def record(
    pack: Pack, base: Mapping[str, bytes], mine: Mapping[str, bytes], paths: Set[str]
) -> None:
    """Keep both versions of files in which an edit met a change on disk. Nothing for no paths. Must
    run inside a transaction."""
    if not paths:
        return
    versions = [
        Files({path: data for path, data in side.items() if path in paths}) for side in (base, mine)
    ]
    for files in versions:
        revision_store.put(files.values())
    manifests = [revision_store.manifest(files) for files in versions]
    FolderConflict.objects.create(
        pack=pack, revision=pack.head, base=manifests[0], mine=manifests[1]
    )


def move(pack: Pack, moved: Mapping[str, str]) -> None:
    """Follow a rename of the pack's files."""
    for row in FolderConflict.objects.filter(pack=pack):
        row.base = {moved.get(path, path): hash for path, hash in row.base.items()}
        row.mine = {moved.get(path, path): hash for path, hash in row.mine.items()}
        row.save(update_fields=["base", "mine"])


def close(row: FolderConflict) -> None:
    """Close a conflict that is decided."""
    row.delete()
