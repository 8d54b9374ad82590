"""Writes of the server to a repository on this machine: objects, and one ref.

An untrusted user may have left links in it, which git follows when it writes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from workflows.errors import RepositoryRefused
from workflows.repos.git import Git

LOOSE = 100
"""A pack with fewer objects is unpacked, as git does with a push."""
MAX_PACK = 2 * 1024**3


def add_objects(git: Git, pack: bytes | IO[bytes], *, strict: bool = True) -> None:
    """Add the objects of a pack. `strict`: git checks each one, and all that it refers to.
    Raises GitFailed and RepositoryRefused."""
    _check(_places_of_objects(_common(git)))
    # Git reads the file itself, from its beginning.
    head = pack[:12] if isinstance(pack, bytes) else os.pread(pack.fileno(), 12, 0)
    checks = (f"--max-input-size={MAX_PACK}", *(("--strict",) if strict else ()))
    if int.from_bytes(head[8:12], "big") < LOOSE:
        git.run("unpack-objects", "-q", *checks, stdin=pack)
    else:
        git.run("index-pack", "--stdin", *checks, stdin=pack)


def set_ref(git: Git, ref: str, new: str, *, old: str = "", message: str = "") -> None:
    """Let a ref name a commit. `old`: the commit that it must name now, zeros: it must not exist,
    "": any. Raises GitFailed and RepositoryRefused."""
    check_places(git, ref)
    about = ("-m", message) if message else ()
    git.run("update-ref", "--no-deref", *about, ref, new, *((old,) if old else ()))


def check_places(git: Git, ref: str) -> None:
    """Raise RepositoryRefused if git would follow a link when it writes objects or a ref."""
    common = _common(git)
    parts = ref.split("/")
    places = [common / "packed-refs", common / "logs", common / "logs/HEAD", common / "reftable"]
    for top in (common, common / "logs"):
        places += [top.joinpath(*parts[: end + 1]) for end in range(len(parts))]
    _check(places)
    _check(_places_of_objects(common))


def _places_of_objects(common: Path) -> Iterator[Path]:
    # `objects` itself may be a link to a folder that was checked when the repository was opened.
    yield from (common / "objects").iterdir()


def _check(places: Iterable[Path]) -> None:
    for place in places:
        if place.is_symlink():
            raise RepositoryRefused(
                f"{place} is a link, and the server does not write through links.",
                hint="Replace it by what it leads to.",
                where="repository",
            )


def _common(git: Git) -> Path:
    return Path(git.variables.get("GIT_COMMON_DIR") or git.variables["GIT_DIR"])
