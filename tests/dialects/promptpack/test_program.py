"""How a pack runs, told by its events."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT, GONE, pack, prompt, source
from tests.dialects.promptpack.scripted_run import ScriptedRun
from workflows.core.dialects.promptpack.program.program import program
from workflows.core.engine.effects import AskHuman, AskModel, CallTool
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.signals import Approve, Fire, Reply, ToolDone

S = "workflow/states"
FIND = {"name": "find", "description": "Find it."}
LOOP = {f"{S}/review/on_event/Reject": "draft", f"{S}/draft/max_visits": 2}


def test_a_run_asks_moves_and_completes() -> None:
    play = ScriptedRun({})
    assert isinstance(play.asked, AskModel)
    assert play.asked.system == "Do it."
    assert [choice.transition for choice in play.asked.choices] == ["draft|Submit|review"]
    play.go("Submit", "All written.")
    play.go("Approve")
    assert play.state == "done"
    assert play.asked.choices == ()
    play.say("Here it is.")
    assert (play.run.status, play.run.visits) == ("completed", {"draft": 1, "review": 1, "done": 1})
    assert play.run.taken == {"draft|Submit|review": 1, "review|Approve|done": 1}
    assert play.run.tool_calls == 2, "moving on counts as a tool call"


def test_the_move_tool_lists_its_events_in_order_and_ends_have_none() -> None:
    play = ScriptedRun({f"{S}/draft/on_event": {"Submit": "review", "Abort": "done"}})
    (tool,) = play.asked.tools
    assert tool.parameters["properties"]["event"]["enum"] == ["Abort", "Submit"]
    assert tool.parameters["required"] == ["event", "context"]
    play.go("Abort")
    assert play.asked.tools == ()


def test_what_a_state_hands_on_reaches_the_next_one() -> None:
    play = ScriptedRun({"prompts/review/system_template": "Before: {{workflow_context}}"})
    play.go("Submit", "three pages")
    assert play.asked.system == "Before: three pages"
    assert [turn.text for turn in play.asked.messages] == ["three pages"]


def test_a_persistent_state_goes_on_with_the_conversation() -> None:
    play = ScriptedRun({f"{S}/review/persistence": "persistent"}, inputs={"input": "Write!"})
    assert [turn.text for turn in play.asked.messages] == ["Write!"]
    play.go("Submit")
    assert [turn.role for turn in play.asked.messages] == ["user", "assistant", "tool"]


def test_promptkit_always_goes_on_with_the_conversation() -> None:
    play = ScriptedRun({}, profile="promptkit")
    play.go("Submit")
    assert [turn.role for turn in play.asked.messages] == ["user", "assistant", "tool"]


def test_an_unknown_event_is_answered_with_those_there_are() -> None:
    play = ScriptedRun({})
    play.go("Fly")
    assert play.state == "draft"
    assert "Its events are: Submit." in play.asked.messages[-1].text
    assert play.last("tool.returned").fields["error"].startswith("draft has no event 'Fly'")
    play.go("Submit")
    assert play.state == "review"


def test_a_model_that_never_moves_is_stopped_after_its_rounds() -> None:
    play = ScriptedRun({"prompts/draft/tool_policy": {"max_rounds": 3}})
    for _ in range(3):
        play.go("Fly")
    assert (play.run.status, play.run.reason) == (
        "failed",
        'max rounds (3) exceeded in state "draft"',
    )


def test_the_last_valid_move_of_a_round_counts() -> None:
    play = ScriptedRun({f"{S}/draft/on_event": {"Submit": "review", "Abort": "done"}})
    move = "workflow__transition"
    play.say("", (move, {"event": "Submit"}), (move, {"event": "Fly"}), (move, {"event": "Abort"}))
    assert play.state == "done"


def test_a_reply_without_a_move_gives_the_turn_to_a_person() -> None:
    play = ScriptedRun({})
    play.say("How long shall it be?")
    question = play.asked
    assert isinstance(question, AskHuman)
    assert (question.kind, question.question) == ("answer", "How long shall it be?")
    assert [choice.label for choice in question.choices] == ["Submit"]
    assert play.run.status == "waiting"
    play.send(Approve(at=5.0, key=question.key, text="Two pages."))
    assert isinstance(play.asked, AskModel)
    assert [turn.role for turn in play.asked.messages] == ["user", "assistant", "user"]
    play.say("Done.")
    play.send(Approve(at=6.0, key=play.asked.key, event="Submit"))
    assert play.state == "review"


def test_a_person_may_lead_on_at_any_time() -> None:
    play = ScriptedRun({})
    play.send(Fire(at=2.0, event="Nope"))
    assert play.state == "draft"
    play.send(Fire(at=3.0, event="Submit"))
    assert play.state == "review"
    assert isinstance(play.asked, AskModel)


def test_an_external_state_waits_and_asks_no_model() -> None:
    play = ScriptedRun(
        {f"{S}/review/orchestration": "external", f"{S}/review/description": "The desk."}
    )
    play.go("Submit")
    question = play.asked
    assert isinstance(question, AskHuman)
    assert (question.kind, [choice.label for choice in question.choices]) == ("event", ["Approve"])
    assert "The desk." in question.question
    play.send(Approve(at=9.0, key=question.key, event="Nope"))
    assert play.state == "review"
    play.send(Approve(at=9.0, key=play.asked.key, event="Approve"))
    assert play.state == "done"


def test_tools_of_the_pack_are_called_and_the_model_hears_the_result() -> None:
    play = ScriptedRun({"tools": {"find": FIND}, "prompts/draft/tools": ["find", "unknown"]})
    assert [tool.name for tool in play.asked.tools] == ["find", "workflow__transition"]
    play.say("", ("find", {"q": "bees"}), ("find", {"q": "wasps"}))
    assert isinstance(play.asked, CallTool)
    assert (play.asked.name, play.asked.arguments) == ("find", {"q": "bees"})
    play.send(ToolDone(at=3.0, key=play.asked.key, result="buzz"))
    assert play.asked.arguments == {"q": "wasps"}
    play.send(ToolDone(at=4.0, key=play.asked.key, error="stung"))
    assert isinstance(play.asked, AskModel)
    assert [(turn.text, turn.tool_call_id) for turn in play.asked.messages[-2:]] == [
        ("buzz", "c0"),
        ("Error: stung", "c1"),
    ]
    assert play.run.tool_calls == 2


def test_a_move_waits_until_the_tools_of_its_round_are_done() -> None:
    play = ScriptedRun({"tools": {"find": FIND}, "prompts/draft/tools": ["find"]})
    play.say("", ("workflow__transition", {"event": "Submit", "context": "c"}), ("find", {}))
    assert play.state == "draft"
    play.send(ToolDone(at=3.0, key=play.asked.key, result="x"))
    assert play.state == "review"
    assert [turn.text for turn in play.asked.messages] == ["c"]


@pytest.mark.parametrize(
    ("policy", "offered", "error"),
    [
        ({"blocklist": ["find"]}, [], "Tool find is blocked by policy"),
        ({"tool_choice": "none"}, [], "there is no tool find here."),
        ({"max_tool_calls_per_turn": 1}, ["find"], "only 1 tool calls are allowed in one turn."),
    ],
)
def test_the_tool_policy_holds(policy: dict[str, Any], offered: list[str], error: str) -> None:
    play = ScriptedRun(
        {
            "tools": {"find": FIND},
            "prompts/draft/tools": ["find"],
            "prompts/draft/tool_policy": policy,
        }
    )
    names = [tool.name for tool in play.asked.tools if not tool.name.startswith("workflow__")]
    assert names == offered
    play.say("", ("workflow__set_artifact", {}), ("find", {}))
    assert error in [event.fields.get("error") for event in play.log]


def test_a_forced_tool_choice_holds_for_the_first_round() -> None:
    play = ScriptedRun({"prompts/draft/tool_policy": {"tool_choice": "required"}})
    assert play.asked.parameters == {"tool_choice": "required"}
    play.go("Fly")
    assert play.asked.parameters == {}


def test_artifacts_are_kept_and_read() -> None:
    slots = {"log": {"type": "text/plain", "mode": "append"}, "sha": {"type": "text/plain"}}
    play = ScriptedRun(
        {
            f"{S}/draft/artifacts": slots,
            "prompts/draft/system_template": "[{{artifacts.log}}]",
            "prompts/review/system_template": "{{artifacts.log}}/{{artifacts.sha}}",
        }
    )
    assert play.asked.system == "[]", "what is not set is empty"
    name = "workflow__set_artifact"
    play.say("", (name, {"name": "log", "value": "a"}), (name, {"name": "sha", "value": "1"}))
    play.say("", (name, {"name": "log", "value": "b"}), (name, {"name": "sha", "value": "2"}))
    play.say("", (name, {"name": "", "value": "b"}))
    assert "artifact name is required" in play.asked.messages[-1].text
    play.go("Submit")
    assert play.asked.system == "ab/2"
    assert [tool.name for tool in play.asked.tools] == ["workflow__transition", name]


def test_a_cap_redirects_once_and_says_so() -> None:
    play = ScriptedRun({**LOOP, f"{S}/draft/on_max_visits": "done"})
    for event in ("Submit", "Reject", "Submit", "Reject"):
        play.go(event)
    assert play.state == "done"
    taken = play.last("transition.taken").fields
    assert (taken["redirected"], taken["original_target"]) == (True, "draft")
    said = play.last("promptpack.max_visits_exceeded").fields
    assert said["reason"] == 'max_visits (2) reached for "draft"'
    assert play.run.visits == {"draft": 2, "review": 2, "done": 1}


def test_a_cap_without_a_way_out_ends_the_run_as_used_up() -> None:
    play = ScriptedRun(LOOP)
    for event in ("Submit", "Reject", "Submit", "Reject"):
        play.go(event)
    assert (play.run.status, play.run.reason) == (
        "budget_exhausted",
        'max visits exceeded: state "draft" visited 2 times (max 2)',
    )
    assert play.state == "review"


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        ({"max_total_visits": 2}, "workflow budget exhausted: max_total_visits 2 reached limit 2"),
        ({"max_tool_calls": 2}, "workflow budget exhausted: max_tool_calls 2 reached limit 2"),
    ],
)
def test_a_budget_ends_the_run(budget: dict[str, int], reason: str) -> None:
    play = ScriptedRun({"workflow/engine": {"budget": budget}})
    play.go("Submit")
    play.go("Approve")
    assert (play.run.status, play.run.reason) == ("budget_exhausted", reason)


def test_a_budget_that_is_no_budget_is_none() -> None:
    play = ScriptedRun(
        {"workflow/engine": {"budget": {"max_total_visits": 0, "max_tool_calls": "x"}}}
    )
    play.go("Submit")
    assert play.state == "review"


def test_a_target_that_does_not_exist_fails_the_run_there() -> None:
    play = ScriptedRun({f"{S}/draft/on_event/Submit": "ghost"})
    play.go("Submit")
    assert (play.run.status, play.run.reason) == ("failed", 'state "ghost" not found in spec')


def test_a_failed_model_call_fails_the_run() -> None:
    play = ScriptedRun({})
    play.send(Reply(at=2.0, key=play.asked.key, error="quota"))
    assert (play.run.status, play.run.reason) == (
        "failed",
        'The model gave no answer in "draft": quota',
    )


def test_required_variables_have_to_be_brought_along() -> None:
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
    play = ScriptedRun(needy, inputs={"n": "Ann"})
    play.go("Submit")
    assert play.asked.system == "Hi Ann"


def test_defaults_and_fragments_fill_the_prompt_in_all_spellings() -> None:
    play = ScriptedRun(
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
    assert play.asked.system == "Hello you, Hello you, Hello you, you, [1, true], {{ n }}"
    assert play.last("promptpack.unresolved").fields["names"] == [" n "]


def test_promptkit_sends_the_raw_text_where_something_is_left_over() -> None:
    raw = {"prompts/draft/system_template": "{{workflow_context}} {{nobody}}"}
    assert ScriptedRun(raw).asked.system == " {{nobody}}"
    assert ScriptedRun(raw, profile="promptkit").asked.system == "{{workflow_context}} {{nobody}}"


YIELDS = {"promptpack.yields": "yes"}


def test_a_starter_may_let_the_run_yield_after_the_model_moved() -> None:
    play = ScriptedRun({}, inputs=YIELDS)
    play.say("I wrote it.", ("workflow__transition", {"event": "Submit", "context": ""}))
    assert isinstance(play.asked, AskHuman)
    assert play.asked.question == "I wrote it.\n\n“review” is reached. What shall happen here?"
    play.person(text="Go on.")
    assert isinstance(play.asked, AskModel)
    assert [turn.text for turn in play.asked.messages] == ["Go on."]


def test_a_state_under_control_of_the_agent_does_not_yield_and_its_words_are_added_up() -> None:
    play = ScriptedRun({f"{S}/review/control": "agent"}, inputs=YIELDS)
    play.say("Written.", ("workflow__transition", {"event": "Submit", "context": ""}))
    assert isinstance(play.asked, AskModel)
    play.say("What do you think?")
    assert play.asked.question == "Written.\n\nWhat do you think?"


def test_an_external_state_waits_for_its_event_also_where_the_run_yields() -> None:
    play = ScriptedRun({f"{S}/review/orchestration": "external"}, inputs=YIELDS)
    play.say("Sent.", ("workflow__transition", {"event": "Submit", "context": ""}))
    assert play.asked.kind == "event"
    assert play.asked.question.startswith("Sent.\n\n“review” waits for an event from outside.")


def test_what_a_person_fires_never_yields() -> None:
    play = ScriptedRun({}, inputs=YIELDS)
    play.send(Fire(at=2.0, event="Submit"))
    assert isinstance(play.asked, AskModel)


def test_a_person_may_talk_to_an_external_state_and_still_nothing_moves_it_but_an_event() -> None:
    play = ScriptedRun({f"{S}/review/orchestration": "external"})
    play.go("Submit")
    play.person(text="How long will it take?")
    assert isinstance(play.asked, AskModel)
    assert (play.asked.choices, play.asked.tools) == ((), ())
    play.go("Approve")
    assert "there is no" not in play.last("tool.returned").fields["error"]
    assert play.state == "review"
    play.say("Two days.")
    assert play.asked.kind == "event"
    assert play.asked.question.startswith("Two days.")
    play.send(Fire(at=20.0, event="Approve"))
    assert play.state == "done"


def test_a_pack_without_a_workflow_runs_its_one_prompt() -> None:
    play = ScriptedRun({"workflow": GONE, "prompts": {"only": prompt("only", "Speak.")}})
    assert play.asked.system == "Speak."
    play.say("Hello.")
    assert play.run.status == "completed"


def test_what_cannot_start_says_why() -> None:
    with pytest.raises(CannotRun, match="3 prompts and no workflow"):
        program(source(pack({"workflow": GONE})), "documented")
    with pytest.raises(CannotRun, match="not a readable pack"):
        program(source(b"{"), "documented")
    with pytest.raises(CannotRun, match="no states"):
        program(source(pack({"workflow/states": {}})), "documented")
    play = ScriptedRun({"workflow/entry": "ghost"})
    assert play.run.status == "failed"
    assert "'ghost'" in play.run.reason


@pytest.mark.parametrize("profile", DIALECT.profiles)
def test_a_rehearsal_takes_every_arrow_of_the_samples(profile: str) -> None:
    for name, files in DIALECT.samples().items():
        found = DIALECT.read(files)
        walked = rehearse(
            DIALECT.program(found, profile), DIALECT.graph(found, profile), runs=20, seed=1
        )
        assert walked.unreached == (), name
        assert set(walked.outcomes) == {"completed"}, name
