"""Updates of packs from the repository that they were imported from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User

from workflows.actions import save_revision
from workflows.actions.file_merge import Place, merged_files
from workflows.actions.save_revision import Step
from workflows.actions.sync_points import Location, record
from workflows.core.pack.files import Files
from workflows.errors import Conflict
from workflows.models import Pack, Revision, SyncPoint
from workflows.selectors.packs import pack_named
from workflows.selectors.sources import opened, read
from workflows.selectors.sync_points import files_at_point, linked_pack, points_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSource:
    """The commit that files were read at.

    `uncommitted`: paths whose bytes are in the work tree only. `contains`: True for a commit that
    is this one or an ancestor of it.
    `separate`: make new packs, never update one.
    """

    at: Location
    contains: Callable[[str], bool]
    uncommitted: frozenset[str] = frozenset()
    separate: bool = False
    one_file: bool = False


def linked(source: ImportSource, main: str, dialect: str, person: User | None) -> Pack | None:
    """The pack that an import from here by this user updates. None is the command line."""
    if source.separate:
        return None
    return linked_pack(source.at.repository, source.at.folder, main, dialect, person)


def follow(pack: Pack, files: Files, source: ImportSource) -> None:
    """Record where the newest revision of a pack was imported from."""
    record(
        pack,
        SyncPoint.Kind.IMPORT,
        source.at,
        revision=pack.head,
        files=files,
        uncommitted=source.uncommitted,
    )


def update(pack: Pack, files: Files, source: ImportSource, author: User | None) -> Pack:
    """Merge newer files of a repository into a pack, as one revision.

    Raises Conflict if both sides changed the same place, or if the commit is older than the one
    that the pack has. Must run inside a transaction.
    """
    points = points_of(pack, source.at.repository, source.at.folder)
    base = next((point for point in points if source.contains(point.commit)), None)
    if base is None:
        raise Conflict(
            f"The pack {pack.name!r} is based on the commit {points[0].commit[:12]}, which"
            f" {source.at.commit[:12]} does not contain.",
            hint="Import a commit that contains it, or import as a separate pack.",
            where=pack.main,
            pack=pack.pk,
        )
    old = files_at_point(base)
    if source.one_file:
        files = old.changed(files)
    updated = save_revision.retried(
        pack.pk, lambda current: _merge(current, old, files, source, author)
    )
    follow(updated, files, source)
    return updated


def _merge(
    pack: Pack, old: Files, theirs: Files, source: ImportSource, author: User | None
) -> Pack:
    head = opened(pack)
    merged, places = merged_files(old, head.files, theirs)
    if places:
        raise _conflict(pack, source, places)
    files = Files.of(merged)
    if files == head.files:
        return pack
    after = read(pack.pk, head.dialect, files)
    if head.readable and not after.readable:
        reason = "With both sides' changes the pack can no longer be read."
        raise _conflict(pack, source, (Place(path=pack.main, reason=reason),))
    step = Step(
        kind=Revision.Kind.IMPORT,
        author=author,
        summary=f"Import {source.at.commit[:12]}",
        head=head,
        after=after,
    )
    save_revision.save(pack, step)
    return pack_named(pack.pk)


def _conflict(pack: Pack, source: ImportSource, places: tuple[Place, ...]) -> Conflict:
    return Conflict(
        f"The pack {pack.name!r} and the commit {source.at.commit[:12]} changed the same place.",
        hint="Export the pack to a new branch, merge the branches with git, and import the result.",
        where=places[0].path,
        pack=pack.pk,
        places=[place.to_json() for place in places],
    )
