"""Packs: import, create, change and delete. All writes of packs go through this module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from posixpath import dirname
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from roles.rows import found
from workflows.actions import import_updates, projection, save_revision
from workflows.actions.approval_limit_values import checked_limit
from workflows.actions.edits import edit
from workflows.actions.history import redo, restore, undo
from workflows.actions.import_updates import ImportSource
from workflows.actions.new_pack_files import placed
from workflows.actions.pack_names import named, put_in_files
from workflows.actions.quotas import check_pack
from workflows.actions.revision_store import StaleRevision
from workflows.actions.save_revision import Step
from workflows.core.dialects import recognise
from workflows.core.dialects.base import Dialect, PackLocation
from workflows.core.pack.files import BadFiles, Files, TooMuch
from workflows.db.text import to_storable
from workflows.errors import BadRequest, NothingRecognised, NotThere, TookTooLong
from workflows.models import Favourite, Pack, Revision
from workflows.opened_packs.bodies import known_formats
from workflows.opened_packs.view import Opened, View
from workflows.selectors.bound_roles import readable_bindings
from workflows.selectors.layout import Layout, layout_now
from workflows.selectors.opened_folder import opened_folder, origin_of
from workflows.selectors.packs import pack_named
from workflows.selectors.samples import STARTING_POINTS
from workflows.selectors.sources import dialect_named, opened

__all__ = ["edit", "redo", "restore", "undo"]


MAX_PACKS = 1_000
"""Packs of one import. They share a transaction, and other writers wait for its two seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """Packs recognised in a tree, and the paths that belong to none. `updated`: the ids of packs
    that existed before."""

    packs: tuple[Pack, ...]
    ignored: tuple[str, ...]
    updated: tuple[int, ...] = ()


def import_files(
    files: Mapping[str, bytes],
    *,
    owner: User | None,
    origin: str = "upload",
    name: str = "",
    source: ImportSource | None = None,
    layout: Layout | None = None,
) -> Imported:
    """Import every pack in this tree, each with its own files; all of them or none.

    A pack that was imported from the same path of the same repository is updated. Raises BadFiles
    (paths, sizes, too many packs), NothingRecognised and, for an update, Conflict. `name` renames a
    single pack, and `layout` has its positions.
    """
    tree = files if isinstance(files, Files) else Files.of(files)
    locations = recognise(tree)
    if not locations:
        raise NothingRecognised(
            hint=known_formats(),
            where=", ".join(list(tree)[:3]),
        )
    if len(locations) > MAX_PACKS:
        raise TooMuch(
            f"These files are {len(locations):,} packs; {MAX_PACKS:,} are imported at once.",
            hint="Import the folders one by one, or open the folder with `signalbox open`.",
        )
    parsed = [_parsed(one, tree) for one in locations]
    with transaction.atomic():
        return _import_parsed(
            parsed, tree, owner=owner, origin=origin, name=name, source=source, layout=layout
        )


def _parsed(one: PackLocation, tree: Files) -> tuple[PackLocation, Opened]:
    """A pack with its graph and findings, made before the transaction: other users can write in
    the meantime."""
    dialect = dialect_named(one.dialect)
    files = Files({path: tree[path] for path in one.paths})

    opened = Opened(dialect, files)
    try:
        opened.under(dialect.profiles[0]).prepare()
    except TookTooLong as slow:
        raise BadFiles(slow.message, where=one.main, hint="Split the pack.") from None
    return one, opened


def _import_parsed(
    located: Sequence[tuple[PackLocation, Opened]],
    tree: Files,
    *,
    owner: User | None,
    origin: str,
    name: str,
    source: ImportSource | None,
    layout: Layout | None,
) -> Imported:
    packs: list[Pack] = []
    updated: list[int] = []
    for one, read in located:
        own = read.files
        earlier = import_updates.linked(source, one.main, one.dialect, owner) if source else None
        if source and earlier:
            packs.append(import_updates.update(earlier, own, source, owner))
            updated.append(earlier.pk)
            continue
        pack = _create(
            read,
            name=name if name and len(located) == 1 else one.name,
            main=one.main,
            owner=owner,
            origin=origin,
            folder=dirname(one.main).strip("/")[:200] if len(located) > 1 else "",
            layout=layout if len(located) == 1 else None,
        )
        if source:
            import_updates.follow(pack, own, source)
        packs.append(pack)
    taken = {path for one, _ in located for path in one.paths}
    return Imported(
        packs=tuple(packs),
        ignored=tuple(path for path in tree if path not in taken),
        updated=tuple(updated),
    )


def create_from_sample(
    sample: str, *, owner: User | None, name: str = "", keep: bool = False
) -> Pack:
    """Create a pack from the sample `<dialect>/<name>`. `keep` marks it as the sample itself.

    Raises NotThere for an unknown sample.
    """
    dialect_name, _, key = sample.partition("/")
    dialect = dialect_named(dialect_name)
    files = dialect.samples().get(key)
    if files is None:
        raise NotThere(f"There is no sample {sample!r}.", where="sample")
    return _from_tree(dialect, files, name=name, owner=owner, sample=sample if keep else "")


def create(dialect_name: str, *, name: str, owner: User | None) -> Pack:
    """Create a pack with the minimum that its dialect needs: its sample `blank` (or the first
    one)."""
    dialect = dialect_named(dialect_name)
    samples = dialect.samples()
    if not samples:
        raise NotThere(f"{dialect.label} has no pack to start from.", where="dialect")
    key = next((key for key in STARTING_POINTS if key in samples), next(iter(samples)))
    return _from_tree(dialect, samples[key], name=name, owner=owner, sample="")


def _from_tree(
    dialect: Dialect, files: Files, *, name: str, owner: User | None, sample: str
) -> Pack:
    if name:
        files = named(dialect, files, name)
    one = dialect.recognises(files)[0]
    return _create(
        _parsed(one, files)[1],
        name=name or one.name,
        main=one.main,
        owner=owner,
        origin="sample",
        sample=sample,
    )


@transaction.atomic
def _create(
    read: Opened,
    *,
    name: str,
    main: str,
    owner: User | None,
    origin: str,
    sample: str = "",
    folder: str = "",
    profile: str = "",
    layout: Layout | None = None,
) -> Pack:
    check_pack(owner)
    dialect = read.dialect
    summary = _summary(origin)
    folder_here = opened_folder()
    if folder_here and origin != origin_of(folder_here):
        read, main = placed(read, main, title=name, keep=summary == IMPORT)
        origin = origin_of(folder_here)
    pack = Pack.objects.create(
        name=checked_name(name or main),
        dialect=dialect.name,
        profile=profile or dialect.profiles[0],
        main=main,
        origin=origin[:400],
        folder=to_storable(folder),
        sample=sample,
        owner=owner,
    )
    step = Step(
        kind=Revision.Kind.IMPORT,
        author=owner,
        summary=summary,
        head=None,
        after=read,
        layout=layout or {},
    )
    save_revision.save(pack, step)
    return pack


IMPORT = "Import"


def _summary(origin: str) -> str:
    if origin.startswith("copy of "):
        return origin[:1].upper() + origin[1:]
    return "Create from a sample" if origin == "sample" else IMPORT


def change(
    pack_id: int,
    *,
    name: str | None = None,
    profile: str | None = None,
    folder: str | None = None,
    in_files: bool = False,
    author: User | None = None,
) -> Pack:
    """Change the name, the profile and the folder of a pack in one transaction, and with `in_files`
    the display name in its files. Raises as `rename`, `set_folder` and `put_in_files`, and
    BadRequest for a profile that its dialect does not have."""

    def attempt(pack: Pack) -> Pack:
        views = None if profile is None else _checked_under(pack, profile)
        with transaction.atomic():
            if views is not None:
                _put_profile(pack, *views)
            if folder is not None:
                set_folder(pack_id, folder)
            return pack_named(pack_id) if name is None else rename(pack_id, name)

    pack = save_revision.retried(pack_id, attempt)
    if in_files:
        put_in_files(pack, pack.name, author)
        pack = pack_named(pack_id)
    return pack


@transaction.atomic
def rename(pack_id: int, name: str) -> Pack:
    """Rename a pack in the gallery. Its files do not change."""
    pack = pack_named(pack_id)
    pack.name = checked_name(name)
    pack.save(update_fields=["name"])
    return pack


@transaction.atomic
def set_folder(pack_id: int, folder: str) -> Pack:
    """Move a pack to a folder of the gallery; "" for none. Raises BadRequest for a name with
    control characters."""
    pack = pack_named(pack_id)
    parts = [" ".join(part.split()) for part in to_storable(folder).split("/")]
    pack.folder = "/".join(part for part in parts if part)[:200]
    if any(ord(char) < 32 for char in pack.folder):
        raise BadRequest("A folder's name cannot have control characters.", where="folder")
    pack.save(update_fields=["folder"])
    return pack


@transaction.atomic
def limit_approvals(pack_id: int, limit: Mapping[str, Any] | None) -> Pack:
    """Set the time limit of questions to people in later runs: hours and outcome; None for that of
    the server. Raises BadRequest."""
    pack = pack_named(pack_id)
    pack.approval_limit = checked_limit(limit["hours"], limit["outcome"]) if limit else None
    pack.save(update_fields=["approval_limit"])
    return pack


def duplicate(pack_id: int, *, owner: User, name: str = "") -> Pack:
    """Copy the newest revision of a pack, with its layout, notes, profile and folder.

    Runs, history, triggers and tool bindings are not copied, nor roles that `owner` may not see.
    Raises NotThere.
    """
    pack = pack_named(pack_id)
    now = opened(pack)
    read = Opened(now.dialect, now.files)  # Views of its own, which the cache cannot drop.
    read.under(pack.profile, now.under(pack.profile).drawn).prepare()
    return _create(
        read,
        name=name or f"{pack.name[:190]} (copy)",
        main=pack.main,
        owner=owner,
        origin=f"copy of {pack.name}",
        folder=pack.folder,
        profile=pack.profile,
        layout=readable_bindings(layout_now(pack_id), owner),
    )


@transaction.atomic
def set_favourite(pack_id: int, person: User, favourite: bool) -> None:
    """Add a pack to the favourites of a user, or remove it. Raises NotThere."""
    pack = pack_named(pack_id)
    if favourite:
        Favourite.objects.get_or_create(user=person, pack=pack)
    else:
        Favourite.objects.filter(user=person, pack=pack).delete()


def _checked_under(pack: Pack, profile: str) -> tuple[View, View]:
    """The newest revision under the pack's profile and under another one, made before the
    transaction: other users can write in the meantime."""
    now = opened(pack)
    if profile not in now.dialect.profiles:
        profiles = ", ".join(now.dialect.profiles)
        raise BadRequest(
            f"{now.dialect.label} has no profile {profile!r}; it has {profiles}.", where="profile"
        )
    before, after = now.under(pack.profile), now.under(profile)
    before.prepare(check=False)
    after.prepare()
    return before, after


def _put_profile(pack: Pack, before: View, after: View) -> None:
    """Raises StaleRevision if `pack` has a newer revision or another profile now."""
    same = Pack.objects.filter(pk=pack.pk, head=pack.head, profile=before.profile)
    errors, warnings = after.count("error"), after.count("warning")
    if not same.update(profile=after.profile, errors=errors, warnings=warnings):
        raise StaleRevision
    projection.refresh(pack, before, after, {})


@transaction.atomic
def delete(pack_id: int, author: User | None = None) -> None:
    """Delete a pack with its revisions and runs. In an opened folder its files are deleted as one
    revision, so that the pack keeps its id when they come back; a second call deletes the pack too.
    Raises NotThere."""
    pack, folder = pack_named(pack_id), opened_folder()
    if folder is None or pack.deleted or pack.origin != origin_of(folder):
        pack.delete()
    else:
        save_revision.retried(pack_id, lambda current: _delete_files(current, author))


def _delete_files(pack: Pack, author: User | None) -> None:
    head = opened(pack)
    after = Opened(head.dialect, Files({}))
    step = Step(
        kind=Revision.Kind.EDIT, author=author, summary="Delete in the gallery",
        head=head, after=after,
    )  # fmt: skip
    save_revision.save(pack, step)


@transaction.atomic
def name_revision(pack_id: int, number: int, name: str) -> Revision:
    """Name a revision; "" removes the name. Raises NotThere."""
    revision = found(
        Revision.objects.filter(pack_id=pack_id, number=number),
        NotThere(f"There is no revision {number} of this pack."),
    )
    revision.name = name.strip()[:200]
    revision.save(update_fields=["name"])
    return revision


def checked_name(name: str) -> str:
    """A readable name. Raises BadRequest if it is empty or has control characters."""
    plain = to_storable(" ".join(name.split()))
    if not plain or any(ord(char) < 32 for char in plain):
        raise BadRequest("A pack needs a name.", where="name")
    return plain[:200]
