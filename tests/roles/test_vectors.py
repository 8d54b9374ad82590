"""Every vector of the specification, in its documented reading.

In that reading a text with `{% … %}` is plain (R11): the language itself does not render it. The
server passes a renderer for such texts, which `test_rendering.py` covers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from jsonschema import Draft202012Validator

from roles.core.assemble import assemble
from roles.core.memory import profile_block
from roles.core.problems import errors, warnings
from roles.core.prompt_config import problems, prompt_config
from roles.core.template_choice import select
from roles.core.templates import render
from roles.core.verdict import read_verdict
from roles.models import Role
from tests.roles.conftest import Ask
from tests.support.role_configs import config, files, vectors

INVALID = {
    "01-system-prompt-missing": [("/system_prompt", "missing")],
    "02-system-prompt-blank": [("/system_prompt", "empty")],
    "03-system-prompt-not-a-string": [("/system_prompt", "type")],
    "04-templates-missing": [("/templates", "missing")],
    "05-gate-eval-missing": [("/templates/gate_eval", "missing")],
    "06-template-not-a-string": [("/templates/chat_task", "type")],
    "07-output-templates-missing": [("/output_templates", "missing")],
    "08-gate-fail-missing": [("/output_templates/gate_fail", "missing")],
    "09-memory-focus-wrong-types": [
        ("/memory_profile/core_focus", "type"),
        ("/memory_profile/project_focus/1", "type"),
    ],
    "10-many-problems": [
        ("/system_prompt", "empty"),
        ("/developer_prompt", "type"),
        ("/templates/ticket_task", "missing"),
        ("/templates/chat_task", "missing"),
        ("/output_templates", "type"),
        ("/memory_profile", "type"),
    ],
}
WARNED = {
    "06-router": [("/templates/cron_task", "blank")],
    "10-many-problems": [
        ("/templates/gate_eval", "blank"),
        ("/templates/task_task", "unknown_key"),
    ],
}


def places(found: Any) -> list[tuple[str, str]]:
    return [(one.path, one.code) for one in found]


@pytest.mark.parametrize("path", [*files("valid"), *files("invalid")])
def test_a_config_has_exactly_these_problems(path: Path) -> None:
    found = problems(json.loads(path.read_text()))
    assert places(errors(found)) == INVALID.get(path.stem, [])
    assert places(warnings(found)) == WARNED.get(path.stem, [])


@pytest.mark.parametrize("path", [*files("valid"), *files("invalid")])
def test_the_schema_of_the_specification_agrees(path: Path) -> None:
    given = json.loads(path.read_text())
    schema = Draft202012Validator(config("schema.prompt_config.json"))
    assert schema.is_valid(given) == (not errors(problems(given)))


@pytest.mark.parametrize("one", vectors("render"))
def test_render(one: Any) -> None:
    variables = config(one["vars_file"]) if "vars_file" in one else one["vars"]
    rendered = render(one["template"], variables)
    assert (rendered.text, list(rendered.unknown)) == (one["rendered"], one["unknown"])


@pytest.mark.parametrize("one", vectors("select"))
def test_select(one: Any) -> None:
    found = select(one["step_type"], one["trigger"], config(one["config"])["templates"])
    assert (found.template, found.fallback) == (one["selected"], one["used_fallback"])


@pytest.mark.parametrize("one", vectors("assemble"))
def test_assemble(one: Any) -> None:
    """The vectors leave the output section out, so `task` stands for the user message."""
    mode = config(one["mode"])["prompt"]["system_addon"] if one["mode"] else ""
    messages = assemble(
        prompt_config(config(one["config"])),
        kind=one["step_type"],
        trigger=one["trigger"],
        variables=config(one["vars_file"]),
        addon=mode,
    )
    assert messages.system == one["system"]
    assert messages.developer == one["developer"]
    assert messages.task == one["user"]
    assert (messages.template, messages.fallback) == (one["template"], one["fallback"])


@pytest.mark.parametrize("one", vectors("memory_block"))
def test_memory_block(one: Any) -> None:
    assert profile_block(one["memory_profile"] or {}) == one["block"]


@pytest.mark.parametrize("one", vectors("gate"))
def test_gate(one: Any) -> None:
    outputs = config(one["config"])["output_templates"]
    found = read_verdict(one["final_text"], outputs, one["tool_verdict"])
    assert (found.verdict, found.decided_by) == (one["verdict"], one["decided_by"])


def stored(before: Any, ada: User) -> Role:
    """The role of a vector, with the system role that it names."""
    own_template = before["is_system"]
    source = None
    if before["source_role_id"] not in (None, "gone"):
        source = Role.objects.create(
            key="of-the-vector",
            name="Developer",
            is_system=True,
            prompt_config=config("valid/02-developer.json"),
        ).pk
    return Role.objects.create(
        key="itself" if own_template else "",
        owner=None if own_template else ada,
        name=before.get("name", "Role"),
        color=before.get("color", "#123456"),
        is_system=own_template,
        source_role_id=999_999_999 if before["source_role_id"] == "gone" else source,
        prompt_config=before["prompt_config"],
    )


def holds(answer: Any, promised: Any) -> None:
    """Promised keys exist; lists have exactly the promised items."""
    for key, value in promised.items():
        if isinstance(value, list):
            assert [
                {name: one[name] for name in told}
                for one, told in zip(answer[key], value, strict=True)
            ] == value
        else:
            assert answer[key] == value


@pytest.mark.parametrize("one", vectors("patch"))
def test_patch(one: Any, ada: User, ask: Ask) -> None:
    role = stored(one["role_before"], ada)
    answer = ask("PATCH", f"agent-roles/{role.pk}/prompt", one["body"])
    assert answer.status_code == one["status"], answer.content
    holds(answer.json(), one["response"])
    role.refresh_from_db()
    assert role.prompt_config == one["stored_prompt_config"]


@pytest.mark.parametrize("one", vectors("reset"))
def test_reset(one: Any, ada: User, ask: Ask) -> None:
    role = stored(one["role_before"], ada)
    answer = ask("POST", f"agent-roles/{role.pk}/reset")
    assert answer.status_code == one["status"], answer.content
    holds(answer.json(), one["response"])
    role.refresh_from_db()
    after = one["role_after"]
    assert role.prompt_config == after["prompt_config"]
    assert (role.name, role.color) == (after.get("name", role.name), after.get("color", role.color))
