"""The agents of a pack over HTTP: who they are, and the cards others know them by."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.dialects.promptpack.packs import GONE
from tests.dialects.promptpack.packs import pack as changed
from tests.support.server_fixtures import stored
from workflows.models import Agent, Pack

TEAM: dict[str, Any] = {
    "workflow": GONE,
    "prompts/review/description": "Reads drafts.",
    "agents": {"entry": "draft", "members": {"draft": {"tags": ["text"]}, "review": {}}},
}


@pytest.fixture
def team(ada: User) -> Pack:
    return stored(json.dumps(changed(TEAM)).encode(), ada, "team.pack.json")


def test_the_agents_of_a_pack_are_listed_in_the_order_of_the_file(site: Client, team: Pack) -> None:
    found = site.get(f"/api/v1/packs/{team.pk}/agents/").json()
    assert [item["key"] for item in found] == ["draft", "review"]
    assert found[1]["description"] == "Reads drafts."
    assert found[1]["card"]["skills"][0]["id"] == "review"


def test_an_agents_card_is_served_by_itself(site: Client, team: Pack) -> None:
    card = site.get(f"/api/v1/packs/{team.pk}/agents/draft/card/").json()
    assert card["skills"] == [
        {"id": "draft", "name": "draft", "description": "draft", "tags": ["text"]}
    ]
    assert card["defaultInputModes"] == ["text/plain"]


def test_a_card_follows_every_edit(site: Client, team: Pack) -> None:
    said = "Writes drafts."
    edit = {"type": "set_field", "element": "agent:draft", "field": "/description", "value": said}
    body = {"base": 1, "edits": [edit]}
    site.post(f"/api/v1/packs/{team.pk}/edits/", body, content_type="application/json")
    assert Agent.objects.get(pack=team, key="draft").description == said
    assert site.get(f"/api/v1/packs/{team.pk}/agents/draft/card/").json()["description"] == said


def test_a_member_with_slashes_in_its_key_has_a_card(site: Client, ada: User) -> None:
    tree = changed({"workflow": GONE, "agents": {"entry": "a/b", "members": {"a/b": {}}}})
    tree["prompts"]["a/b"] = tree["prompts"]["draft"]
    odd = stored(json.dumps(tree).encode(), ada, "odd.pack.json")
    assert site.get(f"/api/v1/packs/{odd.pk}/agents/a/b/card/").json()["name"] == "draft"


def test_an_unknown_agent_is_not_found(site: Client, team: Pack) -> None:
    answer = site.get(f"/api/v1/packs/{team.pk}/agents/nobody/card/")
    assert answer.status_code == 404
    assert "'nobody'" in answer.json()["message"]


def test_a_pack_without_agents_has_an_empty_list(site: Client, pack: Pack) -> None:
    assert site.get(f"/api/v1/packs/{pack.pk}/agents/").json() == []
