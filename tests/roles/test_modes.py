"""Modes: their manifests, and how long one lasts."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from roles.core.modes import addon_of, problems
from roles.models import Role
from roles.selectors import mode_for_run
from tests.roles.conftest import Ask
from tests.support.role_configs import config

AUTHORING = config("modes/prd-authoring.json")


def test_a_mode_lasts_for_its_turns() -> None:
    manifest = {**AUTHORING, "session": {"max_turns": 2}}
    assert addon_of(manifest, turns=1) == AUTHORING["prompt"]["system_addon"]
    assert addon_of(manifest, turns=2) == ""
    assert addon_of(AUTHORING, turns=50) == ""


@pytest.mark.parametrize(
    ("manifest", "wrong"),
    [
        (AUTHORING, []),
        ({"mode_type": "custom"}, []),
        ([], [("", "type")]),
        ({}, [("/mode_type", "missing")]),
        ({"mode_type": "play", "schema_version": 2},
         [("/schema_version", "version"), ("/mode_type", "choice")]),
        ({"mode_type": "review", "prompt": {"system_addon": 1, "guidelines": "x"}},
         [("/prompt/system_addon", "type"), ("/prompt/guidelines", "type")]),
        ({"mode_type": "review", "tools": {"allow": ["a", 1]}}, [("/tools/allow/1", "type")]),
        ({"mode_type": "review", "session": {"max_turns": 0}}, [("/session/max_turns", "type")]),
        ({"mode_type": "review", "session": {"max_turns": True}}, [("/session/max_turns", "type")]),
        ({"mode_type": "review", "prompt": "x"}, [("/prompt", "type")]),
        ({"mode_type": "review", "prompt": {"system_addon": "{% if %}"}},
         [("/prompt/system_addon", "syntax")]),
        ({"mode_type": "review", "prompt": {"system_addon": "{{ ticket.title }}"}},
         [("/prompt/system_addon", "unknown_variable")]),
        ({"mode_type": "review", "theme": 1}, [("/theme", "unknown_key")]),
        ({"mode_type": "re\0view"}, [("/mode_type", "characters")]),
    ],
)  # fmt: skip
def test_a_manifest_has_exactly_these_problems(manifest: Any, wrong: list[Any]) -> None:
    assert [(one.path, one.code) for one in problems(manifest)] == wrong


def test_modes_are_made_changed_used_and_deleted(ask: Ask, mine: Role, ada: User) -> None:
    made = ask("POST", "modes", {"name": "Spec", "manifest": AUTHORING})
    assert made.status_code == 201, made.content
    number = made.json()["id"]
    assert ask("POST", "modes", {"name": "Spec", "manifest": AUTHORING}).status_code == 409
    assert ask("GET", "modes").json()["count"] == 1
    assert ask("GET", f"modes/{number}").json()["manifest"] == AUTHORING
    body = {"task_type": "chat_task", "context": {"chat": {"message": "hi"}}, "mode": number}
    shown = ask("POST", f"agent-roles/{mine.pk}/preview", body).json()
    assert AUTHORING["prompt"]["system_addon"] in shown["developer"]
    wrong = ask("PATCH", f"modes/{number}", {"manifest": {"mode_type": "x"}, "name": ""})
    assert [one["path"] for one in wrong.json()["details"]] == ["/name", "/manifest/mode_type"]
    assert ask("PATCH", f"modes/{number}", {"name": "Specify"}).json()["name"] == "Specify"
    assert mode_for_run(number, ada) == {"id": number, "name": "Specify", "manifest": AUTHORING}
    assert ask("DELETE", f"modes/{number}").status_code == 204
    assert ask("POST", f"agent-roles/{mine.pk}/preview", body).status_code == 404


def test_an_addon_at_the_top_level_is_used() -> None:
    manifest = {"schema_version": 1, "mode_type": "custom", "system_addon": "Be brief."}
    assert not problems(manifest)
    assert addon_of(manifest) == "Be brief."
    both = {**manifest, "prompt": {"system_addon": "Be exact."}}
    assert addon_of(both) == "Be exact."
    (wrong,) = problems({**manifest, "system_addon": 3})
    assert (wrong.path, wrong.level) == ("/system_addon", "error")
