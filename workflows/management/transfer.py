"""Import from folders and export to folders, for `signalbox import` and `signalbox export`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workflows.actions.packs import Imported, import_files
from workflows.core.pack.archives import looks_like_zip, unpack
from workflows.core.pack.files import MAX_FILE_BYTES, MAX_FILES, BadFiles, Files, TooMuch
from workflows.errors import BadRequest, NotThere, Unreadable
from workflows.folder.disk import remove_empty_folders
from workflows.models import Pack, Revision
from workflows.repos.imports import source_of
from workflows.selectors.sources import opened

SKIPPED = {".git", "node_modules", "__pycache__", ".venv"}


def import_path(path: Path | str, *, separate: bool = False) -> Imported:
    """Import every pack in a file, a zip or a folder. Raises CallerError.

    In a work tree of git, a pack that was imported from the same path is updated, unless
    `separate`.
    """
    source = Path(path)
    if not source.exists():
        raise NotThere(f"{source} does not exist.", where=str(source))
    try:
        files = _read(source)
        packed = source.is_file() and source.name not in files
        origin = None if packed else source_of(source.resolve(), files, separate=separate)
        return import_files(files, owner=None, origin=str(source.absolute()), source=origin)
    except BadFiles as error:
        raise Unreadable(error.message, hint=error.hint, where=error.where) from error


def export_pack(name_or_id: str | int, to: Path | str, *, force: bool = False) -> list[Path]:
    """Write a pack's files below a folder. Returns the written paths. With `force`, files there
    that an earlier revision had and the newest lacks are deleted; all other files stay unchanged.

    Raises BadRequest before anything is written if files with other content exist there and `force`
    is False.
    """
    pack = find_pack(name_or_id)
    files = opened(pack).files
    root = Path(to).absolute()
    targets = {root / path: data for path, data in files.items()}
    for target in targets:
        _check_inside(root, target)
    changed = [target for target, data in targets.items() if _differs(target, data)]
    if changed and not force:
        raise BadRequest(
            f"{changed[0]} already exists with other content"
            + (f", as do {len(changed) - 1} more files." if len(changed) > 1 else "."),
            hint="Choose another folder, or overwrite with --force.",
            where=str(changed[0]),
        )
    for target, data in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != data:
            target.write_bytes(data)
    for path in _former_paths(pack, files) if force else ():
        _delete(root, path)
    return list(targets)


def _former_paths(pack: Pack, files: Files) -> set[str]:
    """The paths of earlier revisions that the newest lacks."""
    revisions = Revision.objects.filter(pack=pack).values_list("manifest", "changes")
    return {path for each in revisions for paths in each for path in paths or ()} - set(files)


def _delete(root: Path, path: str) -> None:
    """Delete a file and the folders that it leaves empty. Links are not followed."""
    target = root / path
    if target.is_symlink() or not target.resolve().is_relative_to(root.resolve()):
        return
    if target.is_file():
        target.unlink()
        remove_empty_folders(root, path)


def find_pack(name_or_id: str | int) -> Pack:
    """The pack with this number, or with this name (in any case, if unambiguous).

    Raises NotThere.
    """
    key = str(name_or_id)
    folded = key.casefold()
    candidates = [
        number
        for number, name in Pack.objects.values_list("pk", "name")
        if name.casefold() == folded or str(number) == key
    ]
    packs = list(Pack.objects.filter(pk__in=candidates).order_by("pk"))
    exact = (
        [pack for pack in packs if str(pack.pk) == key]
        or [pack for pack in packs if pack.name == key]
        or packs
    )
    if len(exact) == 1:
        return exact[0]
    if not exact:
        names = list(Pack.objects.order_by("-changed_at").values_list("name", flat=True)[:8])
        hint = f"There are {', '.join(names)}." if names else "There are no packs yet."
        raise NotThere(f"There is no pack {key!r}.", hint=hint)
    numbers = ", ".join(f"{pack.pk} ({pack.name})" for pack in exact)
    raise NotThere(f"Several packs are named {key!r}.", hint=f"Use a number: {numbers}.")


def _read(here: Path) -> Files:
    if here.is_file():
        data = _read_file(here)
        return unpack(data) if looks_like_zip(data) else Files.of({here.name: data})
    items: dict[str, bytes] = {}
    for path in _walk(here):
        if len(items) >= MAX_FILES:
            raise TooMuch(
                f"{here} contains more than {MAX_FILES:,} files.",
                hint="Import the folder that contains the pack, not the whole repository.",
            )
        items[path.relative_to(here).as_posix()] = _read_file(path)
    return Files.of(items)


def _walk(folder: Path) -> Iterator[Path]:
    """Regular files below a folder, without following links."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name in SKIPPED:
            continue
        if path.is_dir():
            yield from _walk(path)
        elif path.is_file():
            yield path


def _read_file(path: Path) -> bytes:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise TooMuch(f"{path} is larger than {MAX_FILE_BYTES:,} bytes.", where=str(path))
    return path.read_bytes()


def _differs(target: Path, data: bytes) -> bool:
    if target.is_dir():
        return True
    return target.exists() and target.read_bytes() != data


def _check_inside(root: Path, target: Path) -> None:
    """Links below the folder must not lead a file out of it."""
    if not target.resolve().is_relative_to(root.resolve()) or target.is_dir():
        raise BadRequest(f"{target} is a folder, or leads out of {root}.", where=str(target))
