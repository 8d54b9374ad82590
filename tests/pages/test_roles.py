"""Pages around roles: listed, made, copied, deleted; memory and modes. All but the editor works
without a script."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.actions.copies import provide
from roles.core.new_role import blank_config
from roles.core.prompt_config import problems
from roles.models import Memory, Mode, Role
from roles.views.modes import PARTS
from workflows.models import Pack, State


@pytest.fixture
def send(site: Client) -> Any:
    """Send a form; returns the next page."""

    def post(address: str, **form: Any) -> str:
        answer = site.post(f"/roles/{address}", form, follow=True)
        assert answer.status_code == 200
        return answer.content.decode()

    return post


@pytest.fixture
def mine(ada: User) -> Role:
    """Ada's copy of the reviewer."""
    provide(ada)
    return Role.objects.get(owner=ada, name="Reviewer")


def shown(page: str) -> list[str]:
    return re.findall(r'data-role="([^"]+)"', page)


def row_of(page: str, name: str) -> str:
    return page.split(f'data-role="{name}"')[1].split("</tr>")[0]


def test_each_user_has_their_own_copies(site: Client) -> None:
    page = site.get("/roles/").content.decode()
    assert shown(page) == re.findall(r'data-system-role="([^"]+)"', page)
    assert page.count("unchanged") == len(shown(page)) == 6
    assert "data-confirm" not in page


def test_roles_are_searched(site: Client) -> None:
    page = site.get("/roles/", {"q": "REVIEW"}).content.decode()
    assert shown(page) == ["Reviewer"]
    assert 'data-empty="search"' in site.get("/roles/", {"q": "zebra\0"}).content.decode()


def test_a_user_without_roles_sees_the_empty_state(site: Client, send: Any) -> None:
    site.get("/roles/")
    for role in Role.objects.filter(is_system=False):
        page = send("change/", do="delete", role=role.pk)
    assert 'data-empty="roles"' in page


def test_a_role_is_made_from_a_blank_a_system_role_or_ones_own(send: Any, mine: Role) -> None:
    assert problems(blank_config()) == ()
    assert "role-editor" in send("change/", do="new", name="Blank", **{"from": "blank"})
    assert Role.objects.get(name="Blank").prompt_config == blank_config()
    send("change/", do="new", name="Mine", **{"from": mine.source_role_id})
    made = Role.objects.get(name="Mine")
    assert (made.color, made.prompt_config) == (mine.color, mine.prompt_config)
    assert not made.is_system
    send("change/", do="copy", role=mine.pk)
    assert Role.objects.get(name="Reviewer 2").prompt_config == mine.prompt_config


def test_a_taken_name_is_reported_and_the_form_is_kept(send: Any, mine: Role) -> None:
    page = send("change/", do="new", name="Reviewer", **{"from": mine.source_role_id})
    assert "already" in page
    assert 'value="Reviewer"' in page
    assert f'<option value="{mine.source_role_id}" selected>' in page


def test_deleting_asks_for_confirmation_and_lists_the_losses(site: Client, mine: Role) -> None:
    Role.objects.filter(pk=mine.pk).update(revision=3)
    Memory.objects.create(role=mine, scope="core", namespace="x", fact="F", category="c")
    page = site.get("/roles/").content.decode()
    asks = row_of(page, "Reviewer")
    assert "3 revisions" in asks
    assert "The fact in its own memory will be deleted" in asks
    assert "Your changes will be lost" not in asks
    assert "data-confirm" not in row_of(page, "Writer")
    Role.objects.filter(name="Writer", owner=mine.owner).update(description="Mine.")
    assert "Your changes will be lost" in row_of(site.get("/roles/").content.decode(), "Writer")


def test_a_role_shows_its_number_of_states(
    site: Client, mine: Role, pack: Pack, django_assert_max_num_queries: Any
) -> None:
    bound = {"role": mine.pk, "name": "Reviewer"}
    for state in State.objects.filter(pack=pack)[:2]:
        State.objects.filter(pk=state.pk).update(bound=bound)
    page = site.get("/roles/").content.decode()
    assert "2 states" in row_of(page, "Reviewer")
    assert "do not start" in row_of(page, "Reviewer")
    assert "state" not in re.sub(r"<[^>]+>", "", row_of(page, "Writer"))
    with django_assert_max_num_queries(25):
        site.get("/roles/")


@pytest.mark.parametrize(
    "form", [{}, {"do": "paint"}, {"do": "delete", "role": "x"}, {"do": "new", "from": "9" * 20}]
)
def test_invalid_forms_are_reported(send: Any, form: dict[str, str]) -> None:
    assert 'class="notice error"' in send("change/", **form)


def test_a_system_role_is_not_deleted(send: Any, mine: Role) -> None:
    page = send("change/", do="delete", role=mine.source_role_id)
    assert "cannot be changed" in page
    assert Role.objects.filter(pk=mine.source_role_id).exists()


def test_the_editor_gets_the_task_of_each_step(site: Client, mine: Role) -> None:
    page = site.get(f"/roles/{mine.pk}/").content.decode()
    found = re.search(r'id="role-editor" type="application/json">(.*?)</script>', page)
    assert found is not None
    editor = json.loads(found[1])
    assert editor["id"] == mine.pk
    assert editor["tasks"]["agent"] == {
        "ticket": "ticket_task",
        "webhook": "ticket_task",
        "cron": "cron_task",
        "chat": "chat_task",
    }
    assert set(editor["tasks"]["gate"].values()) == {"gate_eval"}
    assert "terminal" not in editor["kinds"]


def test_a_fact_is_added_found_corrected_and_forgotten(site: Client, send: Any, mine: Role) -> None:
    assert 'data-empty="memory"' in site.get("/roles/memory/").content.decode()
    fact = {"fact": "Tests run with make test.", "category": "tools", "confidence": "0.8"}
    send("memory/change/", do="add", scope="project", role=mine.pk, project="Greeter", **fact)
    row = Memory.objects.get()
    assert (row.role, row.project, row.confidence) == (mine, "Greeter", 0.8)
    for query in ({"q": "make"}, {"role": mine.pk}, {"project": "Greeter"}, {"scope": "project"}):
        assert f'data-memory="{row.pk}"' in site.get("/roles/memory/", query).content.decode()
    for query in ({"q": "zebra"}, {"role": 0}, {"project": "X"}, {"scope": "core"}):
        assert 'data-empty="search"' in site.get("/roles/memory/", query).content.decode()
    send("memory/change/", do="change", memory=row.pk, **{**fact, "fact": "No: make check."})
    row.refresh_from_db()
    assert row.fact == "No: make check."
    send("memory/change/", do="delete", memory=row.pk)
    assert not Memory.objects.exists()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"scope": "core"}, "needs a role"),
        ({"scope": "shared"}, "needs a project"),
        ({"scope": "moon"}, "The scope is one of"),
        ({"scope": "shared", "project": "P\0"}, "plain text"),
        ({"scope": "shared", "project": "P", "confidence": "very"}, "not a number from 0 to 1"),
        ({"scope": "shared", "project": "P", "confidence": "7"}, "from 0 to 1"),
        ({"scope": "shared", "project": "P", "category": " "}, "must not be blank"),
    ],
    ids=["no-role", "no-project", "scope", "nul", "words", "too-sure", "blank"],
)
def test_a_fact_that_is_refused_is_not_lost(send: Any, form: dict[str, str], sentence: str) -> None:
    given = {"fact": "Kept in the form.", "category": "c", **form}
    page = send("memory/change/", do="add", **given)
    assert sentence in page.replace("&#x27;", "'")
    assert "Kept in the form." in page
    assert not Memory.objects.exists()


def mode_form(**fields: str) -> dict[str, str]:
    blank = {f"{part}.{name}": "" for part, _, rows in PARTS for name, *_ in rows}
    return {**blank, "name": "Writing", "mode_type": "authoring", **fields}


def test_a_mode_is_made_filled_in_and_deleted(site: Client, send: Any, ada: User) -> None:
    assert 'data-empty="modes"' in site.get("/roles/modes/").content.decode()
    send("modes/change/", do="new", name="Writing", mode_type="authoring")
    mode = Mode.objects.get()
    mode.manifest["prompt"] = {"own_key": [1]}
    mode.save()
    form = mode_form(
        **{
            "prompt.system_addon": "Write for {{ project.name }}.\r\nShortly.",
            "prompt.guidelines": "One\r\n\r\nTwo",
            "session.max_turns": "7",
        }
    )
    assert "was saved" in send(f"modes/{mode.pk}/", **form)
    mode.refresh_from_db()
    assert mode.manifest == {
        "schema_version": 1,
        "mode_type": "authoring",
        "prompt": {
            "own_key": [1],
            "system_addon": "Write for {{ project.name }}.\nShortly.",
            "guidelines": ["One", "Two"],
        },
        "session": {"max_turns": 7},
    }
    page = site.get(f"/roles/modes/{mode.pk}/").content.decode()
    assert 'data-problem="unknown_key"' in page
    send("modes/change/", do="delete", mode=mode.pk)
    assert not Mode.objects.exists()


def test_a_refused_mode_shows_the_place_and_loses_nothing(send: Any, ada: User) -> None:
    mode = Mode.objects.create(owner=ada, name="Old", manifest={"mode_type": "custom"})
    bad = {"session.max_turns": "many", "prompt.system_addon": "{% if %}"}
    page = send(f"modes/{mode.pk}/", **mode_form(**bad))
    assert page.count('aria-invalid="true"') == 2
    assert 'value="many"' in page
    assert "{% if %}" in page
    mode.refresh_from_db()
    assert (mode.name, mode.manifest) == ("Old", {"mode_type": "custom"})


def test_modes_of_other_users_are_not_found(site: Client, bob: User) -> None:
    mode = Mode.objects.create(owner=bob, name="Theirs", manifest={"mode_type": "custom"})
    assert site.get(f"/roles/modes/{mode.pk}/").status_code == 404
    site.post("/roles/modes/change/", {"do": "delete", "mode": mode.pk})
    assert Mode.objects.exists()
