"""Tools of a session in stages: the document's own names, those of an MCP server, and checked
arguments."""

from __future__ import annotations

from tests.dialects.stages.run.scripted_run import ENDS, ScriptedRun, pack
from workflows.core.dialects.stages import DIALECT
from workflows.core.dialects.stages.source import read
from workflows.core.engine.effects import AskModel, CallTool, ToolSpec
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.tools.standard import STANDARD

DOCUMENT = ["Read", "Grep", "Glob"]
"""`allowedTools` of the example on the document's page."""
ISSUE = ToolSpec(
    name="mcp__github__get_issue",
    description="An issue.",
    parameters={"type": "object", "properties": {"number": {"type": "integer"}}},
)


class Session(ScriptedRun):
    """A run in a session with these tools of a server."""

    def __init__(self, allowed, *tools):
        source = read(pack({"a": {"next": ENDS}}, {"a": {"allowedTools": allowed}}))
        program = DIALECT.program(source, "documented")
        self.program = program.with_tools({tool.name: tool for tool in tools})
        self.run, self.log = RunState(), []
        self.send(Start(at=1.0, inputs={}, run="run-1"))


def offered(run):
    return [tool.name for tool in run.wanted(kind=AskModel).tools][:-1]


def test_the_documents_own_example_offers_its_tools_with_their_parameters():
    run = Session(DOCUMENT)
    assert offered(run) == DOCUMENT
    assert run.wanted().tools[0].parameters == STANDARD["Read"].parameters
    run.call(("Grep", {"pattern": "x"}))
    assert run.wanted(kind=CallTool).name == "Grep"
    run.tool("a.md:1:x")
    run.submit()
    assert run.run.status == "completed"


def test_a_stage_may_list_a_tool_of_an_mcp_server():
    assert offered(Session([ISSUE.name], ISSUE)) == [ISSUE.name]
    run = Session(["read", "mcp__github"], ISSUE)
    assert offered(run) == ["read", ISSUE.name]
    run.call((ISSUE.name, {"number": 3}))
    assert run.wanted(kind=CallTool).arguments == {"number": 3}


def test_a_tool_that_the_session_lacks_fails_the_stage():
    run = Session([ISSUE.name])
    assert run.run.status == "failed"
    assert ISSUE.name in run.run.reason


def test_a_call_with_wrong_arguments_is_not_made_and_answered_with_the_reason():
    run = Session(DOCUMENT)
    run.call(("Read", {"path": "a.md"}))
    assert [event.type for event in run.log].count("tool.refused") == 1
    assert "tool.asked" not in [event.type for event in run.log]
    told = run.wanted().messages[-1]
    assert (told.role, told.tool_call_id) == ("tool", "c1")
    assert "is a required property" in told.text


def test_every_call_of_a_reply_is_answered_when_one_is_refused():
    run = Session(DOCUMENT)
    run.call(("Read", {}), ("Glob", {"pattern": "*"}), ("Grep", {}))
    assert run.wanted(kind=CallTool).name == "Glob"
    run.tool("a.md")
    ids = [turn.tool_call_id for turn in run.wanted().messages if turn.role == "tool"]
    assert ids == ["c1", "c2", "c3"]
