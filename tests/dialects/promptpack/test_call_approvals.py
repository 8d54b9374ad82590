"""Approval of calls whose effects cannot be undone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT
from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.dialects.promptpack.test_compositions import composed, step
from tests.support.checks import each_row
from workflows.core.engine.effects import AskHuman, AskModel, CallTool

IRREVERSIBLE = {"action_scope": {"effect": "external", "reversibility": "irreversible"}}
CALL = ("refund", {"order": "7"})


def refunding(profile: str = "documented", **more: Any) -> ScriptedRun:
    tool = {"name": "refund", "description": "Pays money back.", **more}
    changes = {"tools": {"refund": tool}, "prompts/draft/tools": ["refund"]}
    return ScriptedRun(changes, profile=profile)


@pytest.mark.parametrize("profile", DIALECT.profiles)
@pytest.mark.parametrize("scope", [IRREVERSIBLE, {"extensions": IRREVERSIBLE}])
def test_an_irreversible_call_waits_for_a_person(profile: str, scope: dict[str, Any]) -> None:
    scripted = refunding(profile, **scope)
    scripted.model("", CALL)
    asked = scripted.pending
    assert isinstance(asked, AskHuman)
    assert (asked.kind, asked.call) == ("approve", {"name": "refund", "arguments": {"order": "7"}})
    assert asked.question == (
        "“draft” requests approval to call refund, which cannot be undone.\nPays money back."
    )
    assert scripted.events_of("tool.asked") == []
    scripted.person(approve=True)
    assert isinstance(scripted.pending, CallTool)
    assert scripted.pending.arguments == {"order": "7"}
    scripted.tool("Paid.")
    assert isinstance(scripted.pending, AskModel)
    assert scripted.pending.messages[-1].text == "Paid."


@each_row(
    [
        {},
        {"action_scope": {"reversibility": "reversible"}},
        {"action_scope": {"reversibility": "compensable", "effect": "external"}},
        {"extensions": {"action_scope": "irreversible"}},
    ]
)
def test_other_calls_are_made_at_once(scope: dict[str, Any]) -> None:
    scripted = refunding(**scope)
    scripted.model("", CALL)
    assert isinstance(scripted.pending, CallTool)


def test_a_denied_call_is_not_made_and_the_model_receives_the_reason() -> None:
    scripted = refunding(**IRREVERSIBLE)
    scripted.model("", CALL)
    scripted.person(approve=False, text="too much")
    assert scripted.events_of("tool.asked") == []
    assert scripted.pending.messages[-1].text == "Error: Tool denied by user: too much"
    assert scripted.pending.messages[-1].tool_call_id == "c0"


def test_a_person_changes_the_arguments_and_approves_each_call() -> None:
    scripted = refunding(**IRREVERSIBLE)
    scripted.model("", CALL, ("refund", {"order": "8"}))
    scripted.person(approve=True, structured={"order": "9"})
    assert scripted.pending.arguments == {"order": "9"}
    scripted.tool("Paid.")
    assert scripted.pending.call["arguments"] == {"order": "8"}
    scripted.person(approve=False)
    assert [turn.text for turn in scripted.pending.messages[-2:]] == [
        "Paid.",
        "Error: Tool denied by user",
    ]


def stepping(**body: Any) -> ScriptedRun:
    changes = composed({**step("a"), **body})
    changes["tools"] = {"t": {"name": "t", "description": "Pays.", **IRREVERSIBLE}}
    changes["prompts"]["p"]["tools"] = ["t"]
    return ScriptedRun(changes, inputs={"input": json.dumps({"order": "7"})})


def test_a_tool_step_waits_for_a_person_too() -> None:
    body = {"kind": "tool", "tool": "t", "args": {"order": "${input.order}"}, "prompt_task": None}
    scripted = stepping(**body)
    assert scripted.pending.call == {"name": "t", "arguments": {"order": "7"}}
    scripted.person(approve=True, structured={"order": "9"})
    assert scripted.pending.arguments == {"order": "9"}
    scripted.tool("Paid.")
    assert scripted.last("promptpack.composition.completed").fields["output"] == "Paid."
    denied = stepping(**body)
    denied.person(approve=False)
    assert (denied.run.status, denied.events_of("tool.asked")) == ("failed", [])
    assert denied.run.reason.endswith("Tool denied by user")


def test_an_agent_step_waits_for_a_person_too() -> None:
    scripted = stepping(kind="agent", termination={"max_steps": 3}, tools=["t"])
    scripted.model("", ("t", {"order": "7"}))
    scripted.person(approve=False)
    assert scripted.pending.messages[-1].text == "Error: Tool denied by user"
    scripted.model("", ("t", {"order": "7"}))
    scripted.person(approve=True)
    assert scripted.pending.arguments == {"order": "7"}
