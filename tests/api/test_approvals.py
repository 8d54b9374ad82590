"""Approvals over HTTP: listed over all runs, and answered once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.rights import Level, share
from tests.dialects.agent_graph.run.scripted_run import LEAD
from tests.dialects.stages.run.scripted_run import pack as stages_pack
from tests.support.server_fixtures import signed_in
from workflows.actions import packs, runs
from workflows.core.engine.signals import Reply, ToolCall
from workflows.models import Approval, Run, RunEvent

CALL = {"name": "bash", "arguments": {"command": "rm -rf 'my build'"}}


@pytest.fixture
def asked(ada: User) -> Approval:
    """A model wants to call a tool that its stage does not list."""
    tree = {str(path): data for path, data in stages_pack({"a": {}}).items()}
    pack = packs.import_files(tree, owner=ada).packs[0]
    run = runs.start(pack, driver="manual", options={}, owner=ada)
    (key,) = runs.work_of(run.pk).run.pending
    call = ToolCall(name=CALL["name"], arguments=CALL["arguments"], id="c1")  # type: ignore[arg-type]
    runs.deliver(run.pk, Reply(at=2e9, key=key, tool_calls=(call,)))
    return Approval.objects.get(run=run, kind="approve")


def test_approvals_are_listed_over_all_runs(site: Client, asked: Approval) -> None:
    for query, count in (
        ({}, 1),
        ({"status": "open"}, 1),
        ({"status": "denied"}, 0),
        ({"pack": asked.run.pack_id}, 1),
        ({"pack": "x"}, 0),
        ({"q": "WANTS TO CALL"}, 1),
        ({"q": "nothing like it"}, 0),
    ):
        assert site.get("/api/v1/approvals/", query).json()["count"] == count
    (one,) = site.get("/api/v1/approvals/").json()["results"]
    assert (one["state"], one["asks"]["call"], one["status"]) == ("a", CALL, "open")
    assert site.get("/api/v1/approvals/", {"status": "odd"}).status_code == 400


def test_a_tool_allowed_at_the_start_is_called_until_it_is_revoked(
    post: Any, asked: Approval
) -> None:
    body = {"pack": asked.run.pack_id, "driver": "manual", "allowed_tools": ["bash"]}
    run = post("runs/", body).json()["id"]
    allowed = RunEvent.objects.get(run=run, type="tool.allowed").fields
    assert allowed == {"name": "bash", "by": "ada"}
    (key,) = runs.work_of(run).run.pending
    runs.deliver(run, Reply(at=2e9, key=key, tool_calls=(ToolCall(id="c1", **CALL),)))  # type: ignore[arg-type]
    assert not Approval.objects.filter(run=run, kind="approve").exists()
    runs.revoke_tool(run, "bash", by="ada")
    assert Approval.objects.filter(run=run, kind="approve").exists()


def test_an_approval_is_edited_then_approved(site: Client, post: Any, asked: Approval) -> None:
    answer = post(f"approvals/{asked.pk}/", {"approve": True, "edited": {"command": "ls"}})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["status"], body["answered_by"]) == ("answered", "ada")
    (effect,) = runs.work_of(asked.run_id).run.pending.values()
    assert (effect["effect"], effect["arguments"]) == ("CallTool", {"command": "ls"})
    given = RunEvent.objects.get(run=asked.run_id, type="approval.given").fields
    assert (given["by"], given["structured"]) == ("ada", {"command": "ls"})


def test_of_two_answers_the_second_is_refused(
    bob: User, site: Client, post: Any, asked: Approval
) -> None:
    theirs = signed_in(bob)
    share(asked.run.pack, bob, Level.EDIT)
    first = post(f"approvals/{asked.pk}/", {"approve": False, "reason": "No!"}, client=theirs)
    assert (first.status_code, first.json()["reason"]) == (200, "No!")
    second = post(f"approvals/{asked.pk}/", {"approve": True})
    assert (second.status_code, second.json()["code"]) == (409, "answered_meanwhile")
    assert second.json()["message"] == "bob has already denied this: No!"
    heard = runs.work_of(asked.run_id).run.pending
    assert "was denied: No!" in str(heard)


def test_a_stalled_agent_continues_with_a_message_or_stops(site: Client, ada: User) -> None:
    team = {"agent_graph": 1, "stall_threshold": 1, "nodes": [LEAD]}
    pack = packs.import_files({"a.agents.json": json.dumps(team).encode()}, owner=ada).packs[0]
    run = runs.start(pack, driver="manual", options={}, owner=ada)
    answers = ({"edited": "Try the other way."}, {"approve": "no", "reason": "It repeats itself."})
    for answer in answers:
        while not Approval.objects.filter(run=run, kind="approve", status="open").exists():
            (key,) = runs.work_of(run.pk).run.pending
            runs.deliver(run.pk, Reply(at=2e9, key=key, text="Hm."))
        page = site.get("/approvals/").content.decode()
        assert "data-yes" not in page, "A message is never left behind by another button."
        asked = Approval.objects.get(run=run, status="open")
        site.post(f"/approvals/{asked.pk}/", answer)
    given = RunEvent.objects.filter(run=run, type="approval.given").order_by("n")
    assert [one.fields["event"] for one in given] == ["Continue", "Stop"]
    closed = site.get("/approvals/", {"status": "answered"}).content.decode()
    assert "answered by ada</span>" in closed
    assert "Continue: Try the other way." in closed
    assert "Stop: It repeats itself." in closed
    assert not Approval.objects.filter(status__in=("approved", "denied")).exists()


@pytest.mark.parametrize(
    ("body", "where"),
    [({"edited": "ls"}, "edited"), ({"event": "Go"}, "event"), ({"approve": "maybe"}, "approve")],
)
def test_an_invalid_answer_is_refused_with_a_message(
    post: Any, asked: Approval, body: Any, where: str
) -> None:
    refused = post(f"approvals/{asked.pk}/", body)
    assert (refused.status_code, refused.json()["where"]) == (400, where)
    assert Approval.objects.get(pk=asked.pk).status == "open"


def test_an_unknown_approval_is_not_found(site: Client, post: Any, asked: Approval) -> None:
    assert site.get(f"/api/v1/approvals/{asked.run_id}/").status_code == 404
    assert post(f"approvals/{asked.run_id}/", {}).status_code == 404


def test_an_answering_signal_records_its_sender(post: Any, asked: Approval) -> None:
    signal = {"type": "Approve", "key": asked.key, "approve": False, "text": "No."}
    assert post(f"runs/{asked.run_id}/signals/", signal).status_code == 200
    asked.refresh_from_db()
    assert (asked.status, asked.answered_by, asked.reason) == ("denied", "ada", "No.")


def test_the_queue_shows_the_whole_call_and_works_without_a_script(
    site: Client, asked: Approval
) -> None:
    page = site.get("/approvals/").content.decode()
    assert "<title>(1) Approvals" in page
    assert f'data-approval="{asked.pk}"' in page
    assert "&quot;command&quot;: &quot;rm -rf &#x27;my build&#x27;&quot;" in page
    assert ">1</span>" in site.get("/").content.decode()
    address = f"/approvals/{asked.pk}/"
    wrong = site.post(address, {"json": "true", "edited": "{"}, follow=True).content.decode()
    assert "This is not JSON" in wrong
    done = site.post(address, {"approve": "no", "reason": "Too dear"}, follow=True)
    assert "No open questions" in done.content.decode()
    assert "Too dear" in site.get("/approvals/", {"status": "denied"}).content.decode()
    again = site.post(address, {"approve": "yes"}, follow=True).content.decode()
    assert "ada has already denied this: Too dear" in again


def test_a_deleted_pack_takes_its_questions_along(site: Client, asked: Approval) -> None:
    Run.objects.get(pk=asked.run_id).pack.delete()
    assert site.get("/api/v1/approvals/").json()["count"] == 0


def test_a_second_answer_is_refused_with_the_first_one(post: Any, asked: Approval) -> None:
    at = {name: asked.asks[name] for name in ("key", "position", "state")}
    Approval.objects.filter(pk=asked.pk).update(
        kind="tool",
        asks={"effect": "CallTool", **at, "name": "look", "arguments": {}},
        status="approved",
        answered_by="bob",
        answer={"result": "Order NT-1042: shipped", "error": ""},
    )
    second = post(f"approvals/{asked.pk}/", {"approve": False, "reason": "No."})
    assert second.status_code == 409
    assert second.json()["message"] == "bob has already answered this: Order NT-1042: shipped"
