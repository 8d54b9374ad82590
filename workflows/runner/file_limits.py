"""Limit of open files and connections of this process."""

from __future__ import annotations

MAX_OPEN_FILES = 65_536
"""Each run that waits for a model holds a connection. No process needs more than this."""


def raise_limit() -> None:
    """Raise the limit as far as the system allows, on systems that have one."""
    try:
        import resource
    except ImportError:  # Not a Unix system.
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def open_files() -> int:
    """The files that this process may open now."""
    try:
        import resource
    except ImportError:  # Not a Unix system.
        return MAX_OPEN_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_OPEN_FILES if soft == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, soft)
