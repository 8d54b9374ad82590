"""Compositions: requests and outputs of their steps, and the states that a run enters."""

from __future__ import annotations

import json
from typing import Any

from tests.dialects.promptpack.packs import DIALECT, GONE, pack, prompt, source
from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.support.checks import each_row
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
    """Changes for a pack with one composition `c` in a state `run`."""
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


def output(scripted: ScriptedRun) -> Any:
    return scripted.last("promptpack.composition.completed").fields["output"]


def test_a_prompt_step_is_one_call_without_tools_and_its_text_is_the_output() -> None:
    scripted = started(step("a", input="Say ${input.who}!"), given={"who": "Ann"})
    assert isinstance(scripted.pending, AskModel)
    assert (scripted.pending.state, scripted.pending.system) == ("c/a", "Work on Say Ann!.")
    assert [turn.text for turn in scripted.pending.messages] == ["Say Ann!"]
    assert scripted.pending.tools == ()
    scripted.reply(text="Hello.")
    assert (output(scripted), scripted.run.status) == ("Hello.", "completed")


def test_an_object_as_input_keeps_its_types_and_its_members_are_variables() -> None:
    changes = composed(step("a", input={"n": "${input.n}", "say": "${input.n} times"}))
    changes["prompts/p/system_template"] = "{{say}}: {{n}}"
    scripted = ScriptedRun(changes, inputs={"input": '{"n": [1, 2]}'})
    assert json.loads(scripted.pending.messages[0].text) == {"n": [1, 2], "say": "[1,2] times"}
    assert scripted.pending.system == "[1,2] times: [1,2]"


def test_a_step_without_input_uses_the_input_of_the_composition() -> None:
    assert started(step("a"), given="42").pending.messages[0].text == "42"


def test_steps_are_entered_in_order_and_only_states_count_as_visits() -> None:
    changes = composed(step("a"), step("b", input="${a.output}"))
    changes["workflow"]["engine"] = {"budget": {"max_total_visits": 2}}
    scripted = ScriptedRun(changes, inputs={"input": "x"})
    assert [place.state for place in scripted.run.positions] == ["run", "c/a"]
    scripted.reply(text="one")
    assert [place.state for place in scripted.run.positions] == ["run", "c/b"]
    assert scripted.pending.messages[0].text == "one"
    scripted.reply(text="two")
    assert (scripted.run.status, output(scripted)) == ("completed", "two")
    entered = [
        (e.fields["step"], e.type.rpartition(".")[2]) for e in scripted.log if ".step." in e.type
    ]
    assert entered == [("c/a", "entered"), ("c/a", "left"), ("c/b", "entered"), ("c/b", "left")]
    assert scripted.run.taken["c/a||c/b"] == 1


@each_row([("paper", "c/paper"), ("memo", "c/general")])
def test_a_branch_step_skips_the_target_it_did_not_choose(kind: str, target: str) -> None:
    scripted = started(
        step("classify", output_schema="schemas/kind.json"),
        branch("route", "${classify.output.kind}", "paper", "paper", **{"else": "general"}),
        step("paper"),
        step("general"),
        step("join", depends_on=["paper", "general"]),
    )
    assert scripted.pending.schema == {
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        "required": ["kind"],
    }
    scripted.reply(text=json.dumps({"kind": kind}))
    assert scripted.pending.state == target
    scripted.reply(text="done")
    assert scripted.pending.state == "c/join"
    label = "then" if kind == "paper" else "else"
    assert scripted.run.taken[f"c/route|{label}|{target}"] == 1
    assert scripted.run.taken[f"{target}|depends_on|c/join"] == 1
    skipped = [e.fields["step"] for e in scripted.log if e.fields.get("status") == "skipped"]
    assert skipped == [{"c/paper": "c/general", "c/general": "c/paper"}[target]]


def test_parallel_branches_run_in_parallel_and_are_joined() -> None:
    scripted = started(
        fan(step("a"), step("b", "tool", tool="find", args={"q": "${input}"})),
        step("after", input="${fan.output.all}"),
    )
    assert [place.state for place in scripted.run.positions] == ["run", "c/fan", "c/a", "c/b"]
    call = scripted.pending_in("c/b")
    assert isinstance(call, CallTool)
    assert (call.name, call.arguments) == ("find", {"q": "x"})
    scripted.tool('{"hits": 2}', state="c/b")
    scripted.reply("c/a", text="A")
    assert scripted.pending.state == "c/after"
    assert json.loads(scripted.pending.messages[0].text) == {"a": "A", "b": {"hits": 2}}
    assert [scripted.run.taken[f"c/{one}||c/after"] for one in "ab"] == [1, 1]


def test_all_failed_branches_are_reported_after_the_other_branches_end() -> None:
    scripted = started(fan(step("a"), step("b"), step("d")))
    scripted.reply("c/a", error="quota")
    assert scripted.run.status == "running"
    scripted.reply("c/b", text="B")
    scripted.reply("c/d", error="asleep")
    assert (scripted.run.status, scripted.run.reason) == (
        "failed",
        'composition "c": step "fan": branch "a": quota; branch "d": asleep',
    )


def test_a_step_is_retried_up_to_its_limit() -> None:
    twice = {"retry": {"max_attempts": 3}}
    scripted = started(step("a", modifiers=twice))
    scripted.reply(error="one")
    scripted.reply(error="two")
    scripted.reply(text="at last")
    assert output(scripted) == "at last"
    assert [e.fields["attempt"] for e in scripted.events_of("promptpack.step.retried")] == [2, 3]
    scripted = started(step("a", "tool", tool="find", modifiers={"retry": {"max_attempts": 2}}))
    scripted.tool(error="one")
    scripted.tool(error="two")
    assert scripted.run.reason == 'The tool find failed: two. composition "c": step "a": two'


def test_an_agent_step_uses_its_own_tools_and_returns_its_last_reply() -> None:
    changes = composed(step("a", "agent", tools=["find"], termination={"max_steps": 3}))
    changes["tools"] = {"find": FIND, "other": FIND}
    changes["prompts/p/tools"] = ["find", "other"]
    scripted = ScriptedRun(changes, inputs={"input": "bees"})
    assert [tool.name for tool in scripted.pending.tools] == ["find"]
    scripted.model("", ("find", {"q": "bees"}), ("other", {}))
    assert scripted.pending.name == "find"
    scripted.tool("buzz")
    assert [turn.text for turn in scripted.pending.messages][-2:] == [
        "Error: unknown tool other.",
        "buzz",
    ]
    scripted.model("They buzz.")
    assert output(scripted) == "They buzz."


@each_row([("documented", "completed"), ("promptkit", "failed")])
def test_an_agent_step_ends_after_max_steps(profile: str, ends: str) -> None:
    changes = composed(step("a", "agent", tools=["find"], termination={"max_steps": 1}))
    changes["prompts/p/tools"] = ["find"]
    scripted = ScriptedRun(changes, profile=profile, inputs={"input": "x"})
    scripted.model("Looking.", ("find", {}))
    scripted.tool("nothing")
    assert scripted.run.status == ends
    if ends == "completed":
        assert output(scripted) == "Looking."


def test_a_successful_call_of_the_terminating_tool_ends_an_agent_step() -> None:
    ending = {"tool_called": "find"}
    changes = composed(step("a", "agent", tools=["find"], termination=ending))
    changes["prompts/p/tools"] = ["find"]
    scripted = ScriptedRun(changes, inputs={"input": "x"})
    scripted.model("", ("find", {"q": 1}))
    scripted.tool(error="no")
    assert isinstance(scripted.pending, AskModel)
    scripted.model("", ("find", {"q": 2}))
    scripted.tool("yes")
    assert output(scripted) == {"q": 2}


@each_row(
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
    ]
)
def test_an_invalid_step_fails_the_run_with_the_reason(
    steps: list[dict[str, Any]], reason: str
) -> None:
    scripted = started(*steps)
    if scripted.run.status == "running":
        scripted.reply("c/x", text="X")
    assert scripted.run.status == "failed"
    assert reason in scripted.run.reason


def test_an_output_step_that_was_skipped_fails_the_composition() -> None:
    scripted = started(branch("r", "${input}", "y", "a"), step("a"), step("b"), output="a")
    scripted.reply(text="B")
    assert scripted.run.reason == (
        'composition "c": output step "a" produced no bindable output (it was skipped)'
    )


def test_an_output_can_name_the_next_event_and_is_passed_on() -> None:
    changes = composed(step("a", output_schema="x.json"), events={"Ok": "done", "No": "run"})
    changes["prompts/p/system_template"] = "{{workflow_context}}"
    scripted = ScriptedRun(changes, inputs={"input": "x"})
    scripted.reply(structured={"event": "Ok", "why": "fine"})
    assert scripted.pending.state == "done"
    assert json.loads(scripted.pending.system) == {"event": "Ok", "why": "fine"}


def test_a_person_chooses_the_event_if_the_output_names_none() -> None:
    scripted = started(step("a"), events={"Ok": "done"})
    scripted.reply(text="It depends.")
    assert isinstance(scripted.pending, AskHuman)
    assert "It depends." in scripted.pending.question
    assert [choice.label for choice in scripted.pending.choices] == ["Ok"]
    scripted.person(event="Ok")
    assert scripted.pending.messages[0].text == "It depends."


def test_a_person_can_restart_a_composition_with_another_input() -> None:
    scripted = started(step("a"), events={"Ok": "done"})
    scripted.reply(text="It depends.")
    scripted.person(text="On what?")
    assert (scripted.pending.state, scripted.pending.messages[0].text) == ("c/a", "On what?")
    assert scripted.run.visits["c/a"] == 2


def test_a_composition_without_input_asks_a_person() -> None:
    changes = composed(branch("r", "${input.n}", 3, "a"), step("a"), step("b"))
    scripted = ScriptedRun(changes)
    assert isinstance(scripted.pending, AskHuman)
    assert scripted.pending.schema["required"] == ["n"]
    assert [choice.transition for choice in scripted.pending.choices] == [
        "c/r|then|c/a",
        "c/r||c/b",
    ]
    scripted.person(structured={"n": 3})
    assert scripted.pending.state == "c/a"


def test_run_inputs_become_the_input_that_steps_read_by_name() -> None:
    scripted = ScriptedRun(composed(step("a", input="${input.text}")), inputs={"text": "hello"})
    assert scripted.pending.messages[0].text == "hello"


def test_a_pack_with_one_composition_and_no_workflow_runs_it() -> None:
    changes = {**composed(step("a")), "workflow": GONE}
    scripted = ScriptedRun(changes, inputs={"input": "x"})
    scripted.reply(text="A")
    assert (scripted.run.status, output(scripted)) == ("completed", "A")


def test_a_missing_composition_fails_the_run() -> None:
    scripted = ScriptedRun({**composed(step("a")), "compositions": {}}, inputs={"input": "x"})
    assert scripted.run.reason == 'composition "c" not found in pack'


def test_a_second_visit_starts_without_results_of_the_first() -> None:
    changes = composed(
        step("a", output_schema="s.json"),
        branch("r", "${a.output.event}", "Again", "b"),
        step("b"),
        output="a",
        events={"Again": "run", "Ok": "done"},
    )
    scripted = ScriptedRun(changes, inputs={"input": "x"})
    scripted.reply(structured={"event": "Again"})
    scripted.reply(text="B")
    scripted.reply(structured={"event": "Ok"})
    assert scripted.pending.state == "done"
    assert scripted.run.visits["c/b"] == 1


def test_a_rehearsal_takes_every_path_through_a_composition() -> None:
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


def test_a_rehearsal_simulates_the_tool_results_that_later_steps_read() -> None:
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


def test_a_parallel_step_is_retried_with_all_of_its_branches() -> None:
    twice = {"modifiers": {"retry": {"max_attempts": 2}}}
    scripted = started(fan(step("a"), step("b")) | twice)
    scripted.reply("c/a", text="A1")
    scripted.reply("c/b", error="quota")
    assert scripted.last("promptpack.step.retried").fields["error"] == 'branch "b": quota'
    scripted.reply("c/a", text="A2")
    scripted.reply("c/b", text="B2")
    assert output(scripted) == {"all": {"a": "A2", "b": "B2"}}


@each_row(
    [
        ("#/metadata/kinds", {"type": "string", "enum": ["x", "y"]}),
        ("#/metadata/nothing", None),
        ("schemas/kinds.json", None),
    ]
)
def test_a_schema_inside_the_pack_is_used_as_it_is(reference: str, schema: Any) -> None:
    changes = composed(step("a", output_schema=reference), step("b", input="${a.output}"))
    changes["metadata"] = {"kinds": {"type": "string", "enum": ["x", "y"]}}
    scripted = ScriptedRun(changes, inputs={"input": "x"})
    assert scripted.pending.schema == schema
    scripted.reply(text="no JSON")
    assert scripted.last("promptpack.step.unparsed").fields["step"] == "c/a"
    assert scripted.pending.messages[0].text == "no JSON"


def test_a_composition_entered_by_the_model_yields_if_the_run_enables_it() -> None:
    changes = composed(step("a"), events={"Ok": "done"})
    changes["workflow"]["entry"] = "first"
    changes["workflow"]["states"]["first"] = {"prompt_task": "q", "on_event": {"Go": "run"}}
    scripted = ScriptedRun(changes, inputs={"input": "x", "promptpack.yields": "yes"})
    scripted.take("Go", "handed on")
    assert isinstance(scripted.pending, AskHuman)
    scripted.person(text="Take this instead.")
    assert scripted.pending.messages[0].text == "Take this instead."
    scripted = ScriptedRun(changes, inputs={"input": "x"})
    scripted.take("Go", "handed on")
    assert scripted.pending.messages[0].text == "handed on"


def test_a_composition_is_one_turn_of_a_persistent_conversation() -> None:
    changes = composed(step("a"), step("b"), events={"Ok": "done"})
    changes["workflow"]["states"]["done"]["persistence"] = "persistent"
    scripted = ScriptedRun(changes, inputs={"input": "x"})
    scripted.reply(text="A")
    scripted.reply(text="Ok")
    assert [(turn.role, turn.text) for turn in scripted.pending.messages] == [
        ("user", "x"),
        ("assistant", "Ok"),
    ]


def test_an_input_chosen_by_a_person_is_not_an_event() -> None:
    events = {"a": "done"}
    changes = composed(branch("r", "${input.n}", 3, "a"), step("a"), step("b"), events=events)
    scripted = ScriptedRun(changes)
    assert [choice.label for choice in scripted.pending.choices] == ["a", "past r"]
    scripted.person(event="a")
    assert (scripted.pending.state, scripted.pending.messages[0].text) == ("c/a", '{"n":3}')


def test_an_outside_event_is_accepted_after_the_composition_has_finished() -> None:
    scripted = started(step("a"), events={"Ok": "done"})
    before = len(scripted.log)
    scripted.send(Fire(at=2.0, event="Ok"))
    assert len(scripted.log) == before, "while it runs, nobody is there to hear of it"
    scripted.reply(text="A")
    scripted.send(Fire(at=4.0, event="Ok"))
    assert scripted.pending.state == "done"
    assert scripted.pending.messages[0].text == "A"


def test_a_paused_composition_pauses_and_resumes_all_branches() -> None:
    scripted = started(fan(step("a"), step("b")), step("d"))
    scripted.send(Control(at=2.0, what="pause"))
    scripted.reply("c/a", text="A")
    scripted.reply("c/b", text="B")
    assert scripted.effects == ()
    scripted.send(Control(at=9.0, what="resume"))
    assert scripted.pending.state == "c/d"
    scripted.reply(text="D")
    assert scripted.run.status == "completed"
