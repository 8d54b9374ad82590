"""Work on packs in the page's own worker, which the page ends when it takes too long."""

from __future__ import annotations

from typing import Any

from workflows.core.pack.files import Files
from workflows.isolation.jobs import JOBS, Made, WarmPack
from workflows.isolation.limits import Limits


def run_apart(
    name: str, dialect: str, files: Files, *arguments: Any, limits: Limits, **named: Any
) -> Any:
    """Do a job of `isolation.jobs` on a pack."""
    named.pop("waiting", None)
    result = JOBS[name](WarmPack.read(dialect, files), *arguments, **named)
    return result.result if isinstance(result, Made) else result


def is_shipped(dialect: str) -> bool:
    """Nothing is tried in another process first."""
    return False
