"""Agents of a pack: asking another one as a tool, and running the workflow as one."""

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


def test_an_agent_among_the_tools_is_asked_as_one() -> None:
    play = ScriptedRun(LISTED)
    asking, moving = play.asked.tools
    assert (asking.name, asking.description) == ("a2a__review", "Reads.")
    assert asking.parameters["required"] == ["query"]
    assert moving.name == "workflow__transition"
    play.say("", ("a2a__review", {"query": "Is it good?"}))
    assert isinstance(play.asked, CallTool)
    assert (play.asked.name, play.asked.arguments) == ("a2a__review", {"query": "Is it good?"})
    play.tool("It is.")
    assert play.asked.messages[-1].text == "It is."


@pytest.mark.parametrize("name", ["review", "a2a__review"])
def test_a_blocked_agent_is_not_offered(name: str) -> None:
    play = ScriptedRun({**LISTED, "prompts/draft/tool_policy": {"blocklist": [name]}})
    assert [tool.name for tool in play.asked.tools] == ["workflow__transition"]


def test_a_run_as_an_agent_begins_in_its_state() -> None:
    play = ScriptedRun(MEMBERS, inputs={"promptpack.agent": "review"})
    assert play.state == "review"


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("nobody", "There is no agent 'nobody' in this pack. Its agents are: draft, review."),
        ("draft", "The agent 'draft' names no state of the workflow to begin in."),
    ],
)
def test_an_agent_that_cannot_be_run_is_told(agent: str, reason: str) -> None:
    play = ScriptedRun(MEMBERS, inputs={"promptpack.agent": agent})
    assert (play.run.status, play.run.reason) == ("failed", reason)


def test_an_agent_in_a_missing_state_is_told() -> None:
    changes = {**MEMBERS, "agents/members/review/state": "ghost"}
    play = ScriptedRun(changes, inputs={"promptpack.agent": "review"})
    assert "'ghost', which does not exist" in play.run.reason


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
def test_what_a_pack_requires_of_its_providers_is_asked_of_the_model(
    providers: list[Any], wanted: dict[str, str]
) -> None:
    assert ScriptedRun({"requires": {"providers": providers}}).program.requires == wanted
