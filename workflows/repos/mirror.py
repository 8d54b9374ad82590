"""Mirrors: bare clones of the server's own, in the data folder.

`refs/remotes/origin/` has the branches of the repository as of the last fetch, `refs/heads/` those
that this server writes. A mirror can be deleted at any time: the next fetch makes it again.
"""

from __future__ import annotations

import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from workflows.errors import RepositoryRefused
from workflows.repos.git import Git
from workflows.repos.mirror_size import limited, remove_left_locks
from workflows.repos.remote import Listing, Remote
from workflows.repos.repository import Repository, open_bare

LOCK_TIMEOUT = 3.0
"""Seconds to wait for another fetch or push of the same repository."""
ORIGIN = "refs/remotes/origin/"


def mirror_folder(number: int) -> Path:
    """The mirror of a repository by its number; the folder may not exist."""
    return Path(settings.DATA) / "repositories" / f"{number}.git"


def known_hosts() -> Path:
    """The file of SSH host keys, filled at the first connection to a host."""
    return Path(settings.DATA) / "repositories" / "known_hosts"


@contextmanager
def locked(number: int) -> Iterator[int]:
    """Hold the only right to change a mirror. Yields the file descriptor that holds the lock. The
    end of a process frees it. Raises RepositoryRefused after `LOCK_TIMEOUT`."""
    path = mirror_folder(number).with_suffix(".lock")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    deadline = time.monotonic() + LOCK_TIMEOUT
    with path.open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise RepositoryRefused(
                        "Another fetch or push of this repository is not finished.",
                        hint="Try again in a minute.",
                        where="repository",
                    ) from None
                time.sleep(0.05)
        remove_left_locks(mirror_folder(number))
        yield lock.fileno()


def open_mirror(number: int) -> Repository | None:
    """The mirror as a repository; None before the first fetch."""
    return open_bare(mirror_folder(number))


def update_mirror(number: int, remote: Remote, lock: int) -> Listing:
    """Fetch all branches. The caller holds the lock. Raises RepositoryRefused."""
    folder = mirror_folder(number)
    listing = remote.branches(Git(folder=folder.parent, kept_open=(lock,)))
    mirror = open_mirror(number)
    if mirror is None or (listing.branches and mirror.hash_length != listing.hash_length):
        _initialise(folder, "sha256" if listing.hash_length == 64 else "sha1")
        mirror = open_mirror(number)
        assert mirror is not None
    if listing.branches:
        with limited(folder) as limit:
            remote.fetch(replace(mirror.git, kept_open=(lock,)), limit)
    return listing


def delete_mirror(number: int) -> None:
    """Delete the mirror with its lock."""
    shutil.rmtree(mirror_folder(number), ignore_errors=True)
    with suppress(OSError):
        mirror_folder(number).with_suffix(".lock").unlink()


def _initialise(folder: Path, object_format: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    git = Git(folder=folder)
    # HEAD names a branch that is never made, so that no branch counts as checked out.
    git.run("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}",
            "--initial-branch=signalbox/none", ".")  # fmt: skip
