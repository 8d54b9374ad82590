"""Runs over HTTP: start, read, answer, and refusals with a message."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.checks import failure_note
from workflows.actions.packs import create_from_sample
from workflows.models import Pack, Run


@pytest.fixture
def run(support: Pack, post: Any) -> dict[str, Any]:
    """A run that waits for a person to answer for the model."""
    answer = post("runs/", {"pack": support.pk, "driver": "manual"})
    assert answer.status_code == 201
    return answer.json()


def test_the_answer_to_a_start_reads_no_path_and_writes_its_job_once(
    support: Pack, post: Any
) -> None:
    with CaptureQueriesContext(connection) as queries:
        answer = post("runs/", {"pack": support.pk, "driver": "manual"})
    assert (answer.status_code, answer.json()["path"]) == (201, ["intake"])
    statements = [query["sql"] for query in queries]
    assert len([sql for sql in statements if '"workflows_job"' in sql]) == 1
    reads = [sql for sql in statements if sql.startswith("SELECT")]
    assert not [sql for sql in reads if "'state.entered'" in sql]


def test_a_run_is_started_and_listed(site: Client, support: Pack, run: dict[str, Any]) -> None:
    assert (run["pack"], run["revision"], run["driver"]) == (support.pk, 1, "manual")
    assert (run["owner"], run["status"], run["path"]) == ("ada", "running", ["intake"])
    events = run.pop("events")
    assert site.get(f"/api/v1/runs/{run['id']}/").json() == run
    assert site.get(f"/api/v1/runs/{run['id']}/events/").json()["events"] == events
    for query, count in (
        ({}, 1),
        ({"pack": support.pk}, 1),
        ({"pack": 999}, 0),
        ({"pack": "x"}, 0),
        ({"status": "completed"}, 0),
        ({"driver": "manual", "q": "SUPPORT"}, 1),
    ):
        assert site.get("/api/v1/runs/", query).json()["count"] == count


def test_the_log_is_read_from_any_number(site: Client, run: dict[str, Any]) -> None:
    address = f"/api/v1/runs/{run['id']}/events/"
    whole = site.get(address).json()
    assert [event["n"] for event in whole["events"]] == list(range(1, whole["last"] + 1))
    assert whole["events"][0]["type"] == "run.started"
    rest = site.get(address, {"after": 2, "limit": 1}).json()
    assert [event["n"] for event in rest["events"]] == [3]
    assert site.get(address, {"after": "x"}).status_code == 400


def test_prompts_and_their_blocks_are_artifacts(site: Client, ada: User, post: Any) -> None:
    team = create_from_sample("agent_graph/feature-team", owner=ada)
    run = post("runs/", {"pack": team.pk, "driver": "manual"}).json()
    address = f"/api/v1/runs/{run['id']}/artifacts/"
    events = site.get(f"/api/v1/runs/{run['id']}/events/").json()["events"]
    (sent,) = (event for event in events if event["type"] == "prompt.logged")
    (prompt,) = site.get(address, {"type": "prompt"}).json()
    assert (prompt["value"], prompt["hash"]) == (sent["text"], sent["hash"])
    assert (prompt["name"], prompt["n"]) == (f"prompt/lead/{sent['n']}", sent["n"])
    blocks = {
        one["name"].rpartition("/")[2]: one for one in site.get(address, {"type": "block"}).json()
    }
    assert {name: one["value"] for name, one in blocks.items()} == {
        name: text for name, text in sent["blocks"].items() if text
    }
    for name, one in blocks.items():
        assert one["hash"] == sent["block_hashes"][name]
    assert site.get(address, {"type": "prompt", "after": sent["n"]}).json() == []
    assert site.get(address, {"type": "diff"}).json() == []
    refused = site.get(address, {"type": "smoke"})
    assert (refused.status_code, refused.json()["where"]) == (400, "type")


def test_a_run_shows_the_graph_it_runs(
    site: Client, support: Pack, run: dict[str, Any], post: Any
) -> None:
    edits = [{"type": "remove_state", "id": "goodbye"}]
    post(f"packs/{support.pk}/edits/", {"base": 1, "edits": edits})
    graph = site.get(f"/api/v1/runs/{run['id']}/graph/").json()
    assert "goodbye" in {state["id"] for state in graph["states"]}
    assert graph["revision"] == 1


def test_a_person_answers_for_the_model(site: Client, run: dict[str, Any], post: Any) -> None:
    pending = site.get(f"/api/v1/runs/{run['id']}/pending/").json()
    assert [effect["effect"] for effect in pending] == ["AskModel"]
    signal = {"type": "Reply", "key": pending[0]["key"], **pending[0]["choices"][0]["reply"]}
    answer = post(f"runs/{run['id']}/signals/", signal)
    assert answer.status_code == 200
    assert answer.json()["events"][0]["type"] == "model.replied"
    again = post(f"runs/{run['id']}/signals/", signal)
    assert (again.status_code, again.json()["code"]) == (409, "signal_refused")


def test_a_run_is_paused_and_cancelled(site: Client, run: dict[str, Any], post: Any) -> None:
    def told(what: str) -> Any:
        return post(f"runs/{run['id']}/signals/", {"type": what})

    assert told("pause").json()["status"] == "paused"
    assert told("resume").status_code == 200
    assert told("cancel").json()["status"] == "cancelled"
    assert told("cancel").status_code == 409
    assert site.get(f"/api/v1/runs/{run['id']}/").json()["finished_at"]


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"driver": "none"}, "driver"),
    ({"driver": "rehearsal", "profile": "none"}, "profile"),
    ({"driver": "rehearsal", "revision": 99}, ""),
    ({"driver": "rehearsal", "revision": 0}, "revision"),
    ({"driver": "rehearsal", "pack": 10**30}, "pack"),
    ({"driver": "rehearsal", "pack": 12345}, ""),
    ({"driver": "rehearsal", "inputs": []}, "inputs"),
    ({"driver": "rehearsal", "budget": {"none": 1}}, ""),
    ({"driver": "rehearsal", "budget": {"tokens": "many"}}, "budget.tokens"),
    ({"driver": "rehearsal", "delay_ms": -1}, "delay_ms"),
    ({"driver": "script"}, "bad_script"),
    ({"driver": "script", "script": {"replies": 7}}, "bad_script"),
    ({}, "driver"),
]


def test_an_impossible_start_is_refused_with_the_reason(support: Pack, post: Any) -> None:
    for body, where in IMPOSSIBLE:
        with failure_note(repr(body)[:200]):
            answer = post("runs/", {"pack": support.pk, **body})
            assert answer.status_code in (400, 404, 422)
            assert answer.json()["message"]
            assert answer.json()["where"] == where
            assert not Run.objects.exists()


INVALID_SIGNALS: list[tuple[dict[str, Any], str]] = [
    ({}, "type"),
    ({"type": "explode"}, "type"),
    ({"type": "Reply"}, "key"),
    ({"type": "Fire"}, "event"),
    ({"type": "Tell"}, "text"),
    ({"type": "Tell", "state": "lead", "text": " "}, "text"),
    ({"type": "Tell", "state": "lead", "text": "x", "interrupt": "now"}, "interrupt"),
    ({"type": "Reply", "key": "0:1", "tool_calls": [{"name": 7}]}, "tool_calls"),
    ({"type": "Reply", "key": "0:1", "tool_calls": ["x"]}, "tool_calls/0"),
    ({"type": "Approve", "approve": "maybe"}, "approve"),
]


def test_an_invalid_signal_is_refused_with_its_place(run: dict[str, Any], post: Any) -> None:
    for body, where in INVALID_SIGNALS:
        with failure_note(repr(body)[:200]):
            answer = post(f"runs/{run['id']}/signals/", body)
            assert (answer.status_code, answer.json()["where"]) == (400, where)


def test_a_rehearsal_stores_nothing(support: Pack, post: Any) -> None:
    body = post(f"packs/{support.pk}/rehearse/", {"runs": 20, "seed": 3}).json()
    assert body["runs"] == 20
    assert 0 < body["coverage"] <= 1
    assert sum(body["outcomes"].values()) == 20
    assert body == post(f"packs/{support.pk}/rehearse/", {"runs": 20, "seed": 3}).json()
    assert not Run.objects.exists()
    assert post(f"packs/{support.pk}/rehearse/", {"runs": 10**9}).status_code == 400


def test_a_rehearsal_that_takes_too_long_ends(
    support: Pack, post: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workflows.opened_packs.rehearsals.SECONDS", -1.0)
    answer = post(f"packs/{support.pk}/rehearse/", {"runs": 20})
    assert (answer.status_code, answer.json()["where"]) == (422, "runs")


def test_a_pack_that_cannot_be_read_is_neither_rehearsed_nor_run(post: Any, support: Pack) -> None:
    broken = {"type": "write_file", "path": support.main, "text": "{"}
    assert post(f"packs/{support.pk}/edits/", {"base": 1, "edits": [broken]}).status_code == 200
    for answer in (
        post(f"packs/{support.pk}/rehearse/", {"runs": 1}),
        post("runs/", {"pack": support.pk, "driver": "rehearsal"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "cannot_run")
        assert answer.json()["message"]


@pytest.mark.parametrize("rest", ["", "events/", "graph/", "pending/", "artifacts/"])
def test_an_unknown_run_is_not_found(site: Client, rest: str) -> None:
    nobody = "00000000-0000-0000-0000-000000000000"
    answer = site.get(f"/api/v1/runs/{nobody}/{rest}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_run_stops_at_its_breakpoints(site: Client, support: Pack, post: Any) -> None:
    body = post("runs/", {"pack": support.pk, "driver": "manual", "breakpoints": ["intake"]}).json()
    assert (body["status"], body["path"]) == ("paused", ["intake"])
    assert site.get(f"/api/v1/runs/{body['id']}/pending/").json() == []

    def told(**signal: Any) -> Any:
        return post(f"runs/{body['id']}/signals/", {"type": "breakpoints", **signal})

    same = told(breakpoints=["intake"])
    assert (same.status_code, same.json()["message"]) == (
        409,
        "The run has these breakpoints already.",
    )
    on = told(breakpoints=[], until="goodbye").json()
    assert [event["type"] for event in on["events"]][:2] == ["run.breakpoints", "run.resumed"]
    assert on["status"] == "running"


def test_a_run_is_kept_by_a_star_or_because_it_was_saved_as_a_script(
    site: Client, run: dict[str, Any]
) -> None:
    address = f"/api/v1/runs/{run['id']}/"

    def kept(star: bool) -> str:
        answer = site.patch(address, {"kept": star}, content_type="application/json")
        assert answer.status_code == 200
        return str(answer.json()["kept"])

    assert run["kept"] == ""
    assert (kept(True), kept(False)) == ("star", "")
    site.get(f"{address}script/")
    assert site.get(address).json()["kept"] == "script"
    assert site.patch(address, {}, content_type="application/json").status_code == 400
