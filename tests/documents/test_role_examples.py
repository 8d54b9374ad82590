"""The examples of the document about prompt configs: no errors, no warnings, and every template is
rendered."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from roles.core.assemble import assemble
from roles.core.prompt_config import problems, prompt_config
from roles.core.template_choice import StepKind
from tests.documents.quotes import after, json_after
from tests.support.checks import each_row

DOCUMENT = "prompt-config"
TASK = "Example ticket_task template:\n"
pytestmark = pytest.mark.third_party


def _structure() -> Any:
    return json_after(DOCUMENT, "PromptConfig Structure")


def _patched() -> Any:
    """The body of the document's PATCH."""
    return json_after(DOCUMENT, "-d '")["prompt_config"]


def _ticket() -> Any:
    """The example of a task template, in the example of a config."""
    text = after(DOCUMENT, TASK)
    whole = _structure()
    whole["templates"]["ticket_task"] = text[: text.index("output_templates")]
    assert "{{ git.target_branch }} for PRs." in whole["templates"]["ticket_task"]
    return whole


VARIABLES = {
    name: f"<{name}>"
    for name in (
        "ticket.title",
        "ticket.description",
        "ticket.acceptance_criteria",
        "ticket.tags",
        "ticket.source",
        "chat.message",
        "gate.criteria",
        "gate.previous_output",
        "context.documents",
        "context.memory",
        "git.branch",
        "git.target_branch",
    )
}


@each_row([_structure, _patched, _ticket])
def test_an_example_is_accepted_and_rendered(make: Any) -> None:
    config = make()
    assert list(problems(config)) == []
    for kind in get_args(StepKind):
        for trigger in ("ticket", "chat", "cron"):
            messages = assemble(
                prompt_config(config), kind=kind, trigger=trigger, variables=VARIABLES
            )
            if messages.template is not None:
                assert messages.task
                assert messages.warnings == ()


def test_every_variable_of_the_task_template_arrives() -> None:
    messages = assemble(prompt_config(_ticket()), kind="agent", variables=VARIABLES)
    for name, value in VARIABLES.items():
        if name.split(".")[0] in ("ticket", "context", "git"):
            assert value in messages.task
