"""Speaking to an agent of a run."""

from typing import Any

import pytest
from django.test import Client

from workflows.actions import packs, runs
from workflows.models import Run


@pytest.fixture
def team() -> Run:
    pack = packs.create_from_sample("agent_graph/feature-team", owner=None)
    return runs.start(pack, driver="manual", options={})


def pending(site: Client, run: Run) -> list[tuple[str, str]]:
    return [
        (one["state"], one["effect"]) for one in site.get(f"/api/v1/runs/{run.pk}/pending/").json()
    ]


def test_a_word_wakes_an_agent(team: Run, site: Client, post: Any) -> None:
    body = {"type": "Tell", "state": "coder", "text": "Begin with the tests."}
    answer = post(f"runs/{team.pk}/signals/", body)
    assert answer.status_code == 200
    told = answer.json()["events"][0]
    assert (told["type"], told["state"], told["text"]) == ("run.told", "coder", body["text"])
    assert told["by"]
    assert ("coder", "AskModel") in pending(site, team)


def test_an_urgent_word_breaks_off_the_turn(team: Run, site: Client, post: Any) -> None:
    (before,) = site.get(f"/api/v1/runs/{team.pk}/pending/").json()
    body: dict[str, Any] = {
        "type": "Tell",
        "state": "lead",
        "text": "Something else first.",
        "interrupt": True,
    }
    assert post(f"runs/{team.pk}/signals/", body).status_code == 200
    (after,) = site.get(f"/api/v1/runs/{team.pk}/pending/").json()
    assert after["key"] != before["key"]
    late = post(f"runs/{team.pk}/signals/", {"type": "Reply", "key": before["key"], "text": "x"})
    assert late.status_code == 409


def test_a_message_to_an_unknown_agent_is_refused(team: Run, post: Any) -> None:
    body = {"type": "Tell", "state": "ghost", "text": "Hello?"}
    answer = post(f"runs/{team.pk}/signals/", body)
    assert answer.status_code == 409
    assert answer.json()["message"] == "No agent in 'ghost' can receive a message."


def test_the_mode_is_switched_by_an_event(team: Run, post: Any) -> None:
    answer = post(f"runs/{team.pk}/signals/", {"type": "Fire", "event": "PLANNING"})
    types = [event["type"] for event in answer.json()["events"]]
    assert types == ["run.fired", "agent_graph.mode"]
