"""A registry's prompts and schemas over HTTP, as the inspector shows and mends them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.server_fixtures import files_of
from workflows.actions.packs import create_from_sample
from workflows.models import Pack

STEP = "state:initial.read"


@pytest.fixture
def agent(ada: User) -> Pack:
    return create_from_sample("steps_registry/triage-bot", owner=ada)


def _form(site: Client, pack: Pack, element: str = STEP) -> Any:
    answer = site.get(f"/api/v1/packs/{pack.pk}/fields/", {"element": element})
    assert answer.status_code == 200
    return answer.json()


def _findings(site: Client, pack: Pack, code: str) -> list[Any]:
    listed = site.get(f"/api/v1/packs/{pack.pk}/findings/").json()
    return [found for found in listed if found["code"] == code]


def _edit(post: Any, pack: Pack, *edits: Any) -> Any:
    base = Pack.objects.get(pk=pack.pk).head
    answer = post(f"packs/{pack.pk}/edits/", {"base": base, "edits": list(edits)})
    assert answer.status_code in (200, 201), answer.json()
    return answer.json()


@pytest.mark.parametrize(
    ("label", "code"),
    [("Prompt file", "SR401"), ("Schema file", "SR301")],
    ids=["prompt", "schema"],
)
def test_a_file_that_goes_missing_is_offered_and_made_by_the_offer(
    site: Client, post: Any, agent: Pack, label: str, code: str
) -> None:
    links = {link["label"]: link["element"] for link in _form(site, agent)["links"]}
    element = links[label]
    path = element.removeprefix("file:")
    _edit(post, agent, {"type": "remove_file", "path": path})
    assert label not in {link["label"] for link in _form(site, agent)["links"]}
    offers = [found["fix"] for found in _findings(site, agent, code) if found["fix"]]
    assert offers
    _edit(post, agent, *offers[0]["edits"])
    assert _findings(site, agent, code) == []
    assert _form(site, agent, element)["values"]["text"] == files_of(agent)[path].decode()


def test_a_prompt_is_written_as_the_file_that_the_form_links_to(
    site: Client, post: Any, agent: Pack
) -> None:
    form = _form(site, agent)
    (element,) = [link["element"] for link in form["links"] if link["label"] == "Prompt file"]
    assert form["schema"]["properties"]["prompt"]["description"] in element
    text = "---\nname: Read\n---\nRead {uv-issue}, then answer next_action.\n"
    _edit(post, agent, {"type": "set_field", "element": element, "field": "/text", "value": text})
    shown = _form(site, agent)["values"]["prompt"]["text"]
    assert shown == "Read {uv-issue}, then answer next_action.\n"
