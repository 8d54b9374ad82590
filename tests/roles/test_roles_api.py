"""Roles over HTTP: whose they are, what is refused, what is kept."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from roles.actions import roles as actions
from roles.models import Role, RoleRevision
from roles.selectors import role_for_run
from tests.roles.conftest import Ask
from tests.support.role_configs import config, with_text

DEVELOPER = config("valid/02-developer.json")
WRITER = config("valid/05-docs-writer-minimal.json")
MERGE = "application/merge-patch+json"


def test_a_role_is_made_read_changed_and_deleted(ask: Ask, ada: User) -> None:
    made = ask(
        "POST",
        "agent-roles",
        {"name": " Night  watch ", "color": "#00AA88", "prompt_config": WRITER, "else": 1},
    )
    assert made.status_code == 201
    role = made.json()
    assert (role["name"], role["created_by"], role["is_system"]) == ("Night watch", "ada", False)
    assert (role["source_role_id"], role["revision"]) == (None, 1)
    address = f"agent-roles/{role['id']}"
    read = ask("GET", address)
    assert read.json() == role
    assert read.headers["ETag"] == made.headers["ETag"]
    changed = ask("PATCH", address, {"description": "At night", "platform_scopes": ["a:read"]})
    assert changed.json()["description"] == "At night"
    assert changed.json()["revision"] == 1
    assert changed.headers["ETag"] != made.headers["ETag"]
    assert ask("GET", f"{address}/platform-scopes").json() == {"platform_scopes": ["a:read"]}
    scoped = ask("PATCH", f"{address}/platform-scopes", {"platform_scopes": []})
    assert scoped.json() == {"platform_scopes": []}
    assert ask("DELETE", address).status_code == 204
    assert ask("GET", address).status_code == 404


def test_all_errors_of_a_new_role_are_returned(ask: Ask) -> None:
    answer = ask(
        "POST",
        "agent-roles",
        {
            "name": "",
            "color": "red",
            "platform_scopes": ["a", "a", 7],
            "prompt_config": config("invalid/09-memory-focus-wrong-types.json"),
        },
    )
    assert answer.status_code == 422
    refusal = answer.json()
    assert refusal["code"] == "validation_error"
    assert [(one["path"], one["code"]) for one in refusal["details"]] == [
        ("/name", "empty"),
        ("/color", "type"),
        ("/platform_scopes/1", "duplicate"),
        ("/platform_scopes/2", "type"),
        ("/prompt_config/memory_profile/core_focus", "type"),
        ("/prompt_config/memory_profile/project_focus/1", "type"),
    ]
    assert refusal["where"] == "/name"
    assert not Role.objects.filter(is_system=False).exists()


@pytest.mark.parametrize("body", [[], "x", 7, None])
def test_a_body_that_is_no_object_is_refused(ask: Ask, mine: Role, body: Any) -> None:
    for method, path in (
        ("POST", "agent-roles"),
        ("PATCH", f"agent-roles/{mine.pk}"),
        ("PATCH", f"agent-roles/{mine.pk}/prompt"),
        ("PATCH", f"agent-roles/{mine.pk}/platform-scopes"),
        ("POST", f"agent-roles/{mine.pk}/preview"),
        ("POST", "modes"),
    ):
        answer = ask(method, path, body)
        fits = (method, path, body) == ("PATCH", f"agent-roles/{mine.pk}", None)
        assert answer.status_code == (200 if fits else 422), (path, answer.content)


def test_names_are_unique_per_person(ask: Ask, mine: Role, bob: User) -> None:
    assert actions.create({"name": "Mine", "prompt_config": WRITER}, bob)
    taken = ask("POST", "agent-roles", {"name": "Mine", "prompt_config": WRITER})
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    other = ask("POST", "agent-roles", {"name": "Other", "prompt_config": WRITER}).json()
    taken = ask("PATCH", f"agent-roles/{other['id']}", {"name": "Mine"})
    assert (taken.status_code, taken.json()["where"]) == (409, "/name")
    assert ask("PATCH", f"agent-roles/{other['id']}", {"name": "Other"}).status_code == 200


def test_a_system_role_can_be_read_and_not_changed(ask: Ask) -> None:
    system = Role.objects.get(key="developer")
    assert ask("GET", f"agent-roles/{system.pk}").json()["created_by"] is None
    assert ask("GET", f"agent-roles/{system.pk}/prompt").status_code == 200
    for method, path, body in (
        ("PATCH", "", {"name": "x"}),
        ("DELETE", "", None),
        ("PATCH", "/prompt", {"prompt_config": WRITER}),
        ("PATCH", "/prompt", {}),
        ("PATCH", "/platform-scopes", {"platform_scopes": []}),
        ("POST", "/revisions/1/restore", None),
    ):
        answer = ask(method, f"agent-roles/{system.pk}{path}", body)
        assert (answer.status_code, answer.json()["code"]) == (403, "system_role_read_only"), path
    assert ask("POST", f"agent-roles/{system.pk}/reset").status_code == 409


def test_two_people_at_one_prompt_do_not_overwrite_each_other(ask: Ask, mine: Role) -> None:
    address = f"agent-roles/{mine.pk}/prompt"
    read = ask("GET", address).headers["ETag"]
    first = ask("PATCH", address, {"prompt_config": WRITER}, HTTP_IF_MATCH=read)
    assert first.status_code == 200
    assert first.headers["ETag"] != read
    late = ask("PATCH", address, {"prompt_config": DEVELOPER}, HTTP_IF_MATCH=read)
    assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
    assert ask("GET", address).json()["prompt_config"] == WRITER
    for header in (f'"other", {first.headers["ETag"]}', "*"):
        again = ask("PATCH", address, {"prompt_config": WRITER}, HTTP_IF_MATCH=header)
        assert again.status_code == 200
    weak = ask("PATCH", address, {"prompt_config": DEVELOPER}, HTTP_IF_MATCH=f"W/{read}")
    assert weak.status_code == 412
    assert ask("PATCH", address, {"prompt_config": DEVELOPER}).status_code == 200
    assert ask("GET", address).headers["ETag"] == read


def test_a_new_colour_outdates_the_role_and_not_its_prompt(ask: Ask, mine: Role) -> None:
    role = ask("GET", f"agent-roles/{mine.pk}").headers["ETag"]
    prompt = ask("GET", f"agent-roles/{mine.pk}/prompt").headers["ETag"]
    ask("PATCH", f"agent-roles/{mine.pk}", {"color": "#ffffff"})
    body = {"prompt_config": WRITER}
    stale = ask("PATCH", f"agent-roles/{mine.pk}", {"color": "#000000"}, HTTP_IF_MATCH=role)
    assert stale.status_code == 412
    assert ask("DELETE", f"agent-roles/{mine.pk}", HTTP_IF_MATCH=role).status_code == 412
    fresh = ask("PATCH", f"agent-roles/{mine.pk}/prompt", body, HTTP_IF_MATCH=prompt)
    assert fresh.status_code == 200


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"developer_prompt": "Only this"}, {**DEVELOPER, "developer_prompt": "Only this"}),
        (
            {"templates": {"cron_task": None}},
            {**DEVELOPER, "templates": {
                key: text for key, text in DEVELOPER["templates"].items() if key != "cron_task"
            }},
        ),
        (
            {"memory_profile": {"core_focus": ["new"]}},
            {**DEVELOPER, "memory_profile": {**DEVELOPER["memory_profile"], "core_focus": ["new"]}},
        ),
        ({}, DEVELOPER),
    ],
)  # fmt: skip
def test_a_merge_patch_is_merged(ask: Ask, mine: Role, patch: Any, expected: Any) -> None:
    address = f"agent-roles/{mine.pk}/prompt"
    answer = ask("PATCH", address, {"prompt_config": patch}, content_type=MERGE)
    assert answer.status_code == 200, answer.content
    assert answer.json()["prompt_config"] == expected


@pytest.mark.parametrize(
    ("patch", "wrong"),
    [
        (
            {"prompt_config": {"templates": {"chat_task": None}}},
            "/prompt_config/templates/chat_task",
        ),
        ({"prompt_config": {"system_prompt": " "}}, "/prompt_config/system_prompt"),
        ({"prompt_config": None}, "/prompt_config"),
        ({"developer_prompt": "no envelope"}, "/prompt_config"),
    ],
)
def test_the_result_of_a_merge_patch_is_validated(
    ask: Ask, mine: Role, patch: Any, wrong: str
) -> None:
    answer = ask("PATCH", f"agent-roles/{mine.pk}/prompt", patch, content_type=MERGE)
    assert answer.status_code == 422
    assert [one["path"] for one in answer.json()["details"]] == [wrong]
    mine.refresh_from_db()
    assert mine.prompt_config == DEVELOPER


def test_every_save_is_a_revision_that_can_be_compared_and_restored(ask: Ask, mine: Role) -> None:
    address = f"agent-roles/{mine.pk}"
    new = {**DEVELOPER, "system_prompt": "You are terse."}
    del new["memory_profile"]
    assert ask("PATCH", f"{address}/prompt", {"prompt_config": new}).json()["revision"] == 2
    assert ask("PATCH", f"{address}/prompt", {"prompt_config": new}).json()["revision"] == 2
    listed = ask("GET", f"{address}/revisions").json()["results"]
    assert [(one["number"], one["reason"], one["current"]) for one in listed] == [
        (2, "edited", True),
        (1, "created", False),
    ]
    difference = ask("GET", f"{address}/diff").json()
    assert (difference["from"], difference["to"]) == (1, 2)
    assert [(one["path"], one["kind"]) for one in difference["changes"]] == [
        ("/system_prompt", "changed"),
        ("/memory_profile", "removed"),
    ]
    assert difference["changes"][0]["lines"][-1] == "+You are terse."
    assert ask("GET", f"{address}/diff?from=2&to=2").json()["changes"] == []
    back = ask("POST", f"{address}/revisions/1/restore").json()
    assert (back["revision"], back["prompt_config"]) == (3, DEVELOPER)
    assert ask("GET", f"{address}/revisions/3").json()["reason"] == "restored 1"
    assert ask("POST", f"{address}/revisions/9/restore").status_code == 404
    assert ask("GET", f"{address}/diff?from=x").status_code == 400
    assert ask("GET", f"{address}/diff?from=1&to=77").status_code == 404


def test_a_revision_from_before_a_rule_is_not_brought_back(ask: Ask, mine: Role) -> None:
    RoleRevision.objects.filter(role=mine).update(prompt_config={"system_prompt": "x"})
    answer = ask("POST", f"agent-roles/{mine.pk}/revisions/1/restore")
    assert answer.status_code == 422
    assert [one["path"] for one in answer.json()["details"]] == [
        "/prompt_config/templates",
        "/prompt_config/output_templates",
    ]


def test_a_preview_is_exactly_what_would_be_sent(ask: Ask, mine: Role) -> None:
    answer = ask(
        "POST",
        f"agent-roles/{mine.pk}/preview",
        {
            "task_type": "ticket_task",
            "context": {"ticket": {"title": "Say hello"}, "project": {"name": "Greeter"}},
            "system_addon": "As {{ role_local.name }} on {{ project.name }}.",
        },
    )
    assert answer.status_code == 200
    shown = answer.json()
    assert shown["template"] == "ticket_task"
    assert shown["task"].startswith("Implement Say hello.")
    assert shown["user"] == f"{shown['task']}\n\n{shown['output']}"
    assert "\n\nAs Mine on Greeter.\n\n<memory-profile>" in shown["developer"]
    assert shown["system_and_developer"] == f"{shown['system']}\n\n{shown['developer']}"
    assert {one["path"] for one in shown["warnings"]} == {"/templates/ticket_task"}
    assert "`git.branch` has no value in this step." in [
        one["message"] for one in shown["warnings"]
    ]
    assert shown["tokens"]["total"] == sum(
        shown["tokens"][part] for part in ("system", "developer", "user")
    )
    assert shown["tokens"]["estimate"] is True


def test_a_preview_shows_the_fallback_and_a_draft(ask: Ask, mine: Role) -> None:
    draft = {**WRITER, "system_prompt": "Draft {{ ticket.title }}"}
    shown = ask(
        "POST",
        f"agent-roles/{mine.pk}/preview",
        {"task_type": "cron_task", "prompt_config": draft, "context": {}},
    ).json()
    assert (shown["template"], shown["fallback"]) == ("ticket_task", True)
    assert shown["system"] == "Draft "
    assert [(one["path"], one["code"]) for one in shown["problems"]] == [
        ("/system_prompt", "unknown_variable")
    ]
    mine.refresh_from_db()
    assert mine.prompt_config == DEVELOPER


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({}, ["/task_type"]),
        ({"task_type": "task_task"}, ["/task_type"]),
        ({"task_type": [], "context": []}, ["/task_type", "/context"]),
        ({"task_type": "chat_task", "context": {"chat": "hi"}}, ["/context/chat"]),
        ({"task_type": "chat_task", "mode": True}, ["/mode"]),
        ({"task_type": "chat_task", "system_addon": 1}, ["/system_addon"]),
        (
            {"task_type": "chat_task", "prompt_config": {**WRITER, "templates": {}}},
            [
                f"/prompt_config/templates/{key}"
                for key in ("ticket_task", "chat_task", "gate_eval")
            ],
        ),
    ],
)
def test_all_errors_of_a_preview_are_returned(
    ask: Ask, mine: Role, body: Any, wrong: list[str]
) -> None:
    answer = ask("POST", f"agent-roles/{mine.pk}/preview", body)
    assert answer.status_code == 422
    assert [one["path"] for one in answer.json()["details"]] == wrong


def test_a_template_bomb_in_a_preview_is_reported_at_its_place(ask: Ask, mine: Role) -> None:
    bomb = with_text("/templates/chat_task", "{% if 1 %}{{ 'a' * 10**10 }}{% endif %}")
    address = f"agent-roles/{mine.pk}/preview"
    answer = ask("POST", address, {"task_type": "chat_task", "prompt_config": bomb})
    assert (answer.status_code, answer.json()["code"]) == (422, "cannot_render")
    assert answer.json()["where"] == "/prompt_config/templates/chat_task"
    assert "memory" in answer.json()["message"]
    well = with_text("/templates/chat_task", "{% if 1 %}well{% endif %}")
    shown = ask("POST", address, {"task_type": "chat_task", "prompt_config": well}).json()
    assert shown["task"] == "well"


def test_a_run_takes_a_role_along_as_it_is(ask: Ask, mine: Role, ada: User, bob: User) -> None:
    from roles.errors import NotThere

    taken = role_for_run(mine.pk, ada)
    assert taken == {
        "id": mine.pk,
        "name": "Mine",
        "description": "",
        "revision": 1,
        "prompt_config": DEVELOPER,
        "color": "#6b7280",
    }
    ask("PATCH", f"agent-roles/{mine.pk}/prompt", {"prompt_config": WRITER})
    assert taken["prompt_config"] == DEVELOPER
    assert role_for_run(mine.pk, None)["revision"] == 2
    with pytest.raises(NotThere):
        role_for_run(mine.pk, bob)
    assert role_for_run(Role.objects.get(key="writer").pk, bob)["name"] == "Writer"


def test_variables_are_listed_for_completion(ask: Ask) -> None:
    listed = {one["name"]: one for one in ask("GET", "agent-roles/variables").json()}
    assert listed["gate.criteria"]["places"] == [
        "/templates/gate_eval",
        "/output_templates/gate_pass",
        "/output_templates/gate_fail",
    ]
    assert listed["step.metadata"]["example"] == {"strict": True}


@pytest.mark.parametrize("query", ["kind=mine", "q=%00", "kind=%00", "q=" + "x" * 1_001])
def test_a_query_that_cannot_be_read_is_refused(ask: Ask, query: str) -> None:
    assert ask("GET", f"agent-roles?{query}").status_code == 400
