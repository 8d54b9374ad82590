"""Events that are sent as they are stored have the content that they were written with."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from workflows.actions.packs import create_from_sample
from workflows.core.engine.json_values import finite
from workflows.live.stored_events import events_after
from workflows.models import Run, RunEvent

FIELDS: list[dict[str, Any]] = [
    {},
    {"text": 'a "quoted" \\ line\n', "state": "é – 日本", "deep": {"list": [1, 2.5, None, True]}},
    {"text": "half \ud83d of a pair, and NUL \x00"},
    {"cost": float("inf"), "loss": [float("-inf"), float("nan")]},
    {"text": "Infinity and NaN are words", "number": 10**400},
    {"type": "of a tool", "n": "of a list"},
]


@pytest.fixture
def run(ada: User) -> Run:
    pack = create_from_sample("promptpack/code-review", owner=ada)
    run = Run.objects.create(
        pack=pack, revision=1, profile=pack.profile, driver="rehearsal", owner=ada, last=len(FIELDS)
    )
    RunEvent.objects.bulk_create(
        RunEvent(run=run, n=n, at=1e9 + n / 7, type="model.replied", fields=fields)
        for n, fields in enumerate(FIELDS, start=1)
    )
    return run


def expected() -> list[dict[str, Any]]:
    return [
        {"n": n, "at": 1e9 + n / 7, "type": "model.replied", **finite(fields)}
        for n, fields in enumerate(FIELDS, start=1)
    ]


def test_the_page_of_events_is_strict_json_with_every_field(site: Client, run: Run) -> None:
    answer = site.get(f"/api/v1/runs/{run.pk}/events/")
    assert answer["Content-Type"] == "application/json"
    assert read_strictly(answer.content.decode()) == {
        "events": expected(),
        "last": len(FIELDS),
        "status": "new",
    }


def test_a_socket_gets_the_same_events(run: Run) -> None:
    batch = events_after(run.pk, 1)
    assert batch is not None
    assert (batch.first, batch.last, batch.short) == (2, len(FIELDS), True)
    assert read_strictly(batch.frame) == {"type": "events", "events": expected()[1:]}


def read_strictly(text: str) -> Any:
    """Parse as a browser does: names of infinite numbers are refused."""

    def refused(name: str) -> Any:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refused)
