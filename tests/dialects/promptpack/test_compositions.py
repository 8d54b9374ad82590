"""Compositions: what their steps ask for, what they come to, and which boxes light up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT, GONE, pack, prompt, source
from tests.dialects.promptpack.scripted_run import ScriptedRun
from workflows.core.engine.effects import AskHuman, AskModel, CallTool
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.signals import Control, Fire

FIND = {"name": "find", "description": "Find it.", "parameters": {"type": "object"}}


def step(id: str, kind: str = "prompt", **more: Any) -> dict[str, Any]:
    given = {"prompt_task": "p"} if kind in ("prompt", "agent") else {}
    return {"id": id, "kind": kind, **given, **more}


def branch(id: str, path: str, value: Any, then: str, **more: Any) -> dict[str, Any]:
    predicate = {"path": path, "op": "equals", "value": value}
    return step(id, "branch", predicate=predicate, then=then, **more)


def fan(*branches: dict[str, Any], strategy: str = "barrier") -> dict[str, Any]:
    reduce = {"strategy": strategy, "into": "all"}
    return step("fan", "parallel", branches=list(branches), reduce=reduce)


def composed(*steps: dict[str, Any], output: str = "", events: Any = None) -> dict[str, Any]:
    """Changes that make a pack of one composition `c` in a state `run`."""
    body = {"version": 1, "steps": list(steps), **({"output": output} if output else {})}
    state = {"orchestration": "composition", "composition": "c"}
    ends = {"on_event": events} if events else {"terminal": True}
    states = {"run": {**state, **ends}, "done": {"prompt_task": "p", "terminal": True}}
    return {
        "compositions": {"c": body},
        "prompts": {"p": prompt("p", "Work on {{input}}."), "q": prompt("q", "Ask.")},
        "tools": {"find": FIND},
        "workflow": {"version": 1, "entry": "run", "states": states},
    }


def started(*steps: dict[str, Any], given: Any = "x", **more: Any) -> ScriptedRun:
    text = given if isinstance(given, str) else json.dumps(given)
    return ScriptedRun(composed(*steps, **more), inputs={"input": text})


def output(play: ScriptedRun) -> Any:
    return play.last("promptpack.composition.completed").fields["output"]


def test_a_prompt_step_is_one_call_without_tools_and_its_text_is_the_output() -> None:
    play = started(step("a", input="Say ${input.who}!"), given={"who": "Ann"})
    assert isinstance(play.asked, AskModel)
    assert (play.asked.state, play.asked.system) == ("c/a", "Work on Say Ann!.")
    assert [turn.text for turn in play.asked.messages] == ["Say Ann!"]
    assert play.asked.tools == ()
    play.reply(text="Hello.")
    assert (output(play), play.run.status) == ("Hello.", "completed")


def test_an_object_as_input_keeps_its_types_and_its_parts_are_variables() -> None:
    changes = composed(step("a", input={"n": "${input.n}", "say": "${input.n} times"}))
    changes["prompts/p/system_template"] = "{{say}}: {{n}}"
    play = ScriptedRun(changes, inputs={"input": '{"n": [1, 2]}'})
    assert json.loads(play.asked.messages[0].text) == {"n": [1, 2], "say": "[1,2] times"}
    assert play.asked.system == "[1,2] times: [1,2]"


def test_a_step_without_input_works_on_that_of_the_composition() -> None:
    assert started(step("a"), given="42").asked.messages[0].text == "42"


def test_boxes_light_up_step_by_step_and_visits_of_the_workflow_count_states_alone() -> None:
    changes = composed(step("a"), step("b", input="${a.output}"))
    changes["workflow"]["engine"] = {"budget": {"max_total_visits": 2}}
    play = ScriptedRun(changes, inputs={"input": "x"})
    assert [place.state for place in play.run.positions] == ["run", "c/a"]
    play.reply(text="one")
    assert [place.state for place in play.run.positions] == ["run", "c/b"]
    assert play.asked.messages[0].text == "one"
    play.reply(text="two")
    assert (play.run.status, output(play)) == ("completed", "two")
    told = [(e.fields["step"], e.type.rpartition(".")[2]) for e in play.log if ".step." in e.type]
    assert told == [("c/a", "entered"), ("c/a", "left"), ("c/b", "entered"), ("c/b", "left")]
    assert play.run.taken["c/a||c/b"] == 1


@pytest.mark.parametrize(("kind", "asked"), [("paper", "c/paper"), ("memo", "c/general")])
def test_a_branch_chooses_and_what_it_left_out_is_skipped(kind: str, asked: str) -> None:
    play = started(
        step("classify", output_schema="schemas/kind.json"),
        branch("route", "${classify.output.kind}", "paper", "paper", **{"else": "general"}),
        step("paper"),
        step("general"),
        step("join", depends_on=["paper", "general"]),
    )
    assert play.asked.schema == {
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        "required": ["kind"],
    }
    play.reply(text=json.dumps({"kind": kind}))
    assert play.asked.state == asked
    play.reply(text="done")
    assert play.asked.state == "c/join"
    label = "then" if kind == "paper" else "else"
    assert play.run.taken[f"c/route|{label}|{asked}"] == 1
    assert play.run.taken[f"{asked}|depends_on|c/join"] == 1
    skipped = [e.fields["step"] for e in play.log if e.fields.get("status") == "skipped"]
    assert skipped == [{"c/paper": "c/general", "c/general": "c/paper"}[asked]]


def test_parallel_branches_are_asked_at_once_and_meet_again() -> None:
    play = started(
        fan(step("a"), step("b", "tool", tool="find", args={"q": "${input}"})),
        step("after", input="${fan.output.all}"),
    )
    assert [place.state for place in play.run.positions] == ["run", "c/fan", "c/a", "c/b"]
    call = play.asked_at("c/b")
    assert isinstance(call, CallTool)
    assert (call.name, call.arguments) == ("find", {"q": "x"})
    play.tool('{"hits": 2}', state="c/b")
    play.reply("c/a", text="A")
    assert play.asked.state == "c/after"
    assert json.loads(play.asked.messages[0].text) == {"a": "A", "b": {"hits": 2}}
    assert [play.run.taken[f"c/{one}||c/after"] for one in "ab"] == [1, 1]


def test_failing_branches_are_all_named_once_the_others_are_done() -> None:
    play = started(fan(step("a"), step("b"), step("d")))
    play.reply("c/a", error="quota")
    assert play.run.status == "running"
    play.reply("c/b", text="B")
    play.reply("c/d", error="asleep")
    assert (play.run.status, play.run.reason) == (
        "failed",
        'composition "c": step "fan": branch "a": quota; branch "d": asleep',
    )


def test_a_step_is_tried_as_often_as_it_may() -> None:
    twice = {"retry": {"max_attempts": 3}}
    play = started(step("a", modifiers=twice))
    play.reply(error="one")
    play.reply(error="two")
    play.reply(text="at last")
    assert output(play) == "at last"
    assert [e.fields["attempt"] for e in play.every("promptpack.step.retried")] == [2, 3]
    play = started(step("a", "tool", tool="find", modifiers={"retry": {"max_attempts": 2}}))
    play.tool(error="one")
    play.tool(error="two")
    assert play.run.reason == 'composition "c": step "a": two'


def test_an_agent_step_uses_the_tools_it_names_and_ends_with_its_words() -> None:
    changes = composed(step("a", "agent", tools=["find"], termination={"max_steps": 3}))
    changes["tools"] = {"find": FIND, "other": FIND}
    changes["prompts/p/tools"] = ["find", "other"]
    play = ScriptedRun(changes, inputs={"input": "bees"})
    assert [tool.name for tool in play.asked.tools] == ["find"]
    play.say("", ("find", {"q": "bees"}), ("other", {}))
    assert play.asked.name == "find"
    play.tool("buzz")
    assert [turn.text for turn in play.asked.messages][-2:] == [
        "Error: unknown tool other.",
        "buzz",
    ]
    play.say("They buzz.")
    assert output(play) == "They buzz."


@pytest.mark.parametrize(
    ("profile", "ends"), [("documented", "completed"), ("promptkit", "failed")]
)
def test_an_agent_step_ends_after_its_steps(profile: str, ends: str) -> None:
    changes = composed(step("a", "agent", tools=["find"], termination={"max_steps": 1}))
    changes["prompts/p/tools"] = ["find"]
    play = ScriptedRun(changes, profile=profile, inputs={"input": "x"})
    play.say("Looking.", ("find", {}))
    play.tool("nothing")
    assert play.run.status == ends
    if ends == "completed":
        assert output(play) == "Looking."


def test_an_agent_step_ends_with_the_tool_that_ends_it_once_that_succeeds() -> None:
    ending = {"tool_called": "find"}
    changes = composed(step("a", "agent", tools=["find"], termination=ending))
    changes["prompts/p/tools"] = ["find"]
    play = ScriptedRun(changes, inputs={"input": "x"})
    play.say("", ("find", {"q": 1}))
    play.tool(error="no")
    assert isinstance(play.asked, AskModel)
    play.say("", ("find", {"q": 2}))
    play.tool("yes")
    assert output(play) == {"q": 2}


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([step("a", input="${nope.output}")], 'step "a": unresolved reference "${nope.output}"'),
        ([step("a", prompt_task="z")], 'step "a": prompt_task "z" does not reference a valid'),
        ([step("a", "tool", tool="z")], 'step "a": tool "z" does not reference a valid tool'),
        ([step("a", "vendor.judge")], 'step "a": unknown kind "vendor.judge"'),
        ([branch("a", "${input}", 1, "b") | {"predicate": {}}], 'step "a": predicate must set'),
        ([fan(step("x"), branch("y", "${input}", 1, "x"))], "nested branch not supported"),
        ([fan(step("x"))], "parallel step must have at least two branches"),
        ([step("a"), step("a")], 'composition "c": duplicate step id "a"'),
        ([], 'composition "c": it has no steps'),
    ],
)
def test_what_cannot_be_carried_out_fails_the_run_with_a_sentence(
    steps: list[dict[str, Any]], reason: str
) -> None:
    play = started(*steps)
    if play.run.status == "running":
        play.reply("c/x", text="X")
    assert play.run.status == "failed"
    assert reason in play.run.reason


def test_an_output_step_that_was_skipped_fails_the_composition() -> None:
    play = started(branch("r", "${input}", "y", "a"), step("a"), step("b"), output="a")
    play.reply(text="B")
    assert play.run.reason == (
        'composition "c": output step "a" produced no bindable output (it was skipped)'
    )


def test_an_output_may_name_the_event_that_follows_and_is_handed_on() -> None:
    changes = composed(step("a", output_schema="x.json"), events={"Ok": "done", "No": "run"})
    changes["prompts/p/system_template"] = "{{workflow_context}}"
    play = ScriptedRun(changes, inputs={"input": "x"})
    play.reply(structured={"event": "Ok", "why": "fine"})
    assert play.asked.state == "done"
    assert json.loads(play.asked.system) == {"event": "Ok", "why": "fine"}


def test_where_it_names_none_a_person_says_what_follows() -> None:
    play = started(step("a"), events={"Ok": "done"})
    play.reply(text="It depends.")
    assert isinstance(play.asked, AskHuman)
    assert "It depends." in play.asked.question
    assert [choice.label for choice in play.asked.choices] == ["Ok"]
    play.person(event="Ok")
    assert play.asked.messages[0].text == "It depends."


def test_a_person_may_give_a_composition_something_else_to_work_on() -> None:
    play = started(step("a"), events={"Ok": "done"})
    play.reply(text="It depends.")
    play.person(text="On what?")
    assert (play.asked.state, play.asked.messages[0].text) == ("c/a", "On what?")
    assert play.run.visits["c/a"] == 2


def test_a_composition_that_nobody_gave_anything_asks_a_person_for_it() -> None:
    changes = composed(branch("r", "${input.n}", 3, "a"), step("a"), step("b"))
    play = ScriptedRun(changes)
    assert isinstance(play.asked, AskHuman)
    assert play.asked.schema["required"] == ["n"]
    assert [choice.transition for choice in play.asked.choices] == ["c/r|then|c/a", "c/r||c/b"]
    play.person(structured={"n": 3})
    assert play.asked.state == "c/a"


def test_inputs_by_name_are_what_the_steps_read() -> None:
    play = ScriptedRun(composed(step("a", input="${input.text}")), inputs={"text": "hello"})
    assert play.asked.messages[0].text == "hello"


def test_a_pack_with_one_composition_and_no_workflow_runs_it() -> None:
    changes = {**composed(step("a")), "workflow": GONE}
    play = ScriptedRun(changes, inputs={"input": "x"})
    play.reply(text="A")
    assert (play.run.status, output(play)) == ("completed", "A")


def test_a_composition_that_is_not_there_fails_the_run() -> None:
    play = ScriptedRun({**composed(step("a")), "compositions": {}}, inputs={"input": "x"})
    assert play.run.reason == 'composition "c" not found in pack'


def test_a_second_stay_knows_nothing_of_the_first() -> None:
    changes = composed(
        step("a", output_schema="s.json"),
        branch("r", "${a.output.event}", "Again", "b"),
        step("b"),
        output="a",
        events={"Again": "run", "Ok": "done"},
    )
    play = ScriptedRun(changes, inputs={"input": "x"})
    play.reply(structured={"event": "Again"})
    play.reply(text="B")
    play.reply(structured={"event": "Ok"})
    assert play.asked.state == "done"
    assert play.run.visits["c/b"] == 1


def test_a_rehearsal_goes_every_way_through_a_composition() -> None:
    changes = composed(
        step("classify", output_schema="s.json"),
        branch("route", "${classify.output.kind}", "paper", "paper", **{"else": "big"}),
        step("paper"),
        {
            **step("big", "branch", then="many", **{"else": "few"}),
            "predicate": {"path": "${classify.output.n}", "op": "greater_than", "value": 9},
        },
        fan(step("many"), step("more")),
        step("few"),
    )
    changes["compositions"]["c"]["steps"][3]["then"] = "fan"
    found = source(pack(changes))
    graph = DIALECT.graph(found, "documented")
    walked = rehearse(DIALECT.program(found, "documented"), graph, runs=20, seed=1)
    assert walked.unreached == ()
    assert set(walked.outcomes) == {"completed"}


def test_a_rehearsal_makes_up_what_later_steps_read_of_a_tool() -> None:
    changes = composed(
        step("look", "tool", tool="find", args={"q": "${input}"}),
        branch("route", "${look.output.found}", True, "tell", **{"else": "ask"}),
        step("tell", input="${look.output.hit.name}"),
        step("ask", input={"near": "${look.output.near}"}),
    )
    found = source(pack(changes))
    graph = DIALECT.graph(found, "documented")
    walked = rehearse(DIALECT.program(found, "documented"), graph, runs=20, seed=1)
    assert walked.unreached == ()
    assert set(walked.outcomes) == {"completed"}


def test_a_parallel_step_is_tried_again_with_all_of_its_branches() -> None:
    twice = {"modifiers": {"retry": {"max_attempts": 2}}}
    play = started(fan(step("a"), step("b")) | twice)
    play.reply("c/a", text="A1")
    play.reply("c/b", error="quota")
    assert play.last("promptpack.step.retried").fields["error"] == 'branch "b": quota'
    play.reply("c/a", text="A2")
    play.reply("c/b", text="B2")
    assert output(play) == {"all": {"a": "A2", "b": "B2"}}


@pytest.mark.parametrize(
    ("reference", "schema"),
    [
        ("#/metadata/kinds", {"type": "string", "enum": ["x", "y"]}),
        ("#/metadata/nothing", None),
        ("schemas/kinds.json", None),
    ],
)
def test_a_schema_inside_the_pack_is_used_as_it_is(reference: str, schema: Any) -> None:
    changes = composed(step("a", output_schema=reference), step("b", input="${a.output}"))
    changes["metadata"] = {"kinds": {"type": "string", "enum": ["x", "y"]}}
    play = ScriptedRun(changes, inputs={"input": "x"})
    assert play.asked.schema == schema
    play.reply(text="no JSON")
    assert play.last("promptpack.step.unparsed").fields["step"] == "c/a"
    assert play.asked.messages[0].text == "no JSON"


def test_a_composition_that_the_model_led_to_yields_where_the_starter_wants_it() -> None:
    changes = composed(step("a"), events={"Ok": "done"})
    changes["workflow"]["entry"] = "first"
    changes["workflow"]["states"]["first"] = {"prompt_task": "q", "on_event": {"Go": "run"}}
    play = ScriptedRun(changes, inputs={"input": "x", "promptpack.yields": "yes"})
    play.go("Go", "handed on")
    assert isinstance(play.asked, AskHuman)
    play.person(text="Take this instead.")
    assert play.asked.messages[0].text == "Take this instead."
    play = ScriptedRun(changes, inputs={"input": "x"})
    play.go("Go", "handed on")
    assert play.asked.messages[0].text == "handed on"


def test_to_a_persistent_state_a_composition_was_one_turn() -> None:
    changes = composed(step("a"), step("b"), events={"Ok": "done"})
    changes["workflow"]["states"]["done"]["persistence"] = "persistent"
    play = ScriptedRun(changes, inputs={"input": "x"})
    play.reply(text="A")
    play.reply(text="Ok")
    assert [(turn.role, turn.text) for turn in play.asked.messages] == [
        ("user", "x"),
        ("assistant", "Ok"),
    ]


def test_an_input_that_a_person_picks_is_not_taken_for_an_event() -> None:
    events = {"a": "done"}
    changes = composed(branch("r", "${input.n}", 3, "a"), step("a"), step("b"), events=events)
    play = ScriptedRun(changes)
    assert [choice.label for choice in play.asked.choices] == ["a", "past r"]
    play.person(event="a")
    assert (play.asked.state, play.asked.messages[0].text) == ("c/a", '{"n":3}')


def test_an_event_from_outside_is_heard_once_the_composition_is_done() -> None:
    play = started(step("a"), events={"Ok": "done"})
    before = len(play.log)
    play.send(Fire(at=2.0, event="Ok"))
    assert len(play.log) == before, "while it runs, nobody is there to hear of it"
    play.reply(text="A")
    play.send(Fire(at=4.0, event="Ok"))
    assert play.asked.state == "done"
    assert play.asked.messages[0].text == "A"


def test_a_paused_composition_holds_every_branch_and_goes_on_with_all() -> None:
    play = started(fan(step("a"), step("b")), step("d"))
    play.send(Control(at=2.0, what="pause"))
    play.reply("c/a", text="A")
    play.reply("c/b", text="B")
    assert play.effects == ()
    play.send(Control(at=9.0, what="resume"))
    assert play.asked.state == "c/d"
    play.reply(text="D")
    assert play.run.status == "completed"
