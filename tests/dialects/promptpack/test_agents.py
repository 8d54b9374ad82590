"""Agents of a pack: calls from one to another, and runs as an agent."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.packs import (
    DIALECT,
    GONE,
    applied,
    codes,
    pack,
    prompt,
    source,
    tree_of,
)
from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.program.questions import END_CHAT
from workflows.core.engine.effects import AskHuman, AskModel
from workflows.core.pack.edits import Connect, RemoveState, RenameState, SetEntry

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
    assert scripted.last("tool.called").fields["arguments"] == {"query": "Is it good?"}
    (asked,) = scripted.effects
    assert (asked.state, asked.messages[0].text) == ("review", "Is it good?")


@each_row(["review", "a2a__review"])
def test_a_blocked_agent_is_not_offered(name: str) -> None:
    scripted = ScriptedRun({**LISTED, "prompts/draft/tool_policy": {"blocklist": [name]}})
    assert [tool.name for tool in scripted.pending.tools] == ["workflow__transition"]


def test_a_run_as_an_agent_starts_at_its_state() -> None:
    scripted = ScriptedRun(MEMBERS, inputs={"promptpack.agent": "review"})
    assert scripted.state == "review"


@each_row(
    [
        ("nobody", "This pack has no agent 'nobody'. Its agents are: draft, review."),
    ]
)
def test_an_agent_that_cannot_run_is_refused_with_the_reason(agent: str, reason: str) -> None:
    scripted = ScriptedRun(MEMBERS, inputs={"promptpack.agent": agent})
    assert (scripted.run.status, scripted.run.reason) == ("failed", reason)


def test_an_agent_with_a_missing_state_is_refused() -> None:
    changes = {**MEMBERS, "agents/members/review/state": "ghost"}
    scripted = ScriptedRun(changes, inputs={"promptpack.agent": "review"})
    assert "'ghost' is not a state" in scripted.run.reason


@each_row(
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
    ]
)
def test_required_capabilities_of_providers_are_required_of_the_model(
    providers: list[Any], wanted: dict[str, str]
) -> None:
    assert ScriptedRun({"requires": {"providers": providers}}).program.requires == wanted


# -- workflow and agents are independent

ALONE: dict[str, Any] = {
    "workflow": GONE,
    "agents": {"entry": "draft", "members": {"draft": {}, "review": {}, "done": {}}},
    "prompts/draft": prompt("draft", "Route it.", tools=["review"]),
    "prompts/review": prompt("review", "Review it.", tools=["done"]),
}
BESIDE: dict[str, Any] = {
    "prompts/draft/tools": ["helper"],
    "prompts/helper": prompt("helper", "Help with {{workflow_context}}."),
    "agents": {"entry": "helper", "members": {"helper": {"description": "Helps."}}},
}


def test_agents_without_a_caller_have_no_findings() -> None:
    assert [code for code in codes(pack(ALONE)) if code.startswith("GR")] == []
    graph = DIALECT.graph(source(pack(ALONE)), "documented")
    assert [(entry.state, entry.key) for entry in graph.entries] == [
        ("draft", ""), ("review", "review"), ("done", "done"),
    ]  # fmt: skip


def test_agents_of_a_pack_with_a_workflow_have_a_level_and_no_findings() -> None:
    assert [code for code in codes(pack(BESIDE)) if code.startswith("GR")] == []
    graph = DIALECT.graph(source(pack(BESIDE)), "documented")
    assert [state.id for state in graph.on("agents").states] == ["agents/helper"]
    assert graph.states[0].inside == "agents"
    assert DIALECT.fields(source(pack(BESIDE)), "state:agents/helper", "documented").values == {
        "description": "Helps."
    }


def test_a_called_agent_runs_its_prompt_and_its_reply_is_the_result() -> None:
    scripted = ScriptedRun(ALONE, inputs={"input": "Please."})
    scripted.model("", ("a2a__review", {"query": "Is it good?"}))
    asked = scripted.pending
    assert (asked.state, asked.system) == ("review", "Review it.")
    assert [tool.name for tool in asked.tools] == ["a2a__done"]
    scripted.model("It is.")
    assert (scripted.pending.state, scripted.pending.messages[-1].text) == ("draft", "It is.")
    assert scripted.last("tool.returned").fields["result"] == "It is."
    scripted.model("Thanks.")
    assert scripted.run.status == "completed"


def test_called_agents_call_others() -> None:
    scripted = ScriptedRun(ALONE)
    scripted.model("", ("a2a__review", {"query": "One?"}))
    scripted.model("", ("a2a__done", {"query": "Two?"}))
    assert (scripted.pending.state, scripted.pending.messages[0].text) == ("done", "Two?")
    scripted.model("Three.")
    assert scripted.pending.messages[-1].text == "Three."
    scripted.model("Four.")
    assert (scripted.pending.state, scripted.pending.messages[-1].text) == ("draft", "Four.")


def test_two_calls_of_one_reply_run_one_after_the_other() -> None:
    scripted = ScriptedRun({**ALONE, "prompts/draft/tools": ["review", "done"]})
    scripted.model("", ("a2a__review", {"query": "A?"}), ("a2a__done", {"query": "B?"}))
    scripted.model("A.")
    assert (scripted.pending.state, scripted.pending.messages[0].text) == ("done", "B?")
    scripted.model("B.")
    assert [turn.text for turn in scripted.pending.messages[-2:]] == ["A.", "B."]
    assert [turn.tool_call_id for turn in scripted.pending.messages[-2:]] == ["c0", "c1"]


def test_an_agent_that_fails_is_an_error_of_the_call() -> None:
    scripted = ScriptedRun(ALONE)
    scripted.model("", ("a2a__review", {"query": "Is it good?"}))
    scripted.reply(error="No key.")
    text = scripted.pending.messages[-1].text
    assert text == 'Error: The model gave no answer in "review": No key.'


def test_agents_that_call_each_other_end() -> None:
    circle = {**ALONE, "prompts/review/tools": ["draft"]}
    scripted = ScriptedRun(circle)
    for number in range(8):
        scripted.model("", (f"a2a__{('review', 'draft')[number % 2]}", {"query": "You?"}))
    scripted.model("", ("a2a__review", {"query": "You?"}))
    assert scripted.last("tool.returned").fields["error"] == "at most 8 agents may call each other"


def test_an_agent_without_its_variables_is_an_error_of_the_call() -> None:
    needs = [{"name": "tone", "type": "string", "required": True}]
    scripted = ScriptedRun({**ALONE, "prompts/review/variables": needs})
    scripted.model("", ("a2a__review", {"query": "Is it good?"}))
    assert scripted.last("tool.returned").fields["error"] == "missing required variables: [tone]"
    scripted = ScriptedRun({**ALONE, "prompts/review/variables": needs}, inputs={"tone": "warm"})
    scripted.model("", ("a2a__review", {"query": "Is it good?"}))
    assert scripted.pending.state == "review"


def test_a_state_of_a_workflow_calls_an_agent() -> None:
    budget = {"workflow/engine": {"budget": {"max_total_visits": 2}}}
    scripted = ScriptedRun({**BESIDE, **budget})
    scripted.model("", ("a2a__helper", {"query": "this"}))
    assert (scripted.pending.state, scripted.pending.system) == (
        "agents/helper", "Help with this.",
    )  # fmt: skip
    scripted.model("Done.")
    assert scripted.state == "draft"
    scripted.take("Submit")
    assert scripted.state == "review", "visits of agents do not count"


def test_a_called_agent_with_a_state_runs_the_workflow_from_there() -> None:
    scripted = ScriptedRun(LISTED)
    scripted.model("", ("a2a__review", {"query": "Is it good?"}))
    scripted.take("Approve", "so far so good")
    assert (scripted.pending.state, len(scripted.run.positions)) == ("done", 2)
    scripted.model("It is good.")
    assert (scripted.state, scripted.run.status) == ("draft", "running")
    assert scripted.pending.messages[-1].text == "It is good."


def test_a_run_as_an_agent_without_a_state_runs_its_prompt() -> None:
    scripted = ScriptedRun(BESIDE, inputs={"promptpack.agent": "helper", "input": "Hello."})
    assert scripted.pending.messages[0].text == "Hello."
    scripted.model("Hi.")
    assert scripted.run.status == "completed"


# -- packs without a workflow

PROMPTS: dict[str, Any] = {"workflow": GONE}


def test_several_prompts_without_a_workflow_need_a_choice() -> None:
    scripted = ScriptedRun(PROMPTS)
    assert scripted.run.status == "failed"
    assert scripted.run.reason == (
        "This pack has 3 prompts and no workflow. Choose one with the input promptpack.prompt: "
        "draft, review, done."
    )
    wrong = ScriptedRun(PROMPTS, inputs={"promptpack.prompt": "nobody"})
    assert wrong.run.reason.startswith("This pack has no prompt 'nobody'. It can run: draft,")


def test_the_chosen_prompt_runs() -> None:
    scripted = ScriptedRun(PROMPTS, inputs={"promptpack.prompt": "review", "input": "Hello."})
    assert (scripted.state, scripted.pending.messages[0].text) == ("review", "Hello.")
    scripted.model("Hi.")
    assert scripted.run.status == "completed"


def test_only_the_variables_of_the_chosen_prompt_are_required() -> None:
    needs = [{"name": "tone", "type": "string", "required": True}]
    changes = {**PROMPTS, "prompts/review/variables": needs}
    assert ScriptedRun(changes, inputs={"promptpack.prompt": "draft"}).run.status == "running"
    lacking = ScriptedRun(changes, inputs={"promptpack.prompt": "review"})
    assert lacking.run.reason == "missing required variables: [tone]"


def test_a_chat_continues_until_a_person_ends_it() -> None:
    inputs = {"promptpack.prompt": "review", "promptpack.chat": "yes", "input": "Hello."}
    scripted = ScriptedRun(PROMPTS, inputs=inputs)
    scripted.model("Hi.")
    assert isinstance(scripted.pending, AskHuman)
    assert (scripted.pending.kind, scripted.pending.question) == ("answer", "Hi.")
    assert [choice.label for choice in scripted.pending.choices] == [END_CHAT]
    scripted.person(text="How are you?")
    assert isinstance(scripted.pending, AskModel)
    assert [turn.text for turn in scripted.pending.messages] == ["Hello.", "Hi.", "How are you?"]
    scripted.model("Fine.")
    scripted.person(event=END_CHAT)
    assert scripted.run.status == "completed"


def test_a_workflow_runs_no_prompt_alone() -> None:
    scripted = ScriptedRun({}, inputs={"promptpack.prompt": "review"})
    assert "has a workflow" in scripted.run.reason


@each_row(["agents/helper"])
def test_agents_of_a_pack_with_a_workflow_can_be_edited_on_their_level(id: str) -> None:
    tree = pack({
        **BESIDE,
        "prompts/other": prompt("other"),
        "agents/members/other": {},
    })  # fmt: skip
    after = applied(
        source(tree),
        Connect(source=id, target="agents/other", label=""),
        SetEntry(id="agents/other"),
        RenameState(id=id, new_id="agents/aide"),
    )
    graph = DIALECT.graph(after, "documented")
    assert [arrow.id for arrow in graph.on("agents").transitions] == [
        "agents/aide|other|agents/other"
    ]
    assert tree_of(after)["agents"]["entry"] == "other"
    gone = applied(after, RemoveState(id="agents/aide"))
    assert list(gone.parts.members) == ["other"]
    assert gone.parts.prompts["draft"]["tools"] == []
