"""Records of the commits that correspond to revisions."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.actions import revision_store
from workflows.core.pack.files import Files
from workflows.models import Pack, SyncPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A commit of a repository and the pack's folder in it. See models.SyncPoint."""

    repository: str
    folder: str
    commit: str
    branch: str = ""


def record(
    pack: Pack,
    kind: SyncPoint.Kind,
    at: Location,
    *,
    revision: int,
    files: Files,
    uncommitted: frozenset[str] = frozenset(),
) -> SyncPoint:
    """Record that these files, those of `revision`, are at this commit. Must run inside a
    transaction."""
    revision_store.put(files.values())
    return SyncPoint.objects.create(
        pack=pack,
        revision=revision,
        kind=kind,
        repository=at.repository,
        folder=at.folder,
        main=pack.main,
        branch=at.branch,
        commit=at.commit,
        files=revision_store.manifest(files),
        uncommitted=sorted(uncommitted & set(files)),
    )
