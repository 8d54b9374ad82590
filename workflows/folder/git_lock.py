"""The lock that git holds while it writes a work tree, as in a checkout."""

from __future__ import annotations

import time
from pathlib import Path

STALE = 30.0
"""Seconds after which a lock counts as left behind by a git that was killed."""


def is_locked(folder: Path) -> bool:
    """True while git changes the work tree around a folder, so that its files are incomplete."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return _is_fresh(git / "index.lock")
        if git.is_file():  # a linked work tree
            return _is_fresh(_named_in(git) / "index.lock")
    return False


def _named_in(file: Path) -> Path:
    try:
        text = file.read_text()
    except (OSError, ValueError):
        return file.parent
    return file.parent / text.removeprefix("gitdir:").strip()


def _is_fresh(lock: Path) -> bool:
    try:
        return time.time() - lock.stat().st_mtime < STALE
    except OSError:
        return False
