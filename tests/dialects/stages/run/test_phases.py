"""The seven phases of one stage: their order, their results and their failures."""

import pytest

from tests.dialects.stages.run.scripted_run import ScriptedRun, at_once, is_, then
from tests.support.checks import each_row
from workflows.core.dialects.stages.program import setup as beginning
from workflows.core.dialects.stages.program.faults import StageFault
from workflows.core.dialects.stages.program.stage_context import PHASES, PhaseContext
from workflows.core.engine.program import CannotRun

WHOLE = [mark for phase in PHASES for mark in (phase, f"/{phase}")]


def test_a_successful_stage_passes_the_seven_phases_in_order():
    play = ScriptedRun({"a": {}})
    play.submit()
    assert play.phases == WHOLE
    names = [e.type for e in play.log if e.type in ("stages.turn", "stages.phase")]
    assert names == ["stages.turn", *["stages.phase"] * 14, "stages.turn"]
    assert [turn["edge"] for turn in play.event_fields("turn")] == ["start", "end"]
    assert play.run.status == "completed"


def test_exit_ends_before_the_next_setup():
    play = ScriptedRun({"a": {"next": then("b")}, "b": {}})
    play.submit()
    play.submit()
    assert play.phases == WHOLE * 2
    assert [turn["edge"] for turn in play.event_fields("turn")] == ["start", "end", "start", "end"]


def test_setup_fills_ctx_from_input_slot_and_predecessor():
    fields = {
        "task": {"from": "run.input.task"},
        "count": {"from": "run.input.count"},
        "plan": {"from": "slot.plan.title"},
        "note": {"from": "upstream[0].parsed.note"},
        "missing": {"from": "slot.gone", "default": [1]},
        "nothing": {"from": "slot.gone", "optional": True},
        "run": {"from": "run.workflowRunId"},
        "visits": {"from": "run.visits.a"},
    }
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}}
    play = ScriptedRun(
        {
            "a": {"exit": {"slot": {"plan": "result.parsed"}}, "next": then("b")},
            "b": {"setup": fields},
        },
        inputs={"task": "7", "count": "7"},
        runInputSchema=schema,
    )
    play.submit(title="T", note="N")
    ctx = play.event_fields("context", stageId="b")[0]["memory"]["ctx"]
    assert {name: ctx[name] for name in ctx if name in fields} == {
        "task": "7",
        "count": 7,
        "plan": "T",
        "note": "N",
        "missing": [1],
        "run": "run-1",
        "visits": 1,
    }


def test_the_body_is_the_system_prompt_with_its_placeholders_filled_in():
    body = "{{stage.id}} ({{stage.name}}) {{ctx.task}} {{ctx.workflowRunId}} {{ctx.gone}}"
    setup = {"task": {"from": "run.input.task"}, "gone": {"from": "slot.x", "optional": True}}
    play = ScriptedRun(
        {"a": {"setup": setup}}, {"a": {"body": body}}, inputs={"task": "{{ctx.gone}}"}
    )
    assert play.wanted().system == "a (A) {{ctx.gone}} run-1 "
    assert play.wanted().messages == ()
    assert "{{ctx.gone}} on line 1" in play.event_fields("warning")[0]["message"]


def test_the_result_has_what_may_cross_to_another_stage_and_no_transcript():
    play = ScriptedRun(
        {"a": {"exit": {"output": {"digest": "result.parsed.long", "x": "result.gone"}}}}
    )
    play.say("thinking aloud")
    play.submit(long="text")
    assert play.result("a") == {
        "verdict": "ok",
        "parsed": {"long": "text"},
        "capHit": False,
        "attemptCount": 1,
        "output": {"digest": "text"},
    }


def test_exit_writes_the_slot_and_keeps_what_it_has_no_value_for():
    slot = {"plan": "result.parsed.plan", "gone": "result.parsed.gone", "why": "result.verdict"}
    play = ScriptedRun({"a": {"exit": {"slot": slot}}})
    play.submit(plan={"steps": [1]})
    assert play.run.artifacts == {"plan": {"steps": [1]}, "why": "ok"}


FAULTS = [
    ({"allowedTools": ["read", "Grep"]}, {}, "SignalboxToolUnknown", "Init", "/allowedTools"),
    ({"completionTool": "grep"}, {}, "SignalboxCompletionToolTaken", "Init", "/completionTool"),
    ({"body": "{{ctx.team}}"}, {}, "StageCtxUnresolved", "Init", "/body#team"),
    (
        {"body": "{{ctx.task}}"},
        {"setup": {"task": {"from": "run.input.task"}}},
        "StageCtxUnresolved",
        "Init",
        "/body#task",
    ),
    (
        {"body": "{{ctx.attempts[0].parseError}}"},
        {},
        "StageCtxUnresolved",
        "Init",
        "/body#attempts",
    ),
]


def test_a_completion_tool_named_like_a_tool_of_other_agents_is_refused_at_init():
    play = ScriptedRun({"a": {}}, {"a": {"completionTool": "Read"}}, tools=None)
    (failed,) = play.event_fields("init_failed")
    assert failed["code"] == "SignalboxCompletionToolTaken"


@each_row(FAULTS)
def test_a_stage_that_cannot_start_reports_a_fault_and_closes_its_phase(
    head, entry, code, phase, path
):
    play = ScriptedRun({"a": entry}, {"a": head})
    (failed,) = play.event_fields("init_failed")
    assert (failed["class"], failed["code"], failed["path"]) == ("Validation", code, path)
    assert failed["audit"] == "StageInitFailed"
    assert play.event_fields("phase")[-1]["edge"] == "post"
    assert play.event_fields("phase")[-1]["phase"] == phase
    assert play.event_fields("phase")[-1]["error"]["code"] == code
    assert play.event_fields("execution")[-1]["outcome"] == "failed"
    assert play.run.status == "failed"
    assert play.run.reason.endswith(".")
    assert play.run.model_calls == 0


def test_inputs_schema_validates_each_previous_result():
    wants = {"type": "object", "required": ["parsed"], "properties": {"verdict": {"const": "ok"}}}
    heads = {"b": {"inputsSchema": {**wants, "required": ["output"]}}}
    play = ScriptedRun({"a": {"next": then("b")}, "b": {}}, heads)
    play.submit()
    (failed,) = play.event_fields("init_failed")
    assert failed["code"] == "SignalboxInputsInvalid"
    assert failed["context"] == {"upstream": 0}
    assert play.phases[-2:] == ["Setup", "/Setup"]


def test_inputs_schema_accepts_an_entry_without_predecessor():
    play = ScriptedRun({"a": {}}, {"a": {"inputsSchema": {"required": ["gone"]}}})
    assert play.wanted().state == "a"


def test_an_error_of_another_kind_is_a_lifecycle_failure_of_its_phase(monkeypatch):
    def breaks(stage, upstream):
        raise ZeroDivisionError("no such luck")

    monkeypatch.setattr(beginning, "check_inputs", breaks)
    play = ScriptedRun({"a": {}})
    (failed,) = play.event_fields("error")
    assert (failed["class"], failed["code"]) == ("ExtensionHost", "LifecycleFailure")
    assert failed["context"] == {"phase": "Setup", "stageId": "a"}
    assert play.run.reason == "Setup of 'a' failed: no such luck"


@each_row(PHASES)
def test_ctx_is_written_in_setup_alone_and_act_does_not_see_it(phase):
    ctx = PhaseContext({"task": 1}, phase, "a")
    if phase == "Setup":
        ctx.put("task", 2)
        assert ctx.read() == {"task": 2}
        return
    with pytest.raises(StageFault) as forbidden:
        ctx.put("task", 2)
    assert forbidden.value.fault.code == "ContextMutationForbidden"
    if phase == "Act":
        with pytest.raises(StageFault):
            ctx.read()
    else:
        assert ctx.read() == {"task": 1}


REFUSED = [
    ({}, {}, {"entryStage": "gone"}, "which is not a stage", "StageDefinitionInvalid"),
    ({"next": then("gone")}, {}, {}, "leads to 'gone'", "SignalboxUndeclaredStage"),
    ({"next": at_once("b")}, {}, {}, "two different", "InvalidParallelPlan"),
    ({"next": at_once("b", "b")}, {}, {}, "two different", "InvalidParallelPlan"),
    ({"next": at_once("b", "c", join="c")}, {}, {}, "two different", "InvalidParallelPlan"),
    ({"next": at_once("b", "c", join="d")}, {}, {}, "joins in 'd'", "StageJoinDangling"),
    ({"next": {**at_once("b", "c"), "join": "e"}}, {}, {}, "not list", "StageJoinDangling"),
    ({}, {"turnCap": 0}, {}, "turnCap", "StageTurnCapTooLow"),
    ({}, {"turnCap": 2.5}, {}, "turnCap", "StageTurnCapTooLow"),
    ({}, {"retryPolicy": {}}, {}, "maxAttempts", "StageDefinitionInvalid"),
    ({}, {"completionSchema": {"type": "nope"}}, {}, "JSON Schema", "StageCompletionSchemaInvalid"),
    ({}, {"id": "other"}, {}, "is 'other'. Use one id", "StageDefinitionInvalid"),
    ({}, {"name": 7}, {}, "'name'", "StageDefinitionInvalid"),
    ({}, {"allowedTools": "read"}, {}, "allowedTools", "StageDefinitionInvalid"),
    ({"file": "stages/gone.md"}, {}, {}, "is missing", "StageDefinitionInvalid"),
    ({"maxVisits": 0}, {}, {}, "maxVisits", "StageDefinitionInvalid"),
    ({"setup": {"x": {"from": "env.X"}}}, {}, {}, "'setup' of 'x'", "StageDefinitionInvalid"),
    ({"exit": {"slot": {"x": "env.X"}}}, {}, {}, "exit.slot.x", "StageDefinitionInvalid"),
    ({"assert": [{"unless": {}}]}, {}, {}, "'assert'", "StageDefinitionInvalid"),
    (
        {"assert": [{"unless": is_("result.x", 1), "verdict": "block"}]},
        {},
        {},
        "'block'",
        "StageDefinitionInvalid",
    ),
    ({"gate": {"when": is_("result.x", 1)}}, {}, {}, "'gate'", "StageDefinitionInvalid"),
    ({"next": {"cases": [{"when": {}, "then": {}}]}}, {}, {}, "'next'", "StageDefinitionInvalid"),
    ({}, {}, {"runInputSchema": {"type": "nope"}}, "runInputSchema", ""),
]


@each_row(REFUSED)
def test_a_pipeline_that_cannot_be_followed_is_refused_before_anything_runs(
    entry, head, whole, says, code
):
    with pytest.raises(CannotRun) as refused:
        ScriptedRun({"a": entry, "b": {}, "c": {}, "e": {}}, {"a": head}, **whole)
    assert says in refused.value.message
    assert refused.value.message.endswith(".")
    assert refused.value.code == code


SCHEMA = {
    "type": "object",
    "required": ["task"],
    "properties": {"task": {"minLength": 2}, "n": {"type": "integer"}},
}


@each_row(
    [
        ({}, "The run needs the input 'task'."),
        ({"task": "x"}, "The run's input 'task' does not fit its schema: "),
        ({"task": "xx", "n": "many"}, "The run's input 'n' does not fit its schema: "),
    ]
)
def test_a_run_without_its_input_ends_at_once(inputs, says):
    play = ScriptedRun({"a": {}}, inputs=inputs, runInputSchema=SCHEMA)
    assert play.run.status == "failed"
    assert play.run.reason.startswith(says)
