"""Trials: a recorded model call is sent again with changes."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.checks import failure_note
from tests.support.model_server import ErrorReply, ModelServer, TextReply
from tests.support.server_fixtures import signed_in
from workflows.actions.packs import create_from_sample
from workflows.models import Connection, Pack, Run, RunEvent
from workflows.security.encryption import encrypt

KINDS = {
    "openai": "gpt-4o",
    "anthropic": "claude-opus-4-8",
    "google": "gemini-3.8-flash",
    "compatible": "qwen-local",
}
GREETING = "Hello there."


@pytest.fixture
def call(ada: User, post: Any, site: Client) -> tuple[str, int]:
    """A run that waits for a model's answer, and the number of that call."""
    pack = create_from_sample("promptpack/customer-support", owner=ada)
    run = post("runs/", {"pack": pack.pk, "driver": "manual"}).json()["id"]
    events = site.get(f"/api/v1/runs/{run}/events/").json()["events"]
    return run, next(event["n"] for event in events if event["type"] == "model.asked")


def connect(post: Any, server: ModelServer, kind: str = "compatible", **more: Any) -> None:
    given = {"name": "Mine", "kind": kind, "base_url": server.url(kind), "model": KINDS[kind]}
    assert post("connections/", {**given, "key": "sk-1", **more}).status_code == 201


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_is_sent_again_with_changes(
    post: Any, server: ModelServer, call: tuple[str, int], kind: str
) -> None:
    run, at = call
    connect(post, server, kind, prices={"*": {"input": 10, "output": 100}})
    server.will(TextReply(text=GREETING, tokens=(100, 10)))
    events = RunEvent.objects.count()
    body = {
        "at": at,
        "system": "Answer in verse.",
        "parameters": {"max_tokens": 77, "temperature": None},
    }
    answer = post(f"runs/{run}/trials/", body)
    assert answer.status_code == 200, answer.content
    trial = answer.json()
    assert (trial["text"], trial["error"], trial["provider"]) == (GREETING, "", kind)
    assert (trial["model"], trial["connection"]) == (KINDS[kind], "Mine")
    assert (trial["input_tokens"], trial["output_tokens"]) == (100, 10)
    assert trial["cost"] == pytest.approx(0.002)
    (received,) = server.asked
    assert trial["request"]["body"] == received.body
    assert "Answer in verse." in str(received.body)
    assert "77" in str(received.body)
    assert "sk-1" not in answer.content.decode()
    assert RunEvent.objects.count() == events


def test_a_trial_is_in_the_sums_of_costs(
    post: Any, site: Client, server: ModelServer, call: tuple[str, int]
) -> None:
    run, at = call
    connect(post, server, prices={"*": {"input": 10, "output": 100}})
    server.will(TextReply(text=GREETING, tokens=(100, 10)), TextReply(tokens=(200, 20)))
    for _ in range(2):
        assert post(f"runs/{run}/trials/", {"at": at}).status_code == 200
    Run.objects.filter(pk=run).update(cost=0.5, input_tokens=7, owner=None)
    for by in ("pack", "day"):
        (row,) = site.get(f"/api/v1/costs/?by={by}").json()
        assert (row["runs"], row["trials"], row["cost"]) == (1, 2, 0.506)
        assert (row["input_tokens"], row["output_tokens"]) == (307, 30)
    server_row, mine = site.get("/api/v1/costs/?by=person").json()
    assert (server_row["name"], server_row["cost"], server_row["trials"]) == ("", 0.5, 0)
    assert (mine["name"], mine["cost"], mine["runs"]) == ("ada", 0.006, 0)
    assert "1 run and 2 trials · 337 tokens · $0.506" in site.get("/runs/").content.decode()
    assert site.get(f"/api/v1/runs/{run}/").json()["cost"] == 0.5


def test_a_message_is_changed_and_the_rest_is_sent_as_recorded(
    post: Any, site: Client, server: ModelServer, call: tuple[str, int]
) -> None:
    run, at = call
    connect(post, server)
    server.will(TextReply(text="As it was."), TextReply(text="Changed."))
    assert post(f"runs/{run}/trials/", {"at": at}).status_code == 200
    assert post(f"runs/{run}/trials/", {"at": at, "texts": {"0": "Only this."}}).status_code == 200
    recorded, changed = (one.body["messages"] for one in server.asked)
    assert recorded[:-1] == changed[:-1]
    assert changed[-1] == {"role": "user", "content": "Only this."}


def test_a_refusing_provider_is_named(
    post: Any, server: ModelServer, call: tuple[str, int]
) -> None:
    run, at = call
    connect(post, server)
    server.will(ErrorReply(status=429, message="Slow down."))
    answer = post(f"runs/{run}/trials/", {"at": at})
    assert (answer.status_code, answer.json()["code"]) == (422, "trial_refused")
    assert "Slow down" in answer.json()["message"]
    assert answer.json()["hint"].endswith("then send it again.")


IMPOSSIBLE: list[tuple[dict[str, Any], int, str]] = [
    ({}, 400, "required"),
    ({"at": 1}, 404, "Event 1 of this run is not a model call."),
    ({"at": 10**9}, 404, "is not a model call"),
    ({"texts": {"7": "x"}}, 400, "There is no message 7: the call has messages 0 to 0."),
    ({"texts": {"last": "x"}}, 400, "by their position"),
    ({"texts": {"9" * 40: "x"}}, 400, "There is no message 999999999"),
    ({"connection": "Other"}, 404, "There is no connection 'Other'"),
]


def test_an_impossible_trial_is_refused_with_a_message(
    post: Any, server: ModelServer, call: tuple[str, int]
) -> None:
    run, at = call
    connect(post, server)
    for body, status, says in IMPOSSIBLE:
        with failure_note(repr(body)[:200]):
            answer = post(f"runs/{run}/trials/", {"at": at, **body} if body else {})
            assert answer.status_code == status, answer.content
            assert says in answer.json()["message"]
            assert server.asked == []


def test_the_connection_of_another_person_is_not_used(
    server: ModelServer, call: tuple[str, int], ada: User, bob: User
) -> None:
    run, at = call
    Run.objects.filter(pk=run).update(owner=bob)
    Pack.objects.update(owner=bob)
    Connection.objects.create(
        name="Private", kind="compatible", base_url=server.url("compatible"), model="m", owner=ada,
        sealed_key=encrypt("sk-2"),
    )  # fmt: skip
    client = signed_in(bob)
    body = {"at": at, "connection": "Private"}
    address = f"/api/v1/runs/{run}/trials/"
    answer = client.post(address, body, content_type="application/json")
    assert answer.status_code == 404
    assert "There is no connection 'Private'" in answer.json()["message"]
    assert server.asked == []
