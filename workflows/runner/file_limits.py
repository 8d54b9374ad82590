"""How many files and connections this process may have open."""

from __future__ import annotations

MAX_OPEN_FILES = 65_536
"""Each run that waits for a model holds a connection. More than this no process needs."""


def raise_limit() -> None:
    """As many as the system lets a process have. Where it does not say, all stays as it is."""
    try:
        import resource
    except ImportError:  # no Unix
        return
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if most == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
