"""When schedules are due: in the time of a place, through changes of clocks."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from tests.support.checks import each_row
from workflows.core.triggers.schedule import BadSchedule, checked, due_after

BERLIN = "Europe/Berlin"


def times(cron: str, after: str, count: int = 3, place: str = BERLIN) -> list[str]:
    zone = ZoneInfo(place)
    begin = datetime.fromisoformat(after).replace(tzinfo=zone)
    found = islice(due_after(cron, place, begin), count)
    return [one.astimezone(zone).isoformat(timespec="minutes") for one in found]


@each_row(
    [
        (
            "0 7 * * 1-5",
            "2026-11-20T08:00",
            ["2026-11-23T07:00+01:00", "2026-11-24T07:00+01:00", "2026-11-25T07:00+01:00"],
        ),
        (  # the clocks jump from 2 to 3: it comes after the jump, once
            "30 2 * * *",
            "2026-03-28T12:00",
            ["2026-03-29T03:30+02:00", "2026-03-30T02:30+02:00", "2026-03-31T02:30+02:00"],
        ),
        (  # 2:30 comes twice: it is due the first time only
            "30 2 * * *",
            "2026-10-24T12:00",
            ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00", "2026-10-27T02:30+01:00"],
        ),
        (  # every half hour goes on through the repeated hour
            "*/30 * * * *",
            "2026-10-25T02:10",
            ["2026-10-25T02:30+02:00", "2026-10-25T02:00+01:00", "2026-10-25T02:30+01:00"],
        ),
        (
            "0 0 29 2 *",
            "2026-01-01T00:00",
            ["2028-02-29T00:00+01:00", "2032-02-29T00:00+01:00", "2036-02-29T00:00+01:00"],
        ),
    ]
)
def test_due_times(cron: str, after: str, due: list[str]) -> None:
    assert times(checked(cron, BERLIN), after) == due


@each_row(
    [
        ("@daily", "0 0 * * *"),
        ("  0   7 * * mon-fri ", "0 7 * * mon-fri"),
        ("@Hourly", "0 * * * *"),
    ]
)
def test_a_schedule_is_normalised(given: str, kept: str) -> None:
    assert checked(given, "") == kept


@each_row(
    [
        ("", "", "five fields"),
        ("* * * * * *", "", "this has 6"),
        ("61 * * * *", "", "out of range"),
        ("H * * * *", "", "not a field"),
        ("R * * * *", "", "not a field"),
        ("*/0 * * * *", "", "not acceptable"),
        ("0 0 30 2 *", "", "never comes"),
        ("x y z a b", "", "not a schedule"),
        ("0 0 * * *", "Mars/Olympus", "no time zone"),
        ("0 0 * * *", "../etc/passwd", "no time zone"),
    ]
)
def test_an_invalid_schedule_is_refused(cron: str, zone: str, sentence: str) -> None:
    with pytest.raises(BadSchedule, match=sentence):
        checked(cron, zone)
