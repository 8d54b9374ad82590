"""Commits that correspond to revisions of a pack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User

from roles.core.columns import columns
from roles.rights import Level, visible
from workflows.core.pack.files import Files
from workflows.models import Pack, SyncPoint
from workflows.selectors.revision_files import blobs


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCommit:
    """A commit that an import or export recorded. `committed`: path → sha256 of the bytes that the
    commit has; `paths`: all files of the pack then."""

    commit: str
    folder: str
    revision: int
    kind: str
    paths: frozenset[str]
    committed: Mapping[str, str]


def known_commits(pack: Pack, *, up_to: int) -> tuple[KnownCommit, ...]:
    """The recorded commits of revisions up to a number, newest first."""
    points = SyncPoint.objects.filter(pack=pack, revision__lte=up_to).order_by("-pk")
    return tuple(
        KnownCommit(
            commit=point.commit,
            folder=point.folder,
            revision=point.revision,
            kind=point.kind,
            paths=frozenset(point.files),
            committed={
                path: hash for path, hash in point.files.items() if path not in point.uncommitted
            },
        )
        for point in points
    )


def linked_pack(
    repository: str, folder: str, main: str, dialect: str, person: User | None
) -> Pack | None:
    """The pack that was imported from this path of this repository, or exported to it, among those
    that the user may edit."""
    points = SyncPoint.objects.filter(
        repository=repository, folder=folder, main=main, pack__dialect=dialect
    )
    if person is not None:
        points = points.filter(pack__in=visible(Pack.objects.all(), person, Level.EDIT))
    newest = points.order_by("-pk").select_related("pack").first()
    return newest.pack if newest else None


def last_folder(pack: Pack, repository: str) -> str:
    """The pack's folder at the last import from or export to a repository; "" is the top."""
    newest = SyncPoint.objects.filter(pack=pack, repository=repository).order_by("-pk").first()
    return newest.folder if newest else ""


def points_of(pack: Pack, repository: str, folder: str) -> list[SyncPoint]:
    """Recorded commits of one repository and folder, newest first."""
    points = SyncPoint.objects.filter(pack=pack, repository=repository, folder=folder)
    return list(points.order_by("-pk"))


def files_at_point(point: SyncPoint) -> Files:
    """The pack's files when this point was recorded."""
    data = blobs(point.files.values())
    return Files({path: data[hash] for path, hash in point.files.items()})


def destinations(pack: Pack) -> list[dict[str, Any]]:
    """The repositories of a pack, the latest one first: each with its newest commit."""
    newest: dict[tuple[str, str], dict[str, Any]] = {}
    for point in SyncPoint.objects.filter(pack=pack).order_by("-pk"):
        newest.setdefault(
            (point.repository, point.folder),
            {
                "repository": point.repository.removesuffix("/.git"),
                **columns(point, "folder", "branch", "commit", "revision", "kind", "created_at"),
            },
        )
    return list(newest.values())


def paths_at(pack_id: int, commit: str) -> tuple[str, ...]:
    """Every path of the pack that a recorded commit has or removed."""
    points = SyncPoint.objects.filter(pack=pack_id).order_by("-pk")
    at = next((point for point in points if point.commit == commit), None)
    if at is None:
        return ()
    before = next((point for point in points if point.pk < at.pk), None)
    return tuple(sorted({*at.files, *(before.files if before else ())}))


def was_exported(pack_id: int, files: Files) -> bool:
    """True if an export of the pack had exactly these files."""
    wanted = {path: sha256(data).hexdigest() for path, data in files.items()}
    points = SyncPoint.objects.filter(pack=pack_id, kind=SyncPoint.Kind.EXPORT)
    return any(point.files == wanted for point in points)


def last_export(pack_id: int, repository: str, branch: str) -> str | None:
    """The newest commit of the pack on a branch of ours; None if there is none."""
    points = SyncPoint.objects.filter(
        pack=pack_id, repository=repository, branch=branch, kind=SyncPoint.Kind.EXPORT
    )
    return points.order_by("-pk").values_list("commit", flat=True).first()
