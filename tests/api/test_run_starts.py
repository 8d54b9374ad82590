"""The start of a run in its first event."""

from __future__ import annotations

from typing import Any

from workflows.models import Connection, Pack


def started(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 201, answer.content
    return answer.json()["events"][0]


def test_the_first_event_names_the_user_and_the_options(support: Pack, post: Any) -> None:
    Connection.objects.create(name="Ollama", kind="openai", model="llama3.2", owner=support.owner)
    body = {"pack": support.pk, "driver": "model", "connection": "Ollama"}
    first = started(post("runs/", {**body, "budget": {"total_visits": 20}}))
    assert (first["by"], first["revision"], first["commands"]) == ("ada", 1, False)
    assert (first["connection"], first["model"]) == ("Ollama", "llama3.2")
    assert first["budget"] == {"total_visits": 20}
    assert first["started_by"] in ("person", "api")
    assert {binding["kind"] for binding in first["bindings"].values()} <= {"person", "canned"}


def test_a_run_without_models_names_no_connection(support: Pack, post: Any) -> None:
    first = started(post("runs/", {"pack": support.pk, "driver": "manual"}))
    assert (first["by"], "connection" in first, "bindings" in first) == ("ada", False, False)
