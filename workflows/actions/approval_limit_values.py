"""Time limits of approvals as they are stored."""

from __future__ import annotations

from typing import Any

from workflows.errors import BadRequest

OUTCOMES = ("deny", "approve", "end")
MOST_HOURS = 366 * 24


def checked_limit(hours: float | None, outcome: str) -> dict[str, Any] | None:
    """A limit as it is stored; None without hours. Raises BadRequest."""
    if hours is None:
        return None
    if not 0 <= hours <= MOST_HOURS:
        raise BadRequest(f"A time limit has 0 to {MOST_HOURS:,} hours.", where="hours")
    if outcome not in OUTCOMES:
        raise BadRequest(f"The outcome is one of {', '.join(OUTCOMES)}.", where="outcome")
    return {"hours": hours, "outcome": outcome}
