"""Role templates over HTTP: what hides what, and names that lead nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.checks import failure_note
from workflows.actions import runs
from workflows.actions.packs import create_from_sample, import_files
from workflows.actions.run_programs import program_of
from workflows.actions.templates import MAX_CONTENT
from workflows.core.pack.files import Files
from workflows.models import RoleTemplate, RunEvent

TEXT = '[template]\nname = "scout"\nversion = "1"\ncapabilities = ["read_repo"]\n\n# Scout\n'
SHIPPED = ["implementer", "investigator", "orchestrator", "planner", "reviewer"]


def names(answer: Any) -> dict[str, str]:
    return {one["name"]: one["source"] for one in answer.json()}


def put(site: Client, name: str, content: Any = TEXT) -> Any:
    body = {"content": content}
    return site.put(f"/api/v1/templates/{name}/", body, content_type="application/json")


def test_shipped_templates_are_listed_with_their_badges(site: Client) -> None:
    answer = site.get("/api/v1/templates/")
    assert names(answer) == dict.fromkeys(SHIPPED, "shipped")
    assert all(one["has_header"] and one["badges"] and not one["problems"] for one in answer.json())
    assert "content" not in answer.json()[0]


def test_a_template_is_made_read_replaced_and_removed(site: Client, post: Any) -> None:
    made = post("templates/", {"name": "scout", "content": TEXT})
    assert made.status_code == 201, made.content
    assert made.json()["source"] == "server"
    assert made.json()["content"] == TEXT
    assert made.json()["badges"] == [
        {"word": "read_repo", "kind": "ability", "meaning": "Reads the repository"}
    ]
    again = post("templates/", {"name": "scout", "content": TEXT})
    assert (again.status_code, again.json()["code"]) == (409, "template_refused")
    assert put(site, "scout", "# New\n").json()["content"] == "# New\n"
    assert site.get("/api/v1/templates/scout/").json()["has_header"] is False
    assert site.delete("/api/v1/templates/scout/").status_code == 204
    assert site.get("/api/v1/templates/scout/").status_code == 404
    assert site.delete("/api/v1/templates/scout/").status_code == 404


@pytest.mark.parametrize("how", ["post", "put"])
def test_a_shipped_template_is_hidden_and_uncovered_again(
    site: Client, post: Any, how: str
) -> None:
    if how == "post":
        assert post("templates/", {"name": "planner", "content": "# Ours"}).status_code == 201
    else:
        assert put(site, "planner", "# Ours").status_code == 200
    found = site.get("/api/v1/templates/planner/").json()
    assert (found["source"], found["hides"], found["content"]) == ("server", ["shipped"], "# Ours")
    assert site.delete("/api/v1/templates/planner/").status_code == 204
    assert site.get("/api/v1/templates/planner/").json()["source"] == "shipped"
    refused = site.delete("/api/v1/templates/planner/")
    assert (refused.status_code, refused.json()["code"]) == (409, "template_refused")


IMPOSSIBLE_NAMES: list[str] = ["a.b", "a b", "..", "é", "a" * 101, "a\n", " planner", ""]


def test_a_name_that_cannot_be_one_is_refused(site: Client, post: Any) -> None:
    for name in IMPOSSIBLE_NAMES:
        with failure_note(repr(name)[:200]):
            answer = post("templates/", {"name": name, "content": TEXT})
            assert (answer.status_code, answer.json()["where"]) == (400, "name")
            assert not RoleTemplate.objects.exists()


ADDRESSES: list[str] = ["a.b", "a%20b", "%2e%2e%2f%2e%2e%2fsecret", "..%5Csecret", "%00"]


def test_no_address_leads_out_of_the_templates(site: Client) -> None:
    for name in ADDRESSES:
        with failure_note(repr(name)[:200]):
            for answer in (
                site.get(f"/api/v1/templates/{name}/"),
                put(site, name),
                site.delete(f"/api/v1/templates/{name}/"),
            ):
                assert answer.status_code in (400, 404)
                assert answer.json()["message"]
            assert not RoleTemplate.objects.exists()


REFUSED_TEXTS: list[tuple[Any, str]] = [
    ("[template]\nname = scout\n\n# Scout", "TOML"),
    ("x" * (MAX_CONTENT + 1), "characters"),
    ("a\x00b", ""),
    ("\ud83d", ""),
    (["x"], ""),
    (None, ""),
]


def test_a_text_that_will_not_do_is_refused(site: Client) -> None:
    for content, told in REFUSED_TEXTS:
        with failure_note(repr(content)[:200]):
            answer = put(site, "scout", content)
            assert answer.status_code == 400
            assert told in answer.json()["message"]
            assert not RoleTemplate.objects.exists()


def test_a_pack_has_its_own_before_the_servers(site: Client, post: Any, ada: User) -> None:
    pack = create_from_sample("agent_graph/research-desk", owner=ada)
    put(site, "fact-checker", "# The server's")
    put(site, "scout", TEXT)
    found = names(site.get(f"/api/v1/packs/{pack.pk}/templates/"))
    assert found == {**dict.fromkeys(SHIPPED, "shipped"), "fact-checker": "pack", "scout": "server"}
    one = site.get(f"/api/v1/packs/{pack.pk}/templates/fact-checker/").json()
    assert (one["source"], one["hides"]) == ("pack", ["server"])
    assert site.get(f"/api/v1/packs/{pack.pk}/templates/nobody/").status_code == 404
    assert site.get("/api/v1/packs/999999/templates/").status_code == 404


def test_packs_of_other_dialects_have_the_servers(site: Client, ada: User) -> None:
    pack = create_from_sample("promptpack/blank", owner=ada)
    assert list(names(site.get(f"/api/v1/packs/{pack.pk}/templates/"))) == SHIPPED


def _asked(run: Any) -> str:
    """All events that the run has stored so far."""
    return json.dumps([row.fields for row in RunEvent.objects.filter(run=run).order_by("n")])


def test_a_run_keeps_the_servers_templates_as_they_were_when_it_began(
    site: Client, ada: User
) -> None:
    team = {"agent_graph": 1, "goal": "Go.", "nodes": [{"id": "a", "role": "scout"}]}
    files = Files.of({"team.agents.json": json.dumps(team).encode()})
    (pack,) = import_files(files, owner=ada).packs
    put(site, "scout", TEXT.replace("# Scout", "# Scout of the first hour"))
    options = {"templates": {"scout": "# Smuggled in"}}
    run = runs.start(pack, driver="manual", options=options, owner=ada)
    put(site, "scout", "# Scout of the second hour")
    assert run.options["templates"].keys() == {"scout"}
    assert "first hour" in _asked(run)
    later = runs.start(pack, driver="manual", options={}, owner=ada)
    assert "second hour" in _asked(later)
    assert "first hour" in json.dumps(program_of(run).definition.stored)
