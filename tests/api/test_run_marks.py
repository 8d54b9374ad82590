"""Tags, notes, scores and bulk actions of runs over HTTP."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.engine.test_people import ROWS
from tests.support.checks import failure_note
from tests.support.server_fixtures import signed_in
from workflows.models import Pack, Run, RunEvent, RunFilter


@pytest.fixture
def run(support: Pack, post: Any) -> str:
    """A run that waits for a person."""
    return post("runs/", {"pack": support.pk, "driver": "manual"}).json()["id"]


def change(site: Client, run: str, body: Any) -> Any:
    return site.patch(f"/api/v1/runs/{run}/", body, content_type="application/json")


def listed(site: Client, query: str) -> list[str]:
    return [row["id"] for row in site.get(f"/api/v1/runs/?{query}").json()["results"]]


def test_marks_are_set_shown_and_filtered(site: Client, run: str, bob: User) -> None:
    marks = {
        "tags": ["nightly", " release  1.2 ", "nightly"],
        "note": "Asked twice.",
        "score": {"value": 1, "comment": "Right."},
    }
    changed = change(site, run, marks)
    assert changed.status_code == 200, changed.content
    body = changed.json()
    assert body["tags"] == ["nightly", "release 1.2"]
    assert body["note"] == "Asked twice."
    assert body["scores"] == [{"person": "ada", "value": 1.0, "comment": "Right."}]
    other = signed_in(bob)
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    assert change(other, run, {"score": {"value": 0}}).json()["score"] == 0.5
    assert listed(site, "tag=nightly") == [run]
    assert listed(site, "tag=night") == []
    assert listed(site, "score_from=0.5") == [run]
    assert listed(site, "score_from=0.6") == []
    assert listed(site, "q=twice") == [run]

    changed = change(site, run, {"tags": ["release 1.2"], "score": None}).json()
    assert (changed["tags"], changed["score"]) == (["release 1.2"], 0.0)
    assert (changed["note"], changed["kept"]) == ("Asked twice.", "")


def test_tags_are_set_at_the_start(site: Client, support: Pack, post: Any) -> None:
    body = {"pack": support.pk, "driver": "manual", "tags": ["ci"]}
    started = post("runs/", body).json()
    assert site.get(f"/api/v1/runs/{started['id']}/").json()["tags"] == ["ci"]
    assert change(site, started["id"], {}).status_code == 400
    refused = post("runs/", {**body, "tags": ["<b>"]})
    assert (refused.status_code, refused.json()["where"]) == (400, "tags")
    assert Run.objects.count() == 1


INVALID: list[tuple[dict[str, Any], str]] = [
    ({"tags": [""]}, "may not be blank"),
    ({"tags": ["x" * 41]}, "cannot be a tag"),
    ({"tags": [f"t{n}" for n in range(21)]}, "up to 20 tags, not 21"),
    ({"tags": "x"}, "list"),
    ({"note": "x" * 4_001}, "4000"),
    ({"score": {"value": 2}}, "from -1 to 1"),
    ({"score": {"value": "NaN"}}, "valid number"),
    ({"score": 3}, "dictionary"),
]


def test_invalid_marks_are_refused_and_change_nothing(site: Client, run: str) -> None:
    before = change(site, run, {"tags": ["kept"], "note": "kept"}).json()
    for marks, says in INVALID:
        with failure_note(repr(marks)[:200]):
            refused = change(site, run, marks)
            assert refused.status_code == 400
            assert says in refused.content.decode()
            now = site.get(f"/api/v1/runs/{run}/").json()
            assert {name: now[name] for name in ("tags", "note", "score")} == {
                name: before[name] for name in ("tags", "note", "score")
            }


def test_runs_are_cancelled_and_retried_together(
    site: Client, support: Pack, post: Any, run: str
) -> None:
    inputs = {"customer": "Ducks"}
    other = post("runs/", {"pack": support.pk, "driver": "manual", "inputs": inputs}).json()["id"]
    missing = str(uuid4())
    done = post("runs/bulk/", {"action": "cancel", "runs": [run, other, missing, run]}).json()
    assert [(one["id"], bool(one["message"])) for one in done] == [
        (run, False),
        (other, False),
        (missing, True),
    ]
    assert set(Run.objects.values_list("status", flat=True)) == {"cancelled"}
    again = post("runs/bulk/", {"action": "cancel", "runs": [run]}).json()
    assert again[0]["message"] != ""

    (retried,) = post("runs/bulk/", {"action": "retry", "runs": [other]}).json()
    row = Run.objects.get(pk=retried["run"])
    assert (row.pack_id, row.driver, row.options["inputs"]) == (support.pk, "manual", inputs)
    assert post("runs/bulk/", {"action": "retry", "runs": []}).status_code == 400
    assert post("runs/bulk/", {"action": "burn", "runs": [run]}).status_code == 400


def test_a_reader_of_a_run_does_not_cancel_it(run: str, bob: User) -> None:
    client = signed_in(bob)
    body = {"action": "cancel", "runs": [run]}
    answer = client.post("/api/v1/runs/bulk/", body, content_type="application/json")
    assert answer.json()[0]["message"] == "There is no run with this id."
    assert Run.objects.get(pk=run).status != "cancelled"


def test_runs_are_exported_chosen_or_filtered(
    site: Client, support: Pack, post: Any, run: str
) -> None:
    change(site, run, {"tags": ["a", "b"], "note": "=1+1"})
    post("runs/", {"pack": support.pk, "driver": "manual"})
    acts = [dict(one["event"]) for one in ROWS]
    RunEvent.objects.bulk_create(
        RunEvent(run_id=run, n=100 + n, at=2e9, type=act.pop("type"), fields=act)
        for n, act in enumerate(acts)
    )
    answer = site.post("/runs/actions/", {"action": "csv", "query": "tag=a"})
    assert 'filename="runs.csv"' in answer["Content-Disposition"]
    text = b"".join(answer.streaming_content).decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["id"], row["tags"], row["note"]) == (run, "a, b", "'=1+1")
    words = [": ".join(filter(None, (one["words"], one["detail"]))) for one in ROWS]
    assert row["people"] == "; ".join(words)
    answer = site.post("/runs/actions/", {"action": "jsonl"})
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert len([json.loads(line) for line in lines]) == 2
    answer = site.post("/runs/actions/", {"action": "jsonl", "run": [run]})
    assert len(b"".join(answer.streaming_content).splitlines()) == 1


def test_filters_are_saved_shown_and_deleted(site: Client, run: str, bob: User) -> None:
    saved = {"name": " Failed  runs ", "query": "status=failed&csrf=x&q="}
    page = site.post("/runs/filters/", saved, follow=True).content.decode()
    assert "Saved the filter “Failed runs”." in page
    (row,) = RunFilter.objects.all()
    assert (row.name, row.query) == ("Failed runs", "status=failed")
    assert 'data-filter="Failed runs"' in page
    other = signed_in(bob)
    assert "Failed runs" not in other.get("/runs/").content.decode()
    other.post("/runs/filters/", {"delete": row.pk})
    assert RunFilter.objects.count() == 1
    empty = site.post("/runs/filters/", {"name": "All", "query": ""}, follow=True)
    assert "Filter the list first" in empty.content.decode()
    site.post("/runs/filters/", {"delete": row.pk})
    assert RunFilter.objects.count() == 0
