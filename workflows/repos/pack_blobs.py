"""The blobs that a pack's files become in a repository."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from workflows.errors import RepositoryRefused
from workflows.repos.scratch import Scratch, Tree, blob_id, stored_content

_LFS_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-.*\n)*"
    rb"oid sha256:([0-9a-f]{64})\nsize \d+\n?"
)


def blobs_of(
    area: Scratch, tree: Tree, files: Mapping[str, bytes], committed: Mapping[str, str]
) -> dict[str, str]:
    """The blob of each file on top of `tree`, which the index holds.

    A file whose bytes are those of `committed` (path → sha256) keeps the tree's blob, regardless of
    attributes. Raises RepositoryRefused for a changed file that a filter program
    would have to write.
    """
    found: dict[str, str] = {}
    open_files: dict[str, bytes] = {}
    for path, data in files.items():
        entry = tree.get(path)
        known = entry is not None and committed.get(path) == hashlib.sha256(data).hexdigest()
        if entry is not None and (known or entry.id == blob_id(data, area.hash_length)):
            found[path] = entry.id
        else:
            open_files[path] = data
    filtered = area.filtered(open_files)
    for path, name in filtered.items():
        data = open_files.pop(path)
        entry = tree.get(path)
        if entry is None or not is_pointer_to(stored_content(area, entry, path), data):
            raise _filter_error(path, name)
        found[path] = entry.id
    return {**found, **area.added(open_files)}


def is_pointer_to(stored: bytes, data: bytes) -> bool:
    """True if the stored bytes are a Git LFS pointer to `data`."""
    match = _LFS_POINTER.fullmatch(stored)
    return match is not None and match[1].decode() == hashlib.sha256(data).hexdigest()


def _filter_error(path: str, name: str) -> RepositoryRefused:
    store = "Git LFS" if name == "lfs" else f"the filter {name!r}"
    return RepositoryRefused(
        f"{path} is stored with {store}, and this server runs no filter programs.",
        hint="Export the pack to a folder and commit this file with git.",
        where=path,
    )
