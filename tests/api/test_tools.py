"""Binding the tools of a pack over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.dialects.promptpack.packs import pack as changed
from tests.support.checks import failure_note
from tests.support.server_fixtures import stored
from workflows.models import Pack

LOOK = {"name": "look", "description": "Looks around.", "parameters": {"type": "object"}}
WEB = {"kind": "http", "settings": {"url": "https://a.example/look"}}
KEY = {"authorization": "Bearer hunter22"}


@pytest.fixture
def team(ada: User) -> Pack:
    tools = {"tools": {"look": LOOK}}
    return stored(json.dumps(changed(tools)).encode(), ada, "team.pack.json")


def put(site: Client, pack: Pack, tool: str, body: Any) -> Any:
    address = f"/api/v1/packs/{pack.pk}/tools/{tool}/"
    return site.put(address, json.dumps(body), content_type="application/json")


def listed(site: Client, pack: Pack) -> dict[str, Any]:
    found = site.get(f"/api/v1/packs/{pack.pk}/tools/").json()
    return {item["tool"]: item for item in found}


def test_the_tools_of_a_pack_are_listed_with_what_they_are_bound_to(
    site: Client, team: Pack
) -> None:
    assert listed(site, team)["look"]["binding"] is None
    assert (
        put(site, team, "look", {"kind": "canned", "settings": {"result": "x"}}).status_code == 200
    )
    found = listed(site, team)["look"]
    assert (found["description"], found["in_pack"]) == ("Looks around.", True)
    assert found["binding"]["kind"] == "canned"
    assert site.delete(f"/api/v1/packs/{team.pk}/tools/look/").status_code == 204
    assert listed(site, team)["look"]["binding"] is None


def test_a_tool_that_the_pack_no_longer_has_is_still_listed(site: Client, team: Pack) -> None:
    put(site, team, "lost/one", {"kind": "files"})
    assert listed(site, team)["lost/one"]["in_pack"] is False


def test_secrets_are_never_shown_and_stay_with_their_address(site: Client, team: Pack) -> None:
    answer = put(site, team, "look", {**WEB, "secrets": KEY})
    assert answer.json()["secret_names"] == ["authorization"]
    assert "hunter22" not in answer.content.decode()
    kept = put(site, team, "look", {**WEB, "settings": {**WEB["settings"], "method": "GET"}})
    assert kept.json()["secret_names"] == ["authorization"]
    moved = put(site, team, "look", {**WEB, "settings": {"url": "https://evil.example/"}})
    assert (moved.status_code, moved.json()["where"]) == (400, "secrets")
    assert put(site, team, "look", {**WEB, "secrets": {}}).json()["secret_names"] == []


REFUSED: list[tuple[Any, str]] = [
    ({"kind": "teleport"}, "kind"),
    ({"kind": "canned"}, "settings"),
    ({"kind": "canned", "settings": {"result": "a\0b"}}, "settings"),
    ({"kind": "http", "settings": {"url": 3}}, "settings/url"),
    ({"kind": "http", "secrets": KEY}, "settings"),
    ({"settings": {}}, "kind"),
]


def test_a_binding_that_will_not_do_is_refused(site: Client, team: Pack) -> None:
    for body, where in REFUSED:
        with failure_note(repr(body)[:200]):
            answer = put(site, team, "look", body)
            assert (answer.status_code, answer.json()["where"]) == (400, where)
            assert listed(site, team)["look"]["binding"] is None


@pytest.mark.parametrize(
    "tools", [{"look": {"kind": "no"}}, {"look": 3}, {"look": {"kind": "files", "settings": 1}}]
)
def test_a_run_with_bindings_that_will_not_do_is_not_started(
    site: Client, team: Pack, tools: Any
) -> None:
    body = {"pack": team.pk, "driver": "rehearsal", "tools": tools}
    answer = site.post("/api/v1/runs/", json.dumps(body), content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["where"].startswith("tools/look") or answer.json()["where"] == "kind"


def test_calls_that_ask_first_are_listed_with_the_reason(
    site: Client, ada: User, settings: Any
) -> None:
    settings.SIGNALBOX_COMMANDS = True
    sends = {**LOOK, "name": "send", "action_scope": {"reversibility": "irreversible"}}
    tools = {"tools": {"look": LOOK, "send": sends}}
    pack = stored(json.dumps(changed(tools)).encode(), ada, "asks.pack.json")
    assert listed(site, pack)["look"]["asks_first"] is False
    for kind, settings_ in (("canned", {"result": "x"}), ("command", {"command": ["true"]})):
        put(site, pack, "look", {"kind": kind, "settings": {**settings_, "ask": True}})
        assert listed(site, pack)["look"]["asks_first"] is True
    settings.SIGNALBOX_COMMANDS = False
    found = listed(site, pack)["look"]
    assert (found["answered_by"], found["asks_first"]) == ("person", False)
    (approval,) = site.get(f"/api/v1/packs/{pack.pk}/start/").json()["approvals"]
    assert (approval["tool"], approval["states"]) == ("send", [])
    assert "cannot be undone" in approval["reason"]


def test_every_kind_of_tool_lists_its_access(site: Client) -> None:
    kinds = {kind["name"]: kind for kind in site.get("/api/v1/tool-kinds/").json()}
    assert set(kinds) >= {"canned", "command", "files", "http", "mcp", "memory"}
    assert all(kind["touches"] and kind["schema"]["type"] == "object" for kind in kinds.values())


def tried(site: Client, pack: Pack, **asked: Any) -> dict[str, Any]:
    address = f"/api/v1/packs/{pack.pk}/try-tool/"
    answer = site.post(address, json.dumps(asked), content_type="application/json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_binding_is_tried_as_a_run_would_use_it(site: Client, team: Pack) -> None:
    assert tried(site, team, tool="look")["outcome"] == "person"
    put(site, team, "look", {"kind": "canned", "settings": {"result": "a view"}})
    assert tried(site, team, tool="look") == {"outcome": "result", "text": "a view"}
    put(site, team, "look", {"kind": "canned", "settings": {"error": "fog"}})
    assert tried(site, team, tool="look") == {"outcome": "error", "text": "fog"}
    put(site, team, "look", {"kind": "http", "settings": {"url": "http://127.0.0.1:1/"}})
    assert "private address" in tried(site, team, tool="look")["text"]


def test_a_trial_reads_a_copy_of_the_packs_files(site: Client, team: Pack) -> None:
    put(site, team, "look", {"kind": "files", "settings": {"operation": "write"}})
    there = {"path": "team.pack.json", "content": "gone"}
    assert tried(site, team, tool="look", arguments=there)["outcome"] == "result"
    put(site, team, "look", {"kind": "files", "settings": {"operation": "read"}})
    read = tried(site, team, tool="look", arguments={"path": "team.pack.json"})
    assert "Looks around." in read["text"]


@pytest.mark.parametrize(
    ("operator", "starter", "outcome"),
    [(False, True, "person"), (True, False, "person"), (True, True, "result")],
)
def test_a_trial_runs_no_command_that_a_run_would_not(
    site: Client, team: Pack, settings: Any, operator: bool, starter: bool, outcome: str
) -> None:
    settings.SIGNALBOX_COMMANDS = operator
    put(site, team, "look", {"kind": "command", "settings": {"command": ["echo", "seen"]}})
    listed_as = "command" if operator else "person"
    assert listed(site, team)["look"]["answered_by"] == listed_as
    found = tried(site, team, tool="look", commands=starter)
    assert found["outcome"] == outcome
    assert ("seen" in found["text"]) == (outcome == "result")
    kinds = {kind["name"]: kind for kind in site.get("/api/v1/tool-kinds/").json()}
    assert (kinds["command"]["allowed"], kinds["mcp"]["allowed"]) == (operator, True)


def test_secrets_are_redacted_in_a_trial(site: Client, team: Pack) -> None:
    put(site, team, "look", {**WEB, "settings": {"url": "https://hunter22.invalid/"}})
    put(site, team, "look", {**WEB, "settings": {"url": "https://hunter22.invalid/"},
                             "secrets": {"x-key": "hunter22"}})  # fmt: skip
    assert "hunter22" not in tried(site, team, tool="look")["text"]
