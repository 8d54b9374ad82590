"""The size of a mirror: its limit while a fetch arrives, and what an ended fetch left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from workflows.errors import RepositoryRefused

MIB = 1024 * 1024
LEAST_FILE = 64 * 1024


class TooLargeToFetch(RepositoryRefused):
    """The repository is larger than this server permits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimit:
    """The limit of one fetch. `size`: bytes of the mirror before it."""

    mirror: Path
    size: int
    max_bytes: int

    def is_over(self) -> bool:
        """True if the mirror would pass the limit with the objects that are arriving."""
        arriving = sum(_size(path) for path in _partial(self.mirror))
        return arriving > 0 and self.size + arriving > self.max_bytes

    def was_reached(self) -> bool:
        """True if a file that a failed command left is as large as it was permitted to be."""
        largest = max((_length(path) for path in _partial(self.mirror)), default=0)
        return largest >= self.max_file_bytes // 512 * 512

    @property
    def max_file_bytes(self) -> int:
        """The largest file that may arrive. Branches can be written in any case."""
        return max(self.max_bytes - self.size, LEAST_FILE)

    def refusal(self) -> TooLargeToFetch:
        """The limit, and how to raise it."""
        return TooLargeToFetch(
            f"The fetch was stopped: with it, the repository is larger than "
            f"{self.max_bytes // MIB:,} MiB.",
            hint="The operator can raise the limit with SIGNALBOX_REPOSITORY_SIZE.",
            where="repository",
        )


@contextmanager
def limited(mirror: Path) -> Iterator[SizeLimit]:
    """The limit for one fetch. Objects that an incomplete fetch left are removed in the end. The
    caller holds the lock."""
    remove_partial(mirror)
    packs = mirror / "objects" / "pack"
    before = set(_entries(packs))
    try:
        yield SizeLimit(
            mirror=mirror,
            size=sum(_size(path) for path in mirror.rglob("*")),
            max_bytes=settings.SIGNALBOX_REPOSITORY_SIZE * MIB,
        )
    except TooLargeToFetch:
        # No branch has moved yet: git writes branches after all objects have arrived.
        for path in set(_entries(packs)) - before:
            path.unlink(missing_ok=True)
        raise
    finally:
        remove_partial(mirror)


def remove_partial(mirror: Path) -> None:
    """Remove objects that were only partly received."""
    for path in _partial(mirror):
        path.unlink(missing_ok=True)


def remove_left_locks(mirror: Path) -> None:
    """Remove lock files of git programs that were killed. The caller holds the lock of the mirror,
    so that no other program works in it."""
    for path in [*mirror.glob("*.lock"), *(mirror / "refs").rglob("*.lock")]:
        path.unlink(missing_ok=True)


def _partial(mirror: Path) -> list[Path]:
    """Files that git writes while it receives, under the names of its temporary files."""
    return [path for path in _entries(mirror / "objects" / "pack") if path.name[:4] == "tmp_"]


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _length(path: Path) -> int:
    with suppress(OSError):
        return path.lstat().st_size
    return 0


def _size(path: Path) -> int:
    with suppress(OSError):
        found = path.lstat()
        return found.st_blocks * 512 if path.is_file() else 0
    return 0
