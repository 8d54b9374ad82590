"""Days in query parameters."""

from __future__ import annotations

from datetime import date

from django.utils.dateparse import parse_date

from workflows.errors import BadRequest


def day_in(text: str, name: str) -> date:
    """The day in a query parameter, `YYYY-MM-DD`. Raises BadRequest."""
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise BadRequest(f"`{name}` is a day, such as 2026-11-23.", where=name)
    return day
