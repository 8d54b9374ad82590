"""Tools of a Climpt step: offered by the agent's list and the step's permissions, and called
between the step's question and its answer."""

from __future__ import annotations

import json
from typing import Any

from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.engine.effects import AskModel, CallTool, Effect
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Signal, Start, ToolCall, ToolDone
from workflows.core.engine.transition import transition
from workflows.core.pack.files import Files
from workflows.core.tools.claude_tools import CLAUDE_TOOLS

ALL = ["Read", "Write", "Edit", "Glob", "Grep", "Bash", "WebFetch"]
ANSWER = {"next_action": {"action": "next"}}
DONE = {"next_action": {"action": "closing"}}


def step(id: str, kind: str, intents: list[str], **more: Any) -> dict[str, Any]:
    gate = {
        "allowedIntents": intents,
        "intentField": "next_action.action",
        "intentSchemaRef": "#/x",
        "fallbackIntent": intents[0],
        "failFast": False,
    }
    return {"stepId": id, "name": id, "stepKind": kind, "c2": id.partition(".")[0], "c3": "issue",
            "edition": "default", "structuredGate": gate, **more}  # fmt: skip


def files(boundaries: dict[str, Any] | None, **more: Any) -> Files:
    """A work step, a verification and a closure, of an agent with these boundaries."""
    steps = {
        "initial.issue": step("initial.issue", "work", ["next", "repeat"],
                              transitions={"next": {"target": "verification.issue"}}),
        "verification.issue": step("verification.issue", "verification", ["next", "repeat"],
                                   transitions={"next": {"target": "closure.issue"}}),
        "closure.issue": step("closure.issue", "closure", ["closing", "repeat"],
                              transitions={"closing": {"target": None}}),
    }  # fmt: skip
    registry = {"agentId": "fixer", "version": "1.0.0", "c1": "steps", "entryStep": "initial.issue",
                "steps": steps}  # fmt: skip
    agent = {"name": "fixer", "runner": {"boundaries": boundaries} if boundaries else {}, **more}
    return Files.of(
        {
            ".agent/fixer/steps_registry.json": json.dumps(registry).encode(),
            ".agent/fixer/agent.json": json.dumps(agent).encode(),
        }
    )


class Played:
    """A run in progress."""

    def __init__(self, boundaries: dict[str, Any] | None) -> None:
        source = DIALECT.read(files(boundaries))
        self.program = DIALECT.program(source, "documented").with_tools({})
        self.run, self.types = RunState(), list[str]()
        self.send(Start(at=1.0))

    def send(self, signal: Signal) -> None:
        events, _ = transition(self.program, self.run, signal)
        self.types += [event.type for event in events]
        self.run = fold_all(events, self.run)

    @property
    def effect(self) -> Effect:
        (effect,) = pending_effects(self.run)
        return effect

    @property
    def question(self) -> AskModel:
        assert isinstance(self.effect, AskModel), self.effect
        return self.effect

    @property
    def offered(self) -> list[str]:
        return [tool.name for tool in self.question.tools]

    def call(self, *calls: tuple[str, dict[str, Any]]) -> None:
        made = tuple(
            ToolCall(name=name, arguments=arguments, id=f"c{number}")
            for number, (name, arguments) in enumerate(calls, start=1)
        )
        self.send(Reply(at=2.0, key=self.question.key, tool_calls=made))

    def tool(self, result: str = "", error: str = "") -> None:
        assert isinstance(self.effect, CallTool)
        self.send(ToolDone(at=2.0, key=self.effect.key, result=result, error=error))

    def answer(self, value: dict[str, Any]) -> None:
        self.send(Reply(at=2.0, key=self.question.key, structured=value))


def told(run: Played) -> list[tuple[str, str]]:
    """The tool results of the current question, by call."""
    return [(turn.tool_call_id, turn.text) for turn in run.question.messages if turn.role == "tool"]


def test_a_step_gets_the_agents_tools_with_their_parameters() -> None:
    run = Played({"allowedTools": ALL})
    assert run.offered == ALL
    assert [tool.parameters for tool in run.question.tools] == [
        CLAUDE_TOOLS[name].parameters for name in ALL
    ]


def test_a_verification_may_not_change_anything() -> None:
    run = Played({"allowedTools": [*ALL, "TodoWrite", "NotebookEdit"]})
    run.answer(ANSWER)
    assert run.question.state == "verification.issue"
    assert run.offered == ["Read", "Glob", "Grep", "WebFetch"]


def test_an_agent_without_a_list_has_the_base_tools() -> None:
    assert Played(None).offered == [
        "Bash", "Read", "Write", "Edit", "Glob", "Grep", "WebFetch", "WebSearch", "Task",
        "TodoWrite",
    ]  # fmt: skip
    assert Played({"allowedTools": []}).offered == []


def test_tools_are_called_within_one_iteration() -> None:
    run = Played({"allowedTools": ALL})
    prompts = run.types.count("prompt.logged")
    run.call(("Read", {"file_path": "a.md"}), ("Glob", {"pattern": "*"}))
    assert isinstance(run.effect, CallTool)
    assert (run.effect.name, run.effect.arguments) == ("Read", {"file_path": "a.md"})
    run.tool("text")
    run.tool(error="Nothing there.")
    assert told(run) == [("c1", "text"), ("c2", "Error: Nothing there.")]
    assert run.question.messages[-3].tool_calls[0]["name"] == "Read"
    assert run.types.count("prompt.logged") == prompts
    assert run.types.count("steps_registry.iteration") == 1
    run.call(("Grep", {"pattern": "x"}))
    run.tool("a.md:1:x")
    assert [id for id, _ in told(run)] == ["c1", "c2", "c1"]
    run.answer(ANSWER)
    assert run.question.state == "verification.issue"
    assert told(run) == []
    run.answer(ANSWER)
    run.answer(DONE)
    assert run.run.status == "completed"


@each_row(
    [
        (("Task", {}), "may not call `Task`"),
        (("Read", {"path": "a.md"}), '"file_path" is a required property'),
        (("Bash", {"command": "gh pr merge 3"}), "`gh pr merge` changes GitHub"),
        (("Bash", {"command": "cd x && gh api repos"}), "`gh api` changes GitHub"),
    ]
)
def test_a_forbidden_call_is_refused_without_asking_a_person(
    call: tuple[str, dict[str, Any]], said: str
) -> None:
    run = Played({"allowedTools": ALL})
    run.call(call)
    assert said in told(run)[0][1]
    assert "tool.asked" not in run.types


@each_row(
    [
        ("git log", True),
        ("git log --oneline", True),
        ("git logs", False),
        ("git push", False),
        ("git log; rm -rf .", False),
        ("git log $(rm -rf .)", False),
        ("npm test", True),
        ("npm test --watch", False),
    ]
)
def test_a_pattern_limits_the_commands(command: str, runs: bool) -> None:
    run = Played({"allowedTools": ["Bash(git log:*)", "Bash(npm test)"]})
    assert run.offered == ["Bash"]
    run.call(("Bash", {"command": command}))
    assert ("tool.asked" in run.types) is runs


def test_unreadable_arguments_are_sent_back() -> None:
    run = Played({"allowedTools": ALL})
    call = ToolCall(name="Read", id="", unread="{nope")
    run.send(Reply(at=2.0, key=run.question.key, tool_calls=(call,)))
    assert told(run) == [("call-1-1", "Error: the arguments of `Read` are no JSON object.")]
