"""Columns of a row as values of JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Any


def columns(row: object, *names: str) -> dict[str, Any]:
    """These columns of a row by name. Times are texts in ISO 8601."""
    values = {name: getattr(row, name) for name in names}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in values.items()
    }
