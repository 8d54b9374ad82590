"""Scripts and forks of runs over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.checks import failure_note
from tests.support.tokens import api_token
from workflows.models import Pack, Run
from workflows.selectors.runs import log


@pytest.fixture
def run(support: Pack, post: Any, site: Client) -> dict[str, Any]:
    """A run with one model answer given by a person."""
    body: dict[str, Any] = post("runs/", {"pack": support.pk, "driver": "manual"}).json()
    (asked,) = site.get(f"/api/v1/runs/{body['id']}/pending/").json()
    signal = {"type": "Reply", "key": asked["key"], **asked["choices"][0]["reply"]}
    assert post(f"runs/{body['id']}/signals/", signal).status_code == 200
    return body


def test_a_run_is_saved_as_a_script(site: Client, run: dict[str, Any]) -> None:
    answer = site.get(f"/api/v1/runs/{run['id']}/script/")
    script = answer.json()
    assert [entry["state"] for entry in script["replies"]] == ["intake"]
    assert script["expects"]["status"] == ""
    assert len(script["expects"]["transitions"]) == 1
    assert f"run-{run['id'][:8]}.script.json" in answer.headers["Content-Disposition"]


def test_a_run_is_forked_at_an_event(site: Client, run: dict[str, Any], post: Any) -> None:
    events = site.get(f"/api/v1/runs/{run['id']}/events/").json()["events"]
    asked = next(event["n"] for event in events if event["type"] == "model.asked")
    answer = post(f"runs/{run['id']}/fork/", {"at": asked + 1, "driver": "rehearsal"})
    assert answer.status_code == 201
    body = answer.json()
    assert body["at"] == asked
    assert body["run"]["forked_from"] == {"run": run["id"], "at": asked}
    assert (body["run"]["driver"], body["run"]["path"]) == ("rehearsal", ["intake"])
    assert run["forked_from"] is None


IMPOSSIBLE: list[tuple[dict[str, Any], int, str]] = [
    ({}, 400, "required"),
    ({"at": 0}, 400, "greater than or equal to 1"),
    ({"at": 1}, 422, "no pending effect"),
    ({"at": 9, "driver": "nobody"}, 400, "Unknown driver 'nobody'"),
    ({"at": 9, "revision": 77}, 404, "77"),
    ({"at": 9, "driver": "script", "script": {"replies": 3}}, 422, "must be a list"),
    ({"at": 9, "budget": {"patience": 3}}, 400, "no limit 'patience'"),
    ({"at": 9, "mode": "DREAMING"}, 400, "not a valid choice"),
]


def test_an_impossible_fork_is_refused_with_a_message(run: dict[str, Any], post: Any) -> None:
    for body, status, says in IMPOSSIBLE:
        with failure_note(repr(body)[:200]):
            answer = post(f"runs/{run['id']}/fork/", body)
            assert (answer.status_code, says in answer.json()["message"]) == (status, True), (
                answer.json()
            )


def test_permission_for_commands_is_not_passed_on(
    support: Pack, post: Any, site: Client, run: dict[str, Any]
) -> None:
    Run.objects.filter(pk=run["id"]).update(options={"commands": True, "seed": 5})
    body = post(f"runs/{run['id']}/fork/", {"at": 9}).json()
    kept = Run.objects.get(pk=body["run"]["id"]).options
    assert (kept.get("commands"), kept["seed"]) == (None, 5)


def test_a_fork_records_its_own_mode_and_its_starter(
    support: Pack, ada: User, run: dict[str, Any]
) -> None:
    program = Client(
        HTTP_HOST="127.0.0.1", headers={"Authorization": f"Bearer {api_token(ada, 'ci')}"}
    )
    address = f"/api/v1/runs/{run['id']}/fork/"
    asked = {"at": 9, "mode": "PLANNING", "paused": True}
    forked = program.post(address, asked, content_type="application/json").json()["run"]
    assert forked["source"] == "api"
    kept = Run.objects.get(pk=forked["id"])
    assert kept.options["mode"] == "PLANNING"
    assert log(kept)[0].fields["mode"] == "PLANNING"
