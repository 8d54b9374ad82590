"""Agents of a pack: calls from one to another, and runs as an agent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.promptpack.scripted_run import ScriptedRun
from workflows.core.engine.effects import CallTool

MEMBERS: dict[str, Any] = {
    "agents": {
        "entry": "draft",
        "members": {"draft": {}, "review": {"description": "Reads.", "state": "review"}},
    }
}
LISTED = {**MEMBERS, "prompts/draft/tools": ["review", "draft2"]}


def test_an_agent_in_the_tool_list_becomes_a_tool() -> None:
    scripted = ScriptedRun(LISTED)
    asking, moving = scripted.pending.tools
    assert (asking.name, asking.description) == ("a2a__review", "Reads.")
    assert asking.parameters["required"] == ["query"]
    assert moving.name == "workflow__transition"
    scripted.model("", ("a2a__review", {"query": "Is it good?"}))
    assert isinstance(scripted.pending, CallTool)
    assert (scripted.pending.name, scripted.pending.arguments) == (
        "a2a__review",
        {"query": "Is it good?"},
    )
    scripted.tool("It is.")
    assert scripted.pending.messages[-1].text == "It is."


@pytest.mark.parametrize("name", ["review", "a2a__review"])
def test_a_blocked_agent_is_not_offered(name: str) -> None:
    scripted = ScriptedRun({**LISTED, "prompts/draft/tool_policy": {"blocklist": [name]}})
    assert [tool.name for tool in scripted.pending.tools] == ["workflow__transition"]


def test_a_run_as_an_agent_starts_at_its_state() -> None:
    scripted = ScriptedRun(MEMBERS, inputs={"promptpack.agent": "review"})
    assert scripted.state == "review"


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("nobody", "This pack has no agent 'nobody'. Its agents are: draft, review."),
        ("draft", "Agent 'draft' names no state of the workflow to start at."),
    ],
)
def test_an_agent_that_cannot_run_is_refused_with_the_reason(agent: str, reason: str) -> None:
    scripted = ScriptedRun(MEMBERS, inputs={"promptpack.agent": agent})
    assert (scripted.run.status, scripted.run.reason) == ("failed", reason)


def test_an_agent_with_a_missing_state_is_refused() -> None:
    changes = {**MEMBERS, "agents/members/review/state": "ghost"}
    scripted = ScriptedRun(changes, inputs={"promptpack.agent": "review"})
    assert "'ghost' is not a state" in scripted.run.reason


@pytest.mark.parametrize(
    ("providers", "wanted"),
    [
        ([], {"toolCalling": "preferred"}),
        (["default", {"key": "x", "role": "llm"}], {"toolCalling": "preferred"}),
        (
            [{"key": "x", "role": "llm", "capabilities": {"tool_use": True}}],
            {"toolCalling": "hard"},
        ),
        (
            [
                {"key": "x", "role": "llm", "capabilities": {"structured_output": True}},
                {
                    "key": "y",
                    "role": "llm",
                    "required": False,
                    "capabilities": {"structured_output": True, "tool_use": True},
                },
            ],
            {"toolCalling": "preferred", "structuredOutput": "hard"},
        ),
    ],
)
def test_required_capabilities_of_providers_are_required_of_the_model(
    providers: list[Any], wanted: dict[str, str]
) -> None:
    assert ScriptedRun({"requires": {"providers": providers}}).program.requires == wanted
