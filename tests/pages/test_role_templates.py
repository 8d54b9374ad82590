"""Pages of the role templates of agent graphs: listed, overridden, edited, removed."""

from __future__ import annotations

import re

from django.test import Client

from workflows.core.prompts.role_templates.resolve import shipped
from workflows.models import RoleTemplate

PLANNER = "/templates/planner/"


def body(site: Client, address: str, **form: str) -> str:
    answer = site.post(address, form, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def was_in(page: str) -> str:
    found = re.search(r'name="was" value="(\w+)"', page)
    assert found is not None
    return found[1]


def test_every_template_is_listed_with_its_rights(site: Client) -> None:
    page = site.get("/templates/").content.decode()
    assert re.findall(r'data-template="(\w+)"', page) == sorted(shipped())
    assert 'title="May run commands"' in page
    found = site.get("/templates/", {"q": "spawn"}).content.decode()
    assert re.findall(r'data-template="(\w+)"', found) == ["orchestrator"]
    assert 'data-empty="search"' in site.get("/templates/", {"q": "zebra"}).content.decode()


def test_a_shipped_one_is_overridden_edited_and_uncovered(site: Client) -> None:
    assert " readonly>" in site.get(PLANNER).content.decode()
    page = body(site, PLANNER, content=shipped()["planner"])
    assert "over the shipped one" in page
    page = body(site, PLANNER, content="# Mine\r\n", was=was_in(page))
    assert RoleTemplate.objects.get().content == "# Mine\n"
    assert "only the settings of the node" in page
    assert "was removed" in body(site, f"{PLANNER}delete/")
    assert "shipped" in site.get(PLANNER).content.decode()
    assert "cannot be removed" in body(site, f"{PLANNER}delete/")


def test_a_new_one_begins_with_a_header_without_rights(site: Client) -> None:
    page = body(site, "/templates/", name="tester")
    assert "given no rights" in page
    assert "data-problem" not in page
    page = body(site, "/templates/", name="../up")
    assert 'class="notice error"' in page
    assert 'value="../up"' in page
    assert "already" in body(site, "/templates/", name="tester")


def test_header_errors_are_shown_and_the_text_is_kept(site: Client) -> None:
    broken = "[template]\nname = \n\n# Mine"
    page = body(site, PLANNER, content=broken)
    assert 'class="notice error"' in page
    assert "[template]\nname = \n\n# Mine" in page
    assert 'data-level="error"' in page
    assert not RoleTemplate.objects.exists()


def test_a_text_is_checked_without_being_stored(site: Client) -> None:
    text = '[template]\nname = "planner"\ncapabilities = ["run_commands"]\nodd = 1\n\nGo.'
    piece = body(site, f"{PLANNER}check/", content=text)
    assert "May run commands" in piece
    assert 'data-problem="unknown_key:odd"' in piece
    assert "<html" not in piece
    assert not RoleTemplate.objects.exists()


def test_a_concurrent_save_is_not_overwritten_without_a_warning(site: Client) -> None:
    first = body(site, PLANNER, content="One.")
    body(site, PLANNER, content="Two.", was=was_in(first))
    page = body(site, PLANNER, content="Three.", was=was_in(first))
    assert "Another person has saved" in page
    assert "Three." in page
    assert RoleTemplate.objects.get().content == "Two."
    body(site, PLANNER, content="Three.", was=was_in(page))
    assert RoleTemplate.objects.get().content == "Three."


def test_an_invalid_name_has_an_error_page(site: Client) -> None:
    assert site.get("/templates/nobody/").status_code == 404
    assert site.get("/templates/no.name/").status_code == 404
