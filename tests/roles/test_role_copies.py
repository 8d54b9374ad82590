"""System roles, and each person's own copies of them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.actions.copies import provide
from roles.actions.system_roles import load_system_roles
from roles.core.problems import errors
from roles.core.prompt_config import OUTPUT_TEMPLATES, TEMPLATES, problems
from roles.core.verdict import markers
from roles.models import Role, RoleRevision
from roles.system_role_files import Shipped, shipped_roles
from tests.roles.conftest import Ask
from tests.support.role_configs import config

KEYS = ["architect", "developer", "gatekeeper", "investigator", "reviewer", "writer"]
WRITER = config("valid/05-docs-writer-minimal.json")


def names(ask: Ask) -> list[str]:
    return [role["name"] for role in ask("GET", "agent-roles").json()["results"]]


def test_the_shipped_roles_are_these() -> None:
    assert [one.key for one in shipped_roles()] == KEYS


@pytest.mark.parametrize("shipped", shipped_roles(), ids=lambda one: one.key)
def test_a_shipped_role_is_whole(shipped: Shipped) -> None:
    assert problems(shipped.prompt_config) == ()
    assert set(shipped.prompt_config["templates"]) == set(TEMPLATES)
    assert set(shipped.prompt_config["output_templates"]) == set(OUTPUT_TEMPLATES)
    assert all(shipped.prompt_config["memory_profile"].values())
    passing, failing = markers(shipped.prompt_config["output_templates"]) or ("", "")
    assert passing != failing
    assert passing.isupper()
    assert failing.isupper()


def test_each_user_gets_their_own_copies_on_first_use(ask: Ask, ada: User, bob: User) -> None:
    assert [name.lower() for name in names(ask)] == KEYS
    provide(bob)
    sources = {row.pk for row in Role.objects.filter(is_system=True)}
    for person in (ada, bob):
        copies = Role.objects.filter(owner=person)
        assert {copy.source_role_id for copy in copies} == sources
    assert len(names(ask)) == len(KEYS)
    listed = ask("GET", "agent-roles?kind=all").json()
    assert listed["count"] == 2 * len(KEYS)
    assert ask("GET", "agent-roles?kind=system&q=architect").json()["count"] == 1


def test_a_copy_gets_an_unused_name(ask: Ask) -> None:
    ask("POST", "agent-roles", {"name": "Writer", "prompt_config": WRITER})
    assert [name for name in names(ask) if name.startswith("Writer")] == ["Writer", "Writer 2"]


def test_a_deleted_copy_comes_back_at_the_next_sign_in(ask: Ask, site: Client, ada: User) -> None:
    names(ask)
    copy = Role.objects.get(owner=ada, name="Writer")
    ask("PATCH", f"agent-roles/{copy.pk}/prompt", {"prompt_config": WRITER})
    assert ask("DELETE", f"agent-roles/{copy.pk}").status_code == 204
    assert "Writer" not in names(ask)
    kept = Role.objects.get(owner=ada, name="Developer")
    ask("PATCH", f"agent-roles/{kept.pk}/prompt", {"prompt_config": WRITER})
    site.force_login(ada)
    assert "Writer" in names(ask)
    assert Role.objects.get(owner=ada, name="Writer").prompt_config != WRITER
    kept.refresh_from_db()
    assert kept.prompt_config == WRITER


def test_edits_stay_private(ask: Ask, ada: User, bob: User) -> None:
    names(ask)
    provide(bob)
    copy = Role.objects.get(owner=ada, name="Writer")
    ask("PATCH", f"agent-roles/{copy.pk}/prompt", {"prompt_config": WRITER})
    theirs = Role.objects.get(owner=bob, name="Writer")
    assert theirs.prompt_config == Role.objects.get(key="writer").prompt_config != WRITER


def test_system_roles_follow_the_files(
    ask: Ask, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    names(ask)
    before = Role.objects.get(key="writer")
    new = [
        Shipped(key="writer", name="Scribe", description="", color="#000000", prompt_config=WRITER),
        Shipped(key="tester", name="Tester", description="", color="#111111", prompt_config=WRITER),
    ]
    monkeypatch.setattr("roles.actions.system_roles.shipped_roles", lambda: tuple(new))
    load_system_roles()
    load_system_roles()
    after = Role.objects.get(key="writer")
    assert (after.pk, after.name, after.revision) == (before.pk, "Scribe", before.revision + 1)
    assert RoleRevision.objects.filter(role=after).count() == 2
    assert set(Role.objects.filter(is_system=True).values_list("key", flat=True)) == {
        "writer",
        "tester",
    }
    assert "Tester" in names(ask)
    copy = Role.objects.get(owner=ada, name="Writer")
    assert copy.prompt_config == before.prompt_config
    reset = ask("POST", f"agent-roles/{copy.pk}/reset")
    assert (reset.status_code, reset.json()["prompt_config"]) == (200, WRITER)
    assert reset.json()["revision"] == 2
    assert ask("POST", f"agent-roles/{copy.pk}/reset").json()["revision"] == 2
    orphan = Role.objects.get(owner=ada, name="Architect")
    gone = ask("POST", f"agent-roles/{orphan.pk}/reset")
    assert (gone.status_code, gone.json()["code"]) == (409, "template_missing")


def test_a_reset_heeds_who_was_first(ask: Ask, ada: User) -> None:
    names(ask)
    copy = Role.objects.get(owner=ada, name="Writer")
    old = ask("GET", f"agent-roles/{copy.pk}/prompt").headers["ETag"]
    ask("PATCH", f"agent-roles/{copy.pk}/prompt", {"prompt_config": WRITER})
    late = ask("POST", f"agent-roles/{copy.pk}/reset", HTTP_IF_MATCH=old)
    assert late.status_code == 412


def test_no_error_hides_in_a_stored_system_role(db: None) -> None:
    for row in Role.objects.filter(is_system=True):
        assert errors(problems(row.prompt_config)) == ()
