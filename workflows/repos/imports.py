"""Imports of packs from repositories: from a commit, or from a work tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from django.contrib.auth.models import User

from workflows.actions.import_updates import ImportSource
from workflows.actions.packs import Imported, import_files
from workflows.actions.sync_points import Location
from workflows.core.dialects import recognise
from workflows.core.pack.files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    BadFiles,
    Files,
    TooMuch,
    clean_path,
)
from workflows.core.text.visible import escaped
from workflows.errors import NotThere, RepositoryRefused
from workflows.repos.pack_blobs import blobs_of, is_pointer_to
from workflows.repos.repository import Repository, open_allowed, open_around
from workflows.repos.scratch import Scratch, blob_id, not_in_clone, scratch, stored_content

SKIPPED = {".git", "node_modules", "__pycache__", ".venv"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """A commit of a repository and a path in it, a folder or one file. `name` renames a single
    pack; `separate` makes new packs even where one could be updated."""

    repository: Path
    ref: str = "HEAD"
    path: str = ""
    name: str = ""
    separate: bool = False


def import_commit(request: ImportRequest, owner: User | None) -> Imported:
    """Import the packs of a commit, or update those that were imported from there.

    Raises RepositoryRefused, NotThere, BadFiles, NothingRecognised and Conflict.
    """
    repository = open_allowed(request.repository)
    commit = repository.commit_named(request.ref or "HEAD")
    if commit is None:
        raise NotThere(
            f"There is no commit {request.ref!r} in this repository.",
            hint="Enter a branch, a tag or the id of a commit.",
            where="ref",
        )
    path = clean_path(request.path.strip("/")) if request.path.strip("/") else ""
    with scratch(repository) as area:
        folder, files, skipped = _files_of(area, commit, path)
    source = ImportSource(
        at=_location(repository, folder, commit, request.ref),
        contains=lambda older: _contains(repository, commit, older),
        separate=request.separate,
        one_file=path != folder,
    )
    origin = f"{request.repository} {request.ref}:{path}"
    made = import_files(files, owner=owner, origin=origin, name=request.name, source=source)
    return replace(made, ignored=(*made.ignored, *skipped))


def source_of(path: Path, files: Files, *, separate: bool = False) -> ImportSource | None:
    """The commit that files of a folder, or one file, come from; None outside of git."""
    folder = path if path.is_dir() else path.parent
    found = open_around(folder)
    if found is None:
        return None
    repository, prefix = found
    commit = repository.commit_named("HEAD")
    if commit is None:
        return None
    placed = {f"{prefix}/{path}" if prefix else path: data for path, data in files.items()}
    try:
        with scratch(repository) as area:
            changed = _uncommitted(area, commit, placed)
    except RepositoryRefused:  # Unknown: an export compares each file with the commit's.
        changed = set(placed)
    return ImportSource(
        at=_location(repository, prefix, commit, ""),
        contains=lambda older: _contains(repository, commit, older),
        uncommitted=frozenset(path[len(prefix) :].lstrip("/") for path in changed),
        separate=separate,
        one_file=folder != path,
    )


def _location(repository: Repository, folder: str, commit: str, ref: str) -> Location:
    is_branch = repository.commit_named(f"refs/heads/{ref}") is not None if ref else False
    return Location(
        repository=repository.source,
        folder=folder,
        commit=commit,
        branch=ref if is_branch else "",
    )


def _contains(repository: Repository, commit: str, older: str) -> bool:
    return repository.has_commit(older) and repository.contains(commit, older)


def _files_of(area: Scratch, commit: str, path: str) -> tuple[str, Files, list[str]]:
    """The folder, its files as a work tree has them by paths below the folder, and the paths that
    are skipped: those with a name that cannot be stored, and packs that a filter stores."""
    tree = area.tree(commit)
    folder = path.rpartition("/")[0] if path in tree else path
    prefix = f"{folder}/" if folder else ""
    wanted = [
        name
        for name, entry in tree.items()
        if entry.is_file
        and name.startswith(prefix)
        and (path not in tree or name == path)
        and SKIPPED.isdisjoint(name.split("/"))
    ]
    skipped = [] if path in tree else [name for name in wanted if not _is_storable(name)]
    wanted = [name for name in wanted if name not in set(skipped)]
    if not wanted:
        raise NotThere(f"The commit has no files at {path or 'its top'}.", where="path")
    _check_sizes(area, commit, wanted)
    area.read_index(commit)
    found = area.checked_out(wanted)
    files = Files.of({name.removeprefix(prefix): data for name, data in found.items()})
    filtered = area.filtered(wanted)
    packs = recognise(files) if filtered else ()
    refused = {
        one.main: inner for one in packs for inner in one.paths if prefix + inner in filtered
    }
    if packs and len(refused) == len(packs):
        inner = next(iter(refused.values()))
        raise RepositoryRefused(
            f"{inner} is stored with the filter {filtered[prefix + inner]!r}, and this"
            " server runs no filter programs.",
            hint="Import the files from a folder instead.",
            where=inner,
        )
    kept = {inner for one in packs if one.main not in refused for inner in one.paths}
    gone = {inner for one in packs if one.main in refused for inner in one.paths} - kept
    files = Files({name: data for name, data in files.items() if name not in gone})
    return folder, files, [*map(_shown, skipped), *sorted(refused)]


def _shown(name: str) -> str:
    """A name as text that can be sent and stored."""
    return escaped(name).encode(errors="backslashreplace").decode()


def _is_storable(path: str) -> bool:
    try:
        clean_path(path)
    except BadFiles:
        return False
    return True


def _check_sizes(area: Scratch, commit: str, wanted: list[str]) -> None:
    """Raise TooMuch before anything large is written to the disk."""
    hint = "Import the folder that holds the pack, not the whole repository."
    if len(wanted) > MAX_FILES:
        raise TooMuch(f"The folder has more than {MAX_FILES:,} files.", hint=hint)
    sizes = area.sizes(commit, wanted)
    total = 0
    for path in wanted:
        if path not in sizes:
            raise not_in_clone(path)
        total += sizes[path]
        if sizes[path] > MAX_FILE_BYTES or total > MAX_TOTAL_BYTES:
            raise TooMuch("The files are too large.", where=path, hint=hint)


def _uncommitted(area: Scratch, commit: str, placed: Mapping[str, bytes]) -> set[str]:
    """The paths whose bytes a commit of the work tree would change."""
    tree = area.tree(commit)
    area.read_index(commit)
    changed: set[str] = set()
    unsure: dict[str, bytes] = {}
    for path, data in placed.items():
        entry = tree.get(path)
        if entry is None or not entry.is_file:
            changed.add(path)
        elif entry.id != blob_id(data, area.hash_length):
            unsure[path] = data
    for path in area.filtered(unsure):
        data = unsure.pop(path)
        try:
            same = is_pointer_to(stored_content(area, tree[path], path), data)
        except RepositoryRefused:
            same = False
        if not same:
            changed.add(path)
    try:
        ids = blobs_of(area, tree, unsure, {})
    except (RepositoryRefused, BadFiles):
        return changed | set(unsure)
    return changed | {path for path in unsure if ids[path] != tree[path].id}
