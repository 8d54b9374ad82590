"""Schedules in the nights in which the clocks change."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from workflows.core.triggers.schedule import due_after

BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("cron", "after", "due"),
    [
        (  # 2:30 was due in the first of the two hours
            "30 2 * * *",
            "2026-10-25T01:10+00:00",
            ["2026-10-26T02:30+01:00", "2026-10-27T02:30+01:00"],
        ),
        (  # the skipped times are due in the next hour, together with those of that hour
            "*/20 2,3 * * *",
            "2026-03-29T00:50+00:00",
            [
                "2026-03-29T03:00+02:00",
                "2026-03-29T03:20+02:00",
                "2026-03-29T03:40+02:00",
                "2026-03-30T02:00+02:00",
            ],
        ),
    ],
    ids=["within the repeated hour", "into the hour after the skipped one"],
)
def test_no_time_is_due_twice_when_the_clocks_change(cron: str, after: str, due: list[str]) -> None:
    zone, begin = ZoneInfo(BERLIN), datetime.fromisoformat(after)
    found = list(islice(due_after(cron, BERLIN, begin), len(due)))
    assert [one.astimezone(zone).isoformat(timespec="minutes") for one in found] == due
    assert sorted(set(found)) == found
