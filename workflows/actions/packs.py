"""Packs: import, create, change and delete. All writes of packs go through this module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from workflows.actions import projection, save_revision
from workflows.actions.edits import edit
from workflows.actions.history import redo, restore, undo
from workflows.actions.save_revision import Step
from workflows.core.dialects import dialects, recognise
from workflows.core.dialects.base import Dialect
from workflows.core.pack.files import Files
from workflows.db.text import to_storable
from workflows.errors import BadRequest, NothingRecognised, NotThere
from workflows.models import Pack, Revision
from workflows.selectors.packs import pack_named
from workflows.selectors.sources import Opened, dialect_named, opened

__all__ = [
    "STARTING_POINTS",
    "Imported",
    "change",
    "create",
    "create_from_sample",
    "delete",
    "edit",
    "import_files",
    "name_revision",
    "redo",
    "rename",
    "restore",
    "set_profile",
    "undo",
]

STARTING_POINTS = ("blank", "empty", "minimal")
"""Names of samples that can be the start of a new pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """Packs recognised in a tree, and the paths that belong to none."""

    packs: tuple[Pack, ...]
    ignored: tuple[str, ...]


@transaction.atomic
def import_files(
    files: Mapping[str, bytes],
    *,
    owner: User | None,
    origin: str = "upload",
    name: str = "",
) -> Imported:
    """Import every pack in this tree, each with its own files; all of them or none.

    Raises BadFiles (paths, sizes) and NothingRecognised. `name` renames a single pack.
    """
    tree = files if isinstance(files, Files) else Files.of(files)
    found = recognise(tree)
    if not found:
        raise NothingRecognised(
            hint=f"A pack is one of {_known_formats()}. Check the file's name, or open a sample.",
            where=", ".join(list(tree)[:3]),
        )
    packs = tuple(
        _create(
            dialect_named(one.dialect),
            Files({path: tree[path] for path in one.paths}),
            name=name if name and len(found) == 1 else one.name,
            main=one.main,
            owner=owner,
            origin=origin,
        )
        for one in found
    )
    taken = {path for one in found for path in one.paths}
    return Imported(packs=packs, ignored=tuple(path for path in tree if path not in taken))


def _known_formats() -> str:
    """The formats that can be imported, as text: label and usual file name."""
    known = [one for one in dialects().values() if one.file_names]
    return ", ".join(f"{one.label} ({one.file_names[0]})" for one in known)


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
    one = dialect.recognises(files)[0]
    return _create(
        dialect,
        Files({path: files[path] for path in one.paths}),
        name=name or one.name,
        main=one.main,
        owner=owner,
        origin="sample",
        sample=sample,
    )


@transaction.atomic
def _create(
    dialect: Dialect,
    files: Files,
    *,
    name: str,
    main: str,
    owner: User | None,
    origin: str,
    sample: str = "",
) -> Pack:
    pack = Pack.objects.create(
        name=checked_name(name or main),
        dialect=dialect.name,
        profile=dialect.profiles[0],
        main=main,
        origin=origin[:400],
        sample=sample,
        owner=owner,
    )
    step = Step(
        kind=Revision.Kind.IMPORT,
        author=owner,
        summary="Import" if origin != "sample" else "Create from a sample",
        head=None,
        after=Opened(dialect, dialect.read(files)),
    )
    save_revision.save(pack, step)
    return pack


@transaction.atomic
def change(pack_id: int, *, name: str | None = None, profile: str | None = None) -> Pack:
    """Rename a pack, change its profile, or both in one transaction. Raises as `rename` and
    `set_profile`."""
    if profile is not None:
        set_profile(pack_id, profile)
    return pack_named(pack_id) if name is None else rename(pack_id, name)


@transaction.atomic
def rename(pack_id: int, name: str) -> Pack:
    """Rename a pack in the gallery. Its files do not change."""
    pack = pack_named(pack_id)
    pack.name = checked_name(name)
    pack.save(update_fields=["name"])
    return pack


@transaction.atomic
def set_profile(pack_id: int, profile: str) -> Pack:
    """Set the profile of a pack. Raises BadRequest for one that its dialect does not have."""
    pack = pack_named(pack_id)
    now = opened(pack)
    if profile not in now.dialect.profiles:
        known = ", ".join(now.dialect.profiles)
        raise BadRequest(
            f"{now.dialect.label} has no profile {profile!r}; it has {known}.", where="profile"
        )
    before, after = now.under(pack.profile), now.under(profile)
    pack.profile = profile
    pack.errors, pack.warnings = after.count("error"), after.count("warning")
    pack.save(update_fields=["profile", "errors", "warnings"])
    projection.refresh(pack, before, after, {})
    return pack


@transaction.atomic
def delete(pack_id: int) -> None:
    """Delete a pack with its revisions and runs. Raises NotThere."""
    pack_named(pack_id).delete()


@transaction.atomic
def name_revision(pack_id: int, number: int, name: str) -> Revision:
    """Name a revision; "" removes the name. Raises NotThere."""
    revision = Revision.objects.filter(pack_id=pack_id, number=number).first()
    if revision is None:
        raise NotThere(f"There is no revision {number} of this pack.")
    revision.name = name.strip()[:200]
    revision.save(update_fields=["name"])
    return revision


def checked_name(name: str) -> str:
    """A readable name. Raises BadRequest if it is empty or has control characters."""
    plain = to_storable(" ".join(name.split()))
    if not plain or any(ord(char) < 32 for char in plain):
        raise BadRequest("A pack needs a name.", where="name")
    return plain[:200]
