"""The processes that work on packs. A pack goes to the same one while that keeps it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from roles.processes.pool import Ended, Pool
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files
from workflows.isolation.jobs import JOBS, LONG, Made, WarmPack
from workflows.isolation.limits import Limits, Stopped

CHILD = "workflows.isolation.child"
SHORT_WORK = Pool(CHILD, size=3, patience=30.0)
LONG_WORK = Pool(CHILD, size=2, patience=30.0)
"""Rehearsals and conversions take seconds, for which no edit should wait."""


def run_apart(
    name: str,
    dialect: str,
    files: Files,
    *arguments: Any,
    limits: Limits,
    waiting: Callable[[], None] = lambda: None,
    **named: Any,
) -> Any:
    """Do a job of `isolation.jobs` on a pack in a process of its own, and return its result.
    `waiting` is called each second meanwhile, and may raise to end the job.

    A dialect that was registered at run time is unknown to other processes, so the job runs here.
    Blocks. Raises Stopped at a limit, and the exceptions of the job.
    """
    if not is_shipped(dialect):
        result = JOBS[name](WarmPack.read(dialect, files), *arguments, **named)
        return result.result if isinstance(result, Made) else result
    key = files.digest(dialect)

    def request(is_known: bool) -> bytes:
        return pickle.dumps((name, key, dialect, None if is_known else files, arguments, named))

    pool = LONG_WORK if name in LONG else SHORT_WORK
    try:
        result, made, error = pickle.loads(pool.ask(request, limits.seconds, key, waiting))
    except Ended as ended:
        raise Stopped(ended.why, limits) from None
    if error is not None:
        raise error
    if made:
        pool.follow(key, made)
    return result


def is_shipped(dialect: str) -> bool:
    """Return True for a dialect that every process finds in the core."""
    return type(dialects()[dialect]).__module__.startswith("workflows.core.dialects.")
