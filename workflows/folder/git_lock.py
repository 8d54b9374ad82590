"""The lock that git holds while it writes a work tree, as in a checkout."""

from __future__ import annotations

import time
from pathlib import Path

from workflows.selectors.opened_folder import git_directory

STALE = 30.0
"""Seconds after which a lock counts as left behind by a git that was killed."""


def is_locked(folder: Path) -> bool:
    """True while git changes the work tree around a folder, so that its files are incomplete."""
    git = git_directory(folder)
    try:
        return git is not None and time.time() - (git / "index.lock").stat().st_mtime < STALE
    except OSError:
        return False
