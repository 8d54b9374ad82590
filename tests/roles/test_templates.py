"""The prompt language, and the variables of each text of a config."""

from __future__ import annotations

from typing import Any

import pytest

from roles.core.assemble import CannotAssemble, assemble
from roles.core.jinja_syntax import LONGEST, BadProgram, named
from roles.core.problems import warnings
from roles.core.prompt_config import BadPromptConfig, problems, prompt_config
from roles.core.templates import Rendered, TemplateStopped, nested, render
from roles.core.tokens import estimate
from roles.core.variables import EVERYWHERE, VARIABLES
from tests.support.role_configs import config, with_text

MINIMAL = config("valid/05-docs-writer-minimal.json")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{{\tticket.title\t}}", "T"),
        ("{{ ticket.title | upper }}", "{{ ticket.title | upper }}"),
        ("{{ ticket-title }}", "{{ ticket-title }}"),
        ("{{ 1abc }}", "{{ 1abc }}"),
        ("{{{ ticket.title }}}", "{T}"),
        ("{{ none }}", ""),
        ("{{ yes }}{{ number }}", "true1.5"),
        ("{{ step.metadata.deep.er }}", "found"),
        ("{{ ticket.title.x }}", ""),
        ("{{ list }}", '[1,"é"]'),
        ("{{ a._b1 }}", "odd"),
        ("{{}}{{ }}", "{{}}{{ }}"),
    ],
)
def test_a_placeholder_is_this_and_nothing_else(text: str, told: str) -> None:
    variables = {
        "ticket.title": "T",
        "none": None,
        "yes": True,
        "number": 1.5,
        "list": [1, "é"],
        "a._b1": "odd",
        "step.metadata": {"deep": {"er": "found"}},
    }
    assert render(text, variables).text == told


def test_an_unknown_name_is_reported_once() -> None:
    rendered = render("{{ a.b }}{{ c }}{{ a.b }}", {})
    assert rendered == Rendered(text="", unknown=("a.b", "c"))


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("/system_prompt", "I am {{ ticket.title }}", True),
        ("/system_prompt", "I am {{ project.name }}", False),
        ("/templates/chat_task", "{{ gate.criteria }}", True),
        ("/templates/chat_task", "{{ message }}", False),
        ("/templates/gate_eval", "{{ ticket.id }} {{ gate.criteria }}", False),
        ("/templates/ticket_task", "{{ message }}", True),
        ("/templates/ticket_task", "{{ step.metadata.anything }}", False),
        ("/templates/cron_task", "{{ ticket.title }}", True),
        ("/templates/cron_task", "{{ global.timestamp }}", False),
        ("/output_templates/gate_fail", "FAIL {{ gate.criteria }}", False),
        ("/output_templates/agent_done", "{{ gate.criteria }}", True),
        ("/templates/ticket_task", "{{ task.title }}", True),
        ("/templates/ticket_task", "{% if ticket.title %}x{% endif %}", False),
        ("/templates/ticket_task", "{% if ticket.owner %}x{% endif %}", True),
        ("/templates/ticket_task", "\\{{ ticket.owner }}", False),
    ],
)
def test_a_variable_that_has_no_value_there_is_a_warning_at_its_place(
    path: str, text: str, said: bool
) -> None:
    found = problems(with_text(path, text))
    assert [(one.path, one.code, one.level) for one in found] == (
        [(path, "unknown_variable", "warning")] if said else []
    )
    for one in found:
        assert text[one.start : one.end].strip("{} \t") in one.message


def test_every_variable_has_a_place_and_an_example() -> None:
    for variable in VARIABLES.values():
        assert variable.places
        assert set(variable.places) <= set(EVERYWHERE)
        for path in variable.places:
            assert problems(with_text(path, f"x {{{{ {variable.name} }}}}")) == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one\n{% if %}", "{% if %}"),
        ("{% for x in y %}never closed", "{% for x in y %}never closed"),
        ("a\n{% include 'secrets' %}", "{% include 'secrets' %}"),
        ("{% extends 'x' %}", "{% extends 'x' %}"),
    ],
)
def test_a_text_with_statements_that_is_no_template_is_an_error_at_its_line(
    text: str, line: str
) -> None:
    (found,) = problems(with_text("/templates/chat_task", text))
    assert (found.code, found.level, found.path) == ("syntax", "error", "/templates/chat_task")
    assert text[found.start : found.end] == line


def test_a_template_is_read_without_carrying_anything_out() -> None:
    names = named(
        "{% for t in ticket.tags %}{{ t }}{{ loop.index }}{% endfor %}"
        "{% set a = 'x' * 10**9 %}{{ a }}"
        "{% if 9**9**9**9 %}{{ gate.criteria|center(10**9) }}{% endif %}"
    )
    assert [one.name for one in names] == ["ticket.tags", "gate.criteria"]


@pytest.mark.parametrize("text", ["{% if 1 %}{{ " + "(" * 5_000, "{% x %}" + " " * LONGEST])
def test_a_template_that_is_too_much_to_read_is_refused(text: str) -> None:
    with pytest.raises(BadProgram):
        named(text)


def test_an_unstorable_value_is_an_error_at_its_place() -> None:
    given = {
        **with_text("/templates/chat_task", "NUL \0"),
        "system_prompt": "half \ud800",
        "extra": {"deep": [1e999]},
        "more": "x" * 200_001,
    }
    found = [(one.path, one.code) for one in problems(given) if one.level == "error"]
    assert found == [
        ("/system_prompt", "characters"),
        ("/templates/chat_task", "characters"),
        ("/extra/deep/0", "number"),
        ("/more", "too_long"),
    ]


def test_a_config_with_errors_is_never_used() -> None:
    with pytest.raises(BadPromptConfig, match="/templates"):
        prompt_config({"system_prompt": "x"})


def test_a_text_that_cannot_be_rendered_stops_everything() -> None:
    def stopped(text: str, variables: Any) -> Rendered:
        raise TemplateStopped("cut off")

    broken = prompt_config(with_text("/templates/chat_task", "{% if 1 %}x{% endif %}"))
    with pytest.raises(CannotAssemble) as raised:
        assemble(broken, kind="chat", variables={}, renderer=stopped)
    assert (raised.value.path, raised.value.message) == ("/templates/chat_task", "cut off")


def test_the_output_section_follows_the_task() -> None:
    gate = assemble(
        prompt_config(config("valid/03-reviewer.json")),
        kind="gate",
        variables=config("context/ticket-run.json"),
    )
    assert gate.user == f"{gate.task}\n\n{gate.output}"
    assert gate.output.startswith("## Output format\n\nIf the work passes")
    assert gate.output.index("APPROVED") < gate.output.index("REJECTED")
    chat = assemble(prompt_config(MINIMAL), kind="chat", variables={"chat.message": "hi"})
    assert chat.user == "hi\n\n## Output format\n\nGive the path of every page touched."


def test_a_step_without_a_prompt_sends_none() -> None:
    nothing = assemble(prompt_config(MINIMAL), kind="lambda", variables={})
    assert (nothing.template, nothing.user) == (None, "")


def test_the_addon_is_rendered_and_missing_variables_are_reported() -> None:
    messages = assemble(
        prompt_config(MINIMAL),
        kind="chat",
        variables={"chat.message": "hi", "project.name": "Greeter"},
        addon="In {{ project.name }} {{ nothing }}",
    )
    assert messages.developer == "In Greeter "
    (warning,) = messages.warnings
    assert (warning.path, warning.start, warning.end) == ("/mode/system_addon", 22, 35)
    assert messages.system_and_developer == f"{messages.system}\n\nIn Greeter "


def test_the_fallback_reports_the_missing_ticket() -> None:
    messages = assemble(
        prompt_config(MINIMAL), kind="agent", trigger="cron", variables={"global.timestamp": "now"}
    )
    assert (messages.template, messages.fallback) == ("ticket_task", True)
    assert [one.message for one in warnings(messages.warnings)] == [
        "`ticket.title` has no value in this step.",
        "`ticket.description` has no value in this step.",
    ]


def test_nesting_variables_changes_none_of_them() -> None:
    flat = {"step.metadata": {"a": 1}, "step.metadata.b": 2, "chat.message": "m", "step": "lost"}
    assert nested(flat) == {
        "step": {"metadata": {"a": 1, "b": 2}},
        "chat": {"message": "m"},
        "message": "m",
    }
    assert flat["step.metadata"] == {"a": 1}


def test_tokens_grow_with_the_text() -> None:
    assert estimate("") == 0
    assert estimate("Two words") == 2
    assert estimate("internationalization") > 1
    assert estimate("1234567") == 3
    assert estimate("日本語") == 3
