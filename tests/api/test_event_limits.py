"""One request reads no more events than the server's limit, for any `limit` of the client."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from workflows.actions.packs import create_from_sample
from workflows.api import runs as api
from workflows.models import Run, RunEvent

LOG, MOST = 6, 3


@pytest.fixture
def address(ada: User, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(api, "MOST_EVENTS", MOST)
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    run = Run.objects.create(pack=pack, revision=1, profile=pack.profile, driver="manual", last=LOG)
    RunEvent.objects.bulk_create(
        RunEvent(run=run, n=n, at=float(n), type="tiny.note", fields={"state": "draft"})
        for n in range(1, LOG + 1)
    )
    return f"/api/v1/runs/{run.pk}/events/"


@pytest.mark.parametrize("limit", [{}, {"limit": 0}, {"limit": LOG}, {"limit": 10**9}])
@pytest.mark.parametrize("search", [{}, {"type": "tiny.note"}, {"search": "note"}])
def test_a_request_reads_no_more_than_the_limit(
    site: Client, address: str, limit: dict[str, Any], search: dict[str, Any]
) -> None:
    body = site.get(address, {**limit, **search}).json()
    assert [event["n"] for event in body["events"]] == [1, 2, 3]
    assert body["last"] == LOG, "the client can see that there are more"
    rest = site.get(address, {**limit, **search, "after": MOST}).json()
    assert [event["n"] for event in rest["events"]] == [4, 5, 6]


def test_a_client_can_ask_for_fewer_events(site: Client, address: str) -> None:
    body = site.get(address, {"limit": 2}).json()
    assert [event["n"] for event in body["events"]] == [1, 2]
