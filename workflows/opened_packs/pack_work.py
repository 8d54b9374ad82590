"""Work on packs that a request waits for."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.base import Dialect
from workflows.core.pack.files import Files
from workflows.errors import TookTooLong
from workflows.isolation import Limits, Stopped, run_apart

LIMITS = Limits(seconds=10)


def on_pack(
    what: str,
    name: str,
    dialect: Dialect,
    files: Files,
    *arguments: Any,
    limits: Limits | None = None,
    hint: str = "Split the pack, or remove what it does not need.",
    **named: Any,
) -> Any:
    """The result of a job of `isolation.jobs`. `what`: the work, as the subject of a sentence.
    Raises TookTooLong, and the exceptions of the job."""
    try:
        return run_apart(name, dialect.name, files, *arguments, limits=limits or LIMITS, **named)
    except Stopped as stopped:
        raise TookTooLong(stopped.sentence(what), hint=hint) from None
