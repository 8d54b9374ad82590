"""Modes of the server's own files: readable by its user only."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

OWNER_ONLY = 0o077
"""The mask of new files of a server and of a worker."""
UNCHANGED = -1
_mask_of_others = UNCHANGED


def restrict_new_files() -> None:
    """Give new files of this process to its user only. Git and commands, which write to folders of
    others, keep the mask that the process was started with."""
    global _mask_of_others
    before = os.umask(OWNER_ONLY)
    if _mask_of_others == UNCHANGED:
        _mask_of_others = before


def mask_of_others() -> int:
    """The mask for processes that write to a user's folders; -1 to leave it as it is."""
    return _mask_of_others


def restrict_folder(folder: Path) -> bool:
    """Take the rights of other users away from a folder and everything in it. Links are not
    followed. Returns False if other users can still enter the folder, as in one of theirs."""
    status = folder.stat()
    if folder == Path(folder.anchor) or status.st_mode & stat.S_ISVTX:
        return False
    with suppress(OSError):
        _restrict(folder, status.st_mode)
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            with suppress(OSError):
                mode = path.lstat().st_mode
                if not stat.S_ISLNK(mode):
                    _restrict(path, mode)
    return not folder.stat().st_mode & OWNER_ONLY


def _restrict(path: Path, mode: int) -> None:
    if mode & OWNER_ONLY:
        path.chmod(stat.S_IMODE(mode) & ~OWNER_ONLY)
