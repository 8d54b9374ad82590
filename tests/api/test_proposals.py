"""Proposed edits over HTTP: their consequences, and decisions about those that are kept."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.rights import Level, share
from tests.support.checks import failure_note
from tests.support.recorded_run import recorded
from tests.support.server_fixtures import files_of, signed_in
from workflows.actions.packs import create_from_sample
from workflows.models import AuditEntry, Pack, Proposal, Revision, RunEvent, State

ADD = {"type": "add_state", "id": "audit"}
CONNECT = {"type": "connect", "source": "review", "target": "audit", "label": "Audit"}
NOTE = {"type": "set_field", "element": "state:draft", "field": "/description", "value": "Short."}


def test_a_proposal_has_its_consequences_and_writes_nothing(ada: User, post: Any) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    entries = AuditEntry.objects.count()
    answer = post(f"packs/{pack.pk}/proposals/", {"base": 1, "edits": [ADD, NOTE, CONNECT]})
    assert answer.status_code == 200, answer.json()
    body = answer.json()
    assert body["parts"] == [[0, 2], [1]]
    assert body["difference"]["states"]["added"] == ["audit"]
    assert body["difference"]["transitions"]["added"] == ["review|Audit|audit"]
    assert body["coverage"]["after"]["of"] == body["coverage"]["before"]["of"] + 1
    assert (body["diverging_runs"], body["runs"]) == ([], 0)
    assert body["worst_case"]["before"] is not None
    (file,) = body["files"]
    assert '"Audit": "audit"' in file["diff"]
    assert Pack.objects.get(pk=pack.pk).head == 1
    assert Revision.objects.filter(pack=pack).count() == 1
    assert AuditEntry.objects.count() == entries
    files = {file["path"]: "{"}
    body = post(f"packs/{pack.pk}/proposals/", {"base": 1, "files": files}).json()
    assert (body["readable"], body["difference"], body["parts"]) == (False, None, [[0]])


def test_an_impossible_proposal_is_refused_with_its_reason(ada: User, post: Any) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    rows: list[tuple[dict[str, Any], int, str]] = [
        ({"base": 2, "edits": [NOTE]}, 409, "The newest revision is 1, and this proposal expects"),
        ({"base": 1, "edits": []}, 400, "at least one"),
        ({"base": 1, "edits": [NOTE] * 101}, 400, "1 to 100 edits"),
        ({"base": 1}, 400, "either `edits` or `files`"),
        ({"base": 1, "edits": [NOTE], "files": {}}, 400, "either `edits` or `files`"),
        ({"base": 1, "files": {}}, 400, "1 to 100 edits"),
        ({"base": 1, "files": {"../x": "a"}}, 422, "A PromptPack has one file"),
        ({"base": 1, "edits": [NOTE, CONNECT]}, 422, "audit"),
    ]
    for body, status, words in rows:
        with failure_note(str(body)[:80]):
            answer = post(f"packs/{pack.pk}/proposals/", body)
            assert answer.status_code == status, answer.json()
            assert words in answer.json()["message"]


def keep(post: Any, pack: Pack, *edits: dict[str, Any], base: int = 1, **more: Any) -> int:
    answer = post(f"packs/{pack.pk}/proposals/", {
        "base": base, "edits": list(edits), "rehearse": False, "keep": True, **more
    })  # fmt: skip
    assert answer.status_code == 200, answer.json()
    return int(answer.json()["proposal"])


def send(client: Client, post: Any, path: str, status: int = 200, **body: Any) -> Any:
    answer = post(path, body, client=client)
    assert answer.status_code == status, answer.json()
    return answer.json()


def get(client: Client, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/v1/{path}", query)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def put(state: str, text: str) -> dict[str, Any]:
    return {**NOTE, "element": f"state:{state}", "value": text}


@pytest.mark.parametrize("chosen", [c for n in (1, 2, 3) for c in combinations(range(3), n)])
def test_any_parts_are_one_revision_and_one_undo(
    ada: User, post: Any, site: Client, chosen: tuple[int, ...]
) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    before = dict(files_of(pack))
    role = {"type": "write_note", "id": "audit", "text": "New."}
    key = keep(post, pack, ADD, NOTE, CONNECT, put("review", "Longer."), role, note="Audits.")
    at = f"packs/{pack.pk}/proposals/{key}/"
    assert Pack.objects.get(pk=pack.pk).head == 1
    assert AuditEntry.objects.filter(operation="packs_preview_edits").count() == 1
    shown = get(site, at, part=chosen, quick="true")
    assert (shown["author"], shown["note"], shown["status"]) == ("ada", "Audits.", "pending")
    assert [len(part["edits"]) for part in shown["parts"]] == [3, 1, 1]
    assert ("audit" in shown["consequences"]["difference"]["states"]["added"]) == (0 in chosen)
    assert shown["consequences"]["coverage"] is None
    drawn = [state["id"] for state in shown["graph"]["states"]["set"]]
    assert ("audit" in drawn) == (0 in chosen)

    change = send(site, post, f"{at}accept/", parts=chosen)
    assert (change["revision"], change["undo"]["can"]) == (2, True)
    assert "proposed by ada" in change["summary"]
    proposed = {file["path"]: file["diff"] for file in shown["consequences"]["files"]}
    assert proposed == {
        file["path"]: file["diff"]
        for file in get(site, f"packs/{pack.pk}/diff/", **{"from": 1, "to": 2})["files"]
    }
    assert (0 in chosen) == State.objects.filter(pack=pack, key="audit", note="New.").exists()
    row = Proposal.objects.get(pk=key)
    assert [part["status"] == "accepted" for part in row.parts] == [n in chosen for n in range(3)]
    assert row.status == ("accepted" if len(chosen) == 3 else "pending")
    refusal = send(site, post, f"{at}accept/", 422, parts=chosen[:1])
    assert "accepted already" in refusal["message"]

    send(site, post, f"packs/{pack.pk}/undo/", base=2)
    assert dict(files_of(pack)) == before
    rest = [n for n in range(3) if n not in chosen]
    if rest:
        send(site, post, f"{at}reject/", parts=rest, reason="Not now.")
        assert {part["reason"] for part in Proposal.objects.get(pk=key).parts} == {"", "Not now."}
    assert get(site, f"packs/{pack.pk}/proposals/", status="pending")["results"] == []
    (listed,) = get(site, f"packs/{pack.pk}/proposals/", status="accepted")["results"]
    assert listed["id"] == key


def test_two_people_and_an_agent_propose_and_each_is_rebased_or_stale(
    ada: User, bob: User, post: Any, site: Client
) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    share(pack, bob, Level.READ)
    agent = signed_in(User.objects.create_user("agent"))
    share(pack, User.objects.get(username="agent"), Level.READ)
    other = signed_in(bob)
    at = f"packs/{pack.pk}/proposals/"
    first = keep(post, pack, NOTE, put("review", "By ada."))
    second = keep(partial(post, client=other), pack, put("draft", "By bob."), ADD, CONNECT)
    third = keep(partial(post, client=agent), pack, put("done", "By an agent."))
    assert [row["id"] for row in get(other, at)["results"]] == [third, second, first]

    for client, status in ((other, 403), (agent, 403), (signed_in_as("carol"), 404)):
        for verb in ("accept", "reject"):
            send(client, post, f"{at}{third}/{verb}/", status, parts=[0])
    assert signed_in_as("dave").get(f"/api/v1/{at}{third}/").status_code == 404

    refusal = agent.delete(f"/api/v1/{at}{second}/")
    assert (refusal.status_code, refusal.json()["code"]) == (422, "edit_refused")
    send(site, post, f"{at}{first}/accept/", parts=[0])
    rebased = get(site, f"{at}{second}/", quick="true")
    assert [bool(part["stale"]) for part in rebased["parts"]] == [True, False]
    assert rebased["parts"][0]["stale"].startswith("ada changed the same place since (Change desc")
    assert rebased["consequences"]["difference"]["states"]["added"] == ["audit"]
    conflict = send(site, post, f"{at}{second}/accept/", 409, parts=[0, 1])
    assert conflict["theirs"][0]["author"] == "ada"
    send(site, post, f"{at}{second}/accept/", parts=[1])
    send(site, post, f"{at}{third}/accept/", parts=[0])
    send(site, post, f"{at}{first}/accept/", parts=[1])
    text = "".join(files_of(pack)[pack.main].decode().split())
    for words in ("Short.", "Byada.", "Byanagent.", '"audit"'):
        assert words in text
    assert "Bybob." not in text
    assert Pack.objects.get(pk=pack.pk).head == 5
    everything_stale = get(site, f"{at}{second}/")
    assert (everything_stale["consequences"], everything_stale["graph"]) == (None, None)
    withdrawn = other.delete(f"/api/v1/{at}{second}/").json()
    assert [part["status"] for part in withdrawn["parts"]] == ["withdrawn", "accepted"]
    assert withdrawn["status"] == "accepted"


def test_a_removed_transition_that_a_run_took_is_named(ada: User, post: Any, site: Client) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    run = str(recorded(pack, ada).pk)
    taken = RunEvent.objects.filter(run=run, type="transition.taken").first()
    assert taken is not None
    gone = taken.fields["transition"]
    cut = {"type": "disconnect", "transition": gone}
    key = keep(post, pack, cut)
    found = get(site, f"packs/{pack.pk}/proposals/{key}/")["consequences"]
    assert found["removed_taken"] == [{"transition": gone, "run": run, "n": taken.n}]
    assert [one["run"] for one in found["diverging_runs"]] == [run]
    assert found["coverage"]["before"]["of"] == found["coverage"]["after"]["of"] + 1


def signed_in_as(name: str) -> Client:
    return signed_in(User.objects.create_user(name))
