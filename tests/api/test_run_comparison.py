"""Comparison of two runs, and event search, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.checks import failure_note
from workflows.actions.packs import create_from_sample
from workflows.models import Pack, Run, RunEvent


def begun(post: Any, site: Client, pack: Pack, choice: int = 0) -> str:
    """A run with one model answer given by a person, with this choice."""
    id: str = post("runs/", {"pack": pack.pk, "driver": "manual"}).json()["id"]
    (asked,) = site.get(f"/api/v1/runs/{id}/pending/").json()
    signal = {"type": "Reply", "key": asked["key"], **asked["choices"][choice]["reply"]}
    assert post(f"runs/{id}/signals/", signal).status_code == 200
    return id


def test_two_runs_part_where_the_model_chose_otherwise(
    site: Client, post: Any, support: Pack
) -> None:
    left, right = begun(post, site, support), begun(post, site, support, 1)
    body = site.get(f"/api/v1/runs/{left}/compare/{right}/").json()
    assert (body["left"]["run"]["id"], body["right"]["run"]["id"]) == (left, right)
    assert (body["same"], body["agree"], body["shared"]) == (False, 0, 0)
    events = site.get(f"/api/v1/runs/{left}/events/").json()["events"]
    parted = events[body["departure"]["left"] - 1]
    assert parted["type"] == "transition.taken"
    assert body["departure"]["state"] == "intake"
    first = body["rows"][0]
    assert (first["state"], first["how"], first["departs"]) == ("intake", "arrow", True)
    assert first["left"]["arrow"]["transition"] == parted["transition"]
    assert parted["label"] in first["answers"][0]["left"]["text"]
    assert {one["id"] for one in body["transitions"]} >= {parted["transition"]}
    assert body["left"]["model_calls"] == body["right"]["model_calls"] == 2


def test_a_run_goes_the_same_way_as_itself(site: Client, post: Any, support: Pack) -> None:
    run = begun(post, site, support)
    body = site.get(f"/api/v1/runs/{run}/compare/{run}/").json()
    assert (body["same"], body["departure"]) == (True, None)
    assert [row["how"] for row in body["rows"]] == ["same"] * body["agree"]


def test_a_fork_reports_the_number_of_shared_events(site: Client, post: Any, support: Pack) -> None:
    run = begun(post, site, support)
    forked = post(f"runs/{run}/fork/", {"at": 4}).json()
    for pair in (run, forked["run"]["id"]), (forked["run"]["id"], run):
        body = site.get("/api/v1/runs/{}/compare/{}/".format(*pair)).json()
        assert body["shared"] == forked["at"]


def test_runs_of_two_packs_are_not_compared(
    site: Client, post: Any, support: Pack, ada: User
) -> None:
    other = create_from_sample("promptpack/code-review", owner=ada)
    pair = begun(post, site, support), begun(post, site, other)
    answer = site.get("/api/v1/runs/{}/compare/{}/".format(*pair))
    assert (answer.status_code, answer.json()["where"]) == (400, "other")
    assert "runs belong to two packs" in answer.json()["message"]


def test_a_run_that_is_not_there_is_not_compared(site: Client, post: Any, support: Pack) -> None:
    run = begun(post, site, support)
    nobody = "00000000-0000-0000-0000-000000000000"
    assert site.get(f"/api/v1/runs/{run}/compare/{nobody}/").status_code == 404
    assert site.get(f"/api/v1/runs/{run}/compare/nobody/").status_code == 404


@pytest.fixture
def logged(pack: Pack) -> Run:
    """A run with a log of many kinds of text."""
    run = Run.objects.create(pack=pack, revision=1, profile="plain", driver="manual", last=6)
    rows: list[tuple[str, dict[str, Any]]] = [
        ("run.started", {"inputs": {"who": "Äpfel & Birnen"}}),
        ("state.entered", {"state": "review", "position": "0"}),
        ("model.replied", {"state": "review", "structured": {"deep": ["Needle in here"]}}),
        ("transition.taken", {"source": "review", "target": "done", "label": "Approved"}),
        ("state.entered", {"state": "done", "position": "0"}),
        ("check.failed", {"state": "done", "message": 'Say "no" to review\n100%_'}),
    ]
    RunEvent.objects.bulk_create(
        RunEvent(run=run, n=n, at=42.0, type=type, fields=fields)
        for n, (type, fields) in enumerate(rows, start=1)
    )
    return run


SEARCHES: list[tuple[dict[str, Any], list[int]]] = [
    ({"search": "needle IN"}, [3]),
    ({"search": "äpfel"}, [1]),
    ({"search": "Birnen"}, [1]),
    ({"search": "model.rep"}, [3]),
    ({"search": "approved"}, [4]),
    ({"search": 'say "no"'}, [6]),
    ({"search": "review\n100%"}, [6]),
    ({"search": "%"}, [6]),
    ({"search": "_"}, [6]),
    ({"search": "42"}, []),
    ({"search": "nowhere"}, []),
    ({"type": "state.entered"}, [2, 5]),
    ({"type": "state"}, []),
    ({"state": "review"}, [2, 3, 4]),
    ({"state": "done"}, [4, 5, 6]),
    ({"state": "done", "search": "review"}, [4, 6]),
    ({"state": "done", "type": "state.entered"}, [5]),
    ({"type": "state.entered", "after": 2}, [5]),
    ({"type": "state.entered", "limit": 1}, [2]),
    ({"search": ""}, [1, 2, 3, 4, 5, 6]),
]


def test_events_are_found_by_text_type_and_state(site: Client, logged: Run) -> None:
    for query, found in SEARCHES:
        with failure_note(repr(query)[:200]):
            answer = site.get(f"/api/v1/runs/{logged.pk}/events/", query)
            assert [event["n"] for event in answer.json()["events"]] == found
            assert answer.json()["last"] == 6
