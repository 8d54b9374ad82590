"""Cron schedules of five fields: due times in a time zone.

A schedule with named hours is due once per named hour and day, also when the clocks change: a due
time that the change skips is due right after it, and one that it repeats is due once. Schedules for
every hour (`*`) use elapsed time instead, as in Vixie's cron(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from croniter import croniter

MAX_LENGTH = 120
_FIELD = re.compile(r"[0-9A-Za-z*,/-]+\Z")
_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_HASHED = re.compile(r"(?i)(?<![a-z])[hr](?![a-z])")


class BadSchedule(ValueError):
    """The text is not a schedule. The message gives the reason."""


def checked(cron: str, timezone: str) -> str:
    """The expression as it is stored: five fields with one space between. Raises BadSchedule."""
    expression = " ".join(cron.split())
    expression = _NICKNAMES.get(expression.lower(), expression)
    zone(timezone)
    if not expression or len(expression) > MAX_LENGTH:
        raise BadSchedule("A schedule has five fields, such as `0 7 * * 1-5`.")
    fields = expression.split(" ")
    if len(fields) != 5:
        raise BadSchedule(
            f"A schedule has five fields (minute, hour, day, month, weekday); this has "
            f"{len(fields)}."
        )
    for field in fields:
        if not _FIELD.match(field) or _HASHED.search(field):
            raise BadSchedule(f"{field!r} is not a field of a schedule.")
    try:
        _next(croniter(expression, datetime(2000, 1, 1)))
    except (ValueError, KeyError, OverflowError) as error:
        if "failed to find next date" in str(error):
            raise BadSchedule(f"{expression!r} never comes: there is no such day.") from None
        raise BadSchedule(f"{expression!r} is not a schedule: {error}.") from None
    return expression


def zone(timezone: str) -> ZoneInfo:
    """The time zone of this name; "" is UTC. Raises BadSchedule."""
    try:
        return ZoneInfo(timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadSchedule(
            f"There is no time zone {timezone!r}; they are named like Europe/Berlin."
        ) from None


def due_after(cron: str, timezone: str, after: datetime) -> Iterator[datetime]:
    """Due times later than `after` (with a zone), in order, in UTC. `cron` was checked."""
    place = zone(timezone)
    last = after.astimezone(UTC)
    every_hour = cron.split(" ")[1].startswith("*")
    start = after.astimezone(place)
    times = croniter(cron, start if every_hour else start.replace(tzinfo=None))
    while True:
        moment = _next(times)
        local = moment if every_hour else moment.replace(tzinfo=place)
        due = local.astimezone(UTC)
        if due > last:
            last = due
            yield due


def _next(times: Any) -> datetime:
    moment: datetime = times.get_next(datetime)
    return moment
