"""Runs of packs, compared by their events."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.promptpack.packs import GONE, pack, prompt, source
from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.program.program import program
from workflows.core.engine.effects import AskHuman, AskModel, CallTool
from workflows.core.engine.program import CannotRun
from workflows.core.engine.signals import Approve, Fire, Reply, ToolDone

S = "workflow/states"
FIND = {"name": "find", "description": "Find it."}
LOOP = {f"{S}/review/on_event/Reject": "draft", f"{S}/draft/max_visits": 2}


def test_a_run_calls_the_model_takes_transitions_and_completes() -> None:
    scripted = ScriptedRun({})
    assert isinstance(scripted.pending, AskModel)
    assert scripted.pending.system == "Do it."
    assert [choice.transition for choice in scripted.pending.choices] == ["draft|Submit|review"]
    scripted.take("Submit", "All written.")
    scripted.take("Approve")
    assert scripted.state == "done"
    assert scripted.pending.choices == ()
    scripted.model("Here it is.")
    assert (scripted.run.status, scripted.run.visits) == (
        "completed",
        {"draft": 1, "review": 1, "done": 1},
    )
    assert scripted.run.taken == {"draft|Submit|review": 1, "review|Approve|done": 1}
    assert scripted.run.tool_calls == 2, "moving on counts as a tool call"


def test_the_transition_tool_lists_its_events_in_order_and_ends_have_none() -> None:
    scripted = ScriptedRun({f"{S}/draft/on_event": {"Submit": "review", "Abort": "done"}})
    (tool,) = scripted.pending.tools
    assert tool.parameters["properties"]["event"]["enum"] == ["Abort", "Submit"]
    assert tool.parameters["required"] == ["event", "context"]
    scripted.take("Abort")
    assert scripted.pending.tools == ()


def test_the_context_of_a_transition_reaches_the_next_state() -> None:
    scripted = ScriptedRun({"prompts/review/system_template": "Before: {{workflow_context}}"})
    scripted.take("Submit", "three pages")
    assert scripted.pending.system == "Before: three pages"
    assert [turn.text for turn in scripted.pending.messages] == ["three pages"]


def test_a_persistent_state_continues_the_conversation() -> None:
    scripted = ScriptedRun({f"{S}/review/persistence": "persistent"}, inputs={"input": "Write!"})
    assert [turn.text for turn in scripted.pending.messages] == ["Write!"]
    scripted.take("Submit")
    assert [turn.role for turn in scripted.pending.messages] == ["user", "assistant", "tool"]


def test_promptkit_always_continues_the_conversation() -> None:
    scripted = ScriptedRun({}, profile="promptkit")
    scripted.take("Submit")
    assert [turn.role for turn in scripted.pending.messages] == ["user", "assistant", "tool"]


def test_an_unknown_event_is_answered_with_the_list_of_events() -> None:
    scripted = ScriptedRun({})
    scripted.take("Fly")
    assert scripted.state == "draft"
    assert "Its events are: Submit." in scripted.pending.messages[-1].text
    assert scripted.last("tool.returned").fields["error"].startswith("draft has no event 'Fly'")
    scripted.take("Submit")
    assert scripted.state == "review"


def test_a_model_that_takes_no_transition_is_stopped_after_its_rounds() -> None:
    scripted = ScriptedRun({"prompts/draft/tool_policy": {"max_rounds": 3}})
    for _ in range(3):
        scripted.take("Fly")
    assert (scripted.run.status, scripted.run.reason) == (
        "failed",
        'max rounds (3) exceeded in state "draft"',
    )


def test_the_last_valid_transition_of_a_round_wins() -> None:
    scripted = ScriptedRun({f"{S}/draft/on_event": {"Submit": "review", "Abort": "done"}})
    move = "workflow__transition"
    scripted.model(
        "", (move, {"event": "Submit"}), (move, {"event": "Fly"}), (move, {"event": "Abort"})
    )
    assert scripted.state == "done"


def test_a_reply_without_a_transition_gives_the_turn_to_a_person() -> None:
    scripted = ScriptedRun({})
    scripted.model("How long shall it be?")
    question = scripted.pending
    assert isinstance(question, AskHuman)
    assert (question.kind, question.question) == ("answer", "How long shall it be?")
    assert [choice.label for choice in question.choices] == ["Submit"]
    assert scripted.run.status == "waiting"
    scripted.send(Approve(at=5.0, key=question.key, text="Two pages."))
    assert isinstance(scripted.pending, AskModel)
    assert [turn.role for turn in scripted.pending.messages] == ["user", "assistant", "user"]
    scripted.model("Done.")
    scripted.send(Approve(at=6.0, key=scripted.pending.key, event="Submit"))
    assert scripted.state == "review"


def test_a_person_can_choose_an_event_at_any_time() -> None:
    scripted = ScriptedRun({})
    scripted.send(Fire(at=2.0, event="Nope"))
    assert scripted.state == "draft"
    scripted.send(Fire(at=3.0, event="Submit"))
    assert scripted.state == "review"
    assert isinstance(scripted.pending, AskModel)


def test_an_external_state_waits_without_a_model_call() -> None:
    scripted = ScriptedRun(
        {f"{S}/review/orchestration": "external", f"{S}/review/description": "The desk."}
    )
    scripted.take("Submit")
    question = scripted.pending
    assert isinstance(question, AskHuman)
    assert (question.kind, [choice.label for choice in question.choices]) == ("event", ["Approve"])
    assert "The desk." in question.question
    scripted.send(Approve(at=9.0, key=question.key, event="Nope"))
    assert scripted.state == "review"
    scripted.send(Approve(at=9.0, key=scripted.pending.key, event="Approve"))
    assert scripted.state == "done"


def test_tools_of_the_pack_are_called_and_the_model_receives_the_result() -> None:
    scripted = ScriptedRun({"tools": {"find": FIND}, "prompts/draft/tools": ["find", "unknown"]})
    assert [tool.name for tool in scripted.pending.tools] == ["find", "workflow__transition"]
    scripted.model("", ("find", {"q": "bees"}), ("find", {"q": "wasps"}))
    assert isinstance(scripted.pending, CallTool)
    assert (scripted.pending.name, scripted.pending.arguments) == ("find", {"q": "bees"})
    scripted.send(ToolDone(at=3.0, key=scripted.pending.key, result="buzz"))
    assert scripted.pending.arguments == {"q": "wasps"}
    scripted.send(ToolDone(at=4.0, key=scripted.pending.key, error="stung"))
    assert isinstance(scripted.pending, AskModel)
    assert [(turn.text, turn.tool_call_id) for turn in scripted.pending.messages[-2:]] == [
        ("buzz", "c0"),
        ("Error: stung", "c1"),
    ]
    assert scripted.run.tool_calls == 2


def test_a_transition_waits_until_the_tools_of_its_round_are_done() -> None:
    scripted = ScriptedRun({"tools": {"find": FIND}, "prompts/draft/tools": ["find"]})
    scripted.model("", ("workflow__transition", {"event": "Submit", "context": "c"}), ("find", {}))
    assert scripted.state == "draft"
    scripted.send(ToolDone(at=3.0, key=scripted.pending.key, result="x"))
    assert scripted.state == "review"
    assert [turn.text for turn in scripted.pending.messages] == ["c"]


@each_row(
    [
        ({"blocklist": ["find"]}, [], "Tool find is blocked by policy"),
        ({"tool_choice": "none"}, [], "unknown tool find."),
        ({"max_tool_calls_per_turn": 1}, ["find"], "only 1 tool calls are allowed in one turn."),
    ]
)
def test_the_tool_policy_is_enforced(
    policy: dict[str, Any], offered: list[str], error: str
) -> None:
    scripted = ScriptedRun(
        {
            "tools": {"find": FIND},
            "prompts/draft/tools": ["find"],
            "prompts/draft/tool_policy": policy,
        }
    )
    names = [tool.name for tool in scripted.pending.tools if not tool.name.startswith("workflow__")]
    assert names == offered
    scripted.model("", ("workflow__set_artifact", {}), ("find", {}))
    assert error in [event.fields.get("error") for event in scripted.log]


def test_a_forced_tool_choice_applies_to_the_first_round() -> None:
    scripted = ScriptedRun({"prompts/draft/tool_policy": {"tool_choice": "required"}})
    assert scripted.pending.parameters == {"tool_choice": "required"}
    scripted.take("Fly")
    assert scripted.pending.parameters == {}


def test_artifacts_are_kept_and_read() -> None:
    slots = {"log": {"type": "text/plain", "mode": "append"}, "sha": {"type": "text/plain"}}
    scripted = ScriptedRun(
        {
            f"{S}/draft/artifacts": slots,
            "prompts/draft/system_template": "[{{artifacts.log}}]",
            "prompts/review/system_template": "{{artifacts.log}}/{{artifacts.sha}}",
        }
    )
    assert scripted.pending.system == "[]", "what is not set is empty"
    name = "workflow__set_artifact"
    scripted.model("", (name, {"name": "log", "value": "a"}), (name, {"name": "sha", "value": "1"}))
    scripted.model("", (name, {"name": "log", "value": "b"}), (name, {"name": "sha", "value": "2"}))
    scripted.model("", (name, {"name": "", "value": "b"}))
    assert "artifact name is required" in scripted.pending.messages[-1].text
    scripted.take("Submit")
    assert scripted.pending.system == "ab/2"
    assert [tool.name for tool in scripted.pending.tools] == ["workflow__transition", name]


def test_a_cap_redirects_once_and_records_it() -> None:
    scripted = ScriptedRun({**LOOP, f"{S}/draft/on_max_visits": "done"})
    for event in ("Submit", "Reject", "Submit", "Reject"):
        scripted.take(event)
    assert scripted.state == "done"
    taken = scripted.last("transition.taken").fields
    assert (taken["redirected"], taken["original_target"]) == (True, "draft")
    fields = scripted.last("promptpack.max_visits_exceeded").fields
    assert {name: fields[name] for name in fields if name not in ("position", "state")} == {
        "from_state": "review",
        "original_target": "draft",
        "event": "Reject",
        "visit_count": 2,
        "max_visits": 2,
        "redirected_to": "done",
        "terminated": False,
        "reason": 'max_visits (2) reached for "draft"',
    }
    assert scripted.run.visits == {"draft": 2, "review": 2, "done": 1}


def test_a_cap_without_a_redirect_ends_the_run_with_its_budget_exhausted() -> None:
    scripted = ScriptedRun(LOOP)
    for event in ("Submit", "Reject", "Submit", "Reject"):
        scripted.take(event)
    assert (scripted.run.status, scripted.run.reason) == (
        "budget_exhausted",
        'max visits exceeded: state "draft" visited 2 times (max 2)',
    )
    assert scripted.state == "review"
    fields = scripted.last("promptpack.max_visits_exceeded").fields
    assert (fields["from_state"], fields["original_target"], fields["event"]) == (
        "review", "draft", "Reject",
    )  # fmt: skip
    assert (fields["visit_count"], fields["max_visits"], fields["terminated"]) == (2, 2, True)


def test_a_spent_budget_is_an_event_with_its_facts() -> None:
    budget = {"workflow/engine": {"budget": {"max_total_visits": 2}}}
    scripted = ScriptedRun({**LOOP, **budget})
    scripted.take("Submit")
    scripted.take("Reject")
    assert scripted.run.status == "budget_exhausted"
    fields = scripted.last("promptpack.budget_exhausted").fields
    assert (fields["limit"], fields["current"], fields["max"], fields["current_state"]) == (
        "max_total_visits", 2, 2, "review",
    )  # fmt: skip


@each_row(
    [
        ({"max_total_visits": 2}, "workflow budget exhausted: max_total_visits 2 reached limit 2"),
        ({"max_tool_calls": 2}, "workflow budget exhausted: max_tool_calls 2 reached limit 2"),
    ]
)
def test_a_budget_ends_the_run(budget: dict[str, int], reason: str) -> None:
    scripted = ScriptedRun({"workflow/engine": {"budget": budget}})
    scripted.take("Submit")
    scripted.take("Approve")
    assert (scripted.run.status, scripted.run.reason) == ("budget_exhausted", reason)


def test_an_invalid_budget_is_ignored() -> None:
    scripted = ScriptedRun(
        {"workflow/engine": {"budget": {"max_total_visits": 0, "max_tool_calls": "x"}}}
    )
    scripted.take("Submit")
    assert scripted.state == "review"


def test_a_target_that_does_not_exist_fails_the_run_there() -> None:
    scripted = ScriptedRun({f"{S}/draft/on_event/Submit": "ghost"})
    scripted.take("Submit")
    assert (scripted.run.status, scripted.run.reason) == (
        "failed",
        'state "ghost" not found in spec',
    )


def test_a_failed_model_call_fails_the_run() -> None:
    scripted = ScriptedRun({})
    scripted.send(Reply(at=2.0, key=scripted.pending.key, error="quota"))
    assert (scripted.run.status, scripted.run.reason) == (
        "failed",
        'The model gave no answer in "draft": quota',
    )


def test_required_variables_must_be_inputs_of_the_run() -> None:
    needy = {
        "prompts/review": prompt(
            "review", "Hi {{n}}", variables=[{"name": "n", "type": "string", "required": True}]
        )
    }
    refused = ScriptedRun(needy)
    assert (refused.run.status, refused.run.reason) == (
        "failed",
        "missing required variables: [n]",
    )
    assert refused.program.required_inputs == ("n",)
    scripted = ScriptedRun(needy, inputs={"n": "Ann"})
    scripted.take("Submit")
    assert scripted.pending.system == "Hi Ann"


def test_defaults_and_fragments_fill_the_prompt_in_all_spellings() -> None:
    scripted = ScriptedRun(
        {
            "fragments": {"hi": "Hello {{n}}"},
            "prompts/draft": prompt(
                "draft",
                "{{fragments.hi}}, {{fragment:hi}}, {{hi}}, {{n}}, {{m}}, {{ n }}",
                variables=[
                    {"name": "n", "type": "string", "required": True, "default": "you"},
                    {"name": "m", "type": "array", "required": False, "default": [1, True]},
                ],
            ),
        }
    )
    assert scripted.pending.system == "Hello you, Hello you, Hello you, you, [1, true], {{ n }}"
    assert scripted.last("promptpack.unresolved").fields["names"] == [" n "]


def test_promptkit_sends_the_raw_text_if_a_placeholder_is_unfilled() -> None:
    raw = {"prompts/draft/system_template": "{{workflow_context}} {{nobody}}"}
    assert ScriptedRun(raw).pending.system == " {{nobody}}"
    assert ScriptedRun(raw, profile="promptkit").pending.system == "{{workflow_context}} {{nobody}}"


YIELDS = {"promptpack.yields": "yes"}


def test_a_run_can_yield_after_a_transition_by_the_model() -> None:
    scripted = ScriptedRun({}, inputs=YIELDS)
    scripted.model("I wrote it.", ("workflow__transition", {"event": "Submit", "context": ""}))
    assert isinstance(scripted.pending, AskHuman)
    assert (
        scripted.pending.question
        == "I wrote it.\n\nThe run has entered “review”. What should happen?"
    )
    scripted.person(text="Go on.")
    assert isinstance(scripted.pending, AskModel)
    assert [turn.text for turn in scripted.pending.messages] == ["Go on."]


def test_a_state_with_agent_control_does_not_yield_and_collects_its_replies() -> None:
    scripted = ScriptedRun({f"{S}/review/control": "agent"}, inputs=YIELDS)
    scripted.model("Written.", ("workflow__transition", {"event": "Submit", "context": ""}))
    assert isinstance(scripted.pending, AskModel)
    scripted.model("What do you think?")
    assert scripted.pending.question == "Written.\n\nWhat do you think?"


def test_an_external_state_waits_for_its_event_in_a_yielding_run() -> None:
    scripted = ScriptedRun({f"{S}/review/orchestration": "external"}, inputs=YIELDS)
    scripted.model("Sent.", ("workflow__transition", {"event": "Submit", "context": ""}))
    assert scripted.pending.kind == "event"
    assert scripted.pending.question.startswith(
        "Sent.\n\n“review” waits for an event from outside."
    )


def test_an_event_by_a_person_never_yields() -> None:
    scripted = ScriptedRun({}, inputs=YIELDS)
    scripted.send(Fire(at=2.0, event="Submit"))
    assert isinstance(scripted.pending, AskModel)


def test_a_person_can_write_to_an_external_state_but_only_an_event_leaves_it() -> None:
    scripted = ScriptedRun({f"{S}/review/orchestration": "external"})
    scripted.take("Submit")
    scripted.person(text="How long will it take?")
    assert isinstance(scripted.pending, AskModel)
    assert (scripted.pending.choices, scripted.pending.tools) == ((), ())
    scripted.take("Approve")
    assert "there is no" not in scripted.last("tool.returned").fields["error"]
    assert scripted.state == "review"
    scripted.model("Two days.")
    assert scripted.pending.kind == "event"
    assert scripted.pending.question.startswith("Two days.")
    scripted.send(Fire(at=20.0, event="Approve"))
    assert scripted.state == "done"


def test_a_pack_without_a_workflow_runs_its_one_prompt() -> None:
    scripted = ScriptedRun({"workflow": GONE, "prompts": {"only": prompt("only", "Speak.")}})
    assert scripted.pending.system == "Speak."
    scripted.model("Hello.")
    assert scripted.run.status == "completed"


def test_a_pack_that_cannot_start_reports_the_reason() -> None:
    with pytest.raises(CannotRun, match="not a readable pack"):
        program(source(b"{"), "documented")
    with pytest.raises(CannotRun, match="no states"):
        program(source(pack({"workflow/states": {}})), "documented")
    scripted = ScriptedRun({"workflow/entry": "ghost"})
    assert scripted.run.status == "failed"
    assert "'ghost'" in scripted.run.reason
