"""Scans: the packs of a repository at a commit, compared with those that follow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from roles.rights import Level, visible
from workflows.actions import packs as pack_actions
from workflows.actions import repositories as actions
from workflows.actions.packs import Imported
from workflows.actions.sync_points import Location
from workflows.errors import BadRequest, NotThere
from workflows.models import Pack, TrackedPack
from workflows.models import Repository as Row
from workflows.repos.commit_packs import CommitPack, packs_at, renamed_paths
from workflows.repos.fetches import fetched_mirror
from workflows.repos.mirror import ORIGIN
from workflows.repos.network_git import Progress, ignore
from workflows.repos.repository import Repository

FIXTURES = {
    "test", "tests", "__tests__", "testdata", "test-data", "fixture", "fixtures", "example",
    "examples", "sample", "samples", "vendor", "third_party",
}  # fmt: skip
"""Folders whose packs are rarely worked on."""


def scan(row: Row, ref: str, progress: Progress = ignore) -> dict[str, Any]:
    """The packs of a branch or commit: `{"ref", "branch", "commit", "packs", "moved"}`. `moved`:
    new place → number of the pack that was renamed to it. Raises RepositoryRefused, NotThere and
    TooMuch."""
    mirror = fetched_mirror(row, progress)
    branch, commit = named(row, mirror, ref)
    found = packs_at(mirror, commit)
    there = {one.main for one in found}
    moved = {
        new: one.pack_id
        for one in TrackedPack.objects.filter(repository=row, branch=branch)
        if one.main not in there
        and (new := renamed_paths(mirror, one.base_commit, commit).get(one.main)) in there
    }
    packs = [{"main": one.main, "dialect": one.dialect, "name": one.name} for one in found]
    return {
        "ref": branch or ref, "branch": branch, "commit": commit, "packs": packs, "moved": moved,
    }  # fmt: skip


def compared(row: Row, scanned: Mapping[str, Any], person: User) -> dict[str, Any]:
    """A scan with the packs that follow the repository now: `{"ref", "commit", "packs"}`. A pack's
    status is new, tracked, moved or gone."""
    followed = list(
        TrackedPack.objects.filter(
            repository=row, branch=scanned["branch"]
        ).select_related("pack")
    )  # fmt: skip
    seen = set(visible(Pack.objects.all(), person).values_list("pk", flat=True))
    places = {one.main: one for one in followed}
    by_pack = {one.pack_id: one for one in followed}
    there = {one["main"] for one in scanned["packs"]}
    moved = {new: by_pack[number] for new, number in scanned["moved"].items() if number in by_pack}
    listed = [_row(one, places, moved, seen) for one in scanned["packs"]]
    listed += [
        {
            "main": one.main,
            "dialect": one.pack.dialect,
            "name": one.pack.name,
            "status": "gone",
            "fixture": False,
            "pack": one.pack_id if one.pack_id in seen else None,
            "moved_from": None,
        }
        for one in followed
        if one.main not in there and one not in moved.values()
    ]
    return {"ref": scanned["ref"], "commit": scanned["commit"], "packs": listed}


def track(
    row: Row, ref: str, mains: Sequence[str], owner: User, progress: Progress = ignore
) -> Imported:
    """Import packs of a branch and let them follow it, all or none. Raises RepositoryRefused,
    NotThere, BadRequest and Conflict."""
    mirror = fetched_mirror(row, progress)
    branch, commit = named(row, mirror, ref)
    if not branch:
        raise BadRequest("Packs follow a branch. Choose one.", where="ref")
    found = {one.main: one for one in packs_at(mirror, commit)}
    missing = [main for main in mains if main not in found]
    if missing or not mains:
        raise NotThere(
            f"The branch {branch!r} has no pack at {missing[0]!r}."
            if missing
            else "Choose at least one pack.",
            where="packs",
        )
    at = Location(repository=str(mirror.common), folder="", commit=commit, branch=branch)
    made: list[Pack] = []
    with transaction.atomic():
        for main in dict.fromkeys(mains):
            pack = _imported(found[main], row, owner)
            actions.follow(pack, row, branch, at, found[main].files)
            made.append(pack)
    return Imported(packs=tuple(made), ignored=())


def named(row: Row, mirror: Repository, ref: str) -> tuple[str, str]:
    """The branch ("" for another commit) and the commit of a name; "" is the default branch.
    Raises NotThere."""
    name = ref or row.default_branch
    commit = mirror.commit_named(ORIGIN + name) if name else None
    if commit is not None:
        return name, commit
    other = mirror.commit_named(name) if name else None
    if other is None:
        raise NotThere(
            f"There is no branch or commit {name!r} in this repository."
            if name
            else "This repository has no commits yet.",
            where="ref",
        )
    return "", other


def _row(
    one: Mapping[str, str],
    places: Mapping[str, TrackedPack],
    moved: Mapping[str, TrackedPack],
    seen: set[int],
) -> dict[str, Any]:
    main = one["main"]
    row = places.get(main) or moved.get(main)
    status = "tracked" if main in places else "moved" if main in moved else "new"
    return {
        **one,
        "status": status,
        "fixture": any(part.lower() in FIXTURES for part in main.split("/")[:-1]),
        "pack": row.pack_id if row and row.pack_id in seen else None,
        "moved_from": row.main if row and status == "moved" else None,
    }


def _imported(one: CommitPack, row: Row, owner: User) -> Pack:
    rows = TrackedPack.objects.filter(repository=row, main=one.main)
    taken = rows.filter(pack__in=visible(Pack.objects.all(), owner, Level.EDIT)).exists()
    name = f"{one.name} ({row.name})" if taken else one.name
    made = pack_actions.import_files(one.files, owner=owner, origin=row.url, name=name)
    return next(pack for pack in made.packs if pack.main == one.main)
