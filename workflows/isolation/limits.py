"""Limits of work in a process of its own, and the error for work that exceeds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roles.processes.pool import Why

MEGABYTE = 1024 * 1024
MEMORY = 768 * MEGABYTE
"""Address space of a process, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`seconds`: processor time, and a little more on the clock."""

    seconds: float = 20


class Stopped(Exception):
    """Work that was stopped, or could not begin."""

    def __init__(self, why: Why, limits: Limits) -> None:
        super().__init__(why)
        self.why = why
        self.limits = limits

    def sentence(self, what: str) -> str:
        """One sentence for the author: `what` is the work, as the subject of the sentence."""
        match self.why:
            case "time":
                return f"{what} took longer than {self.limits.seconds:g} seconds and was stopped."
            case "memory":
                return f"{what} needed more than {MEMORY // MEGABYTE} MB of memory and was stopped."
            case "size":
                return f"{what} has a result too large to be returned."
            case "lost":
                return f"{what} was stopped, because its process ended."
            case "busy":
                return f"{what} could not begin, because other work of this kind is running."
