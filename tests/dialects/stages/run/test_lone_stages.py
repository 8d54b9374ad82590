"""Stages without a pipeline, and stage objects in the source code's form."""

import json

import pytest

from tests.dialects.stages.run.scripted_run import markdown
from tests.support.checks import each_row
from workflows.core.dialects.stages.format.tools import REGISTERED
from workflows.core.dialects.stages.program.program import program
from workflows.core.dialects.stages.source import read
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import CannotRun
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Start, ToolCall
from workflows.core.engine.transition import transition
from workflows.core.pack.files import Files

OBJECT = {
    "id": "Discovery",
    "body": "You are ${stage.id}. {{stage.name}}",
    "turnCap": 2,
    "completionTool": "done",
    "completionSchema": {"type": "object", "required": ["n"]},
}


def begun(files):
    """The program and the run after its start."""
    made = program(read(Files(files)), "documented")
    return made, fold_all(transition(made, RunState(), Start(at=1.0))[0])


def test_one_stage_alone_is_run_once():
    made, run = begun({"a.md": markdown("a", completionTool="done")})
    (effect,) = pending_effects(run)
    reply = Reply(at=2.0, key=effect.key, tool_calls=(ToolCall(name="done"),))
    events, _ = transition(made, run, reply)
    assert fold_all(events, run).status == "completed"


def test_a_stage_object_has_every_tool_of_the_session_and_one_attempt():
    made, run = begun({"discovery.json": json.dumps(OBJECT).encode()})
    (effect,) = pending_effects(run)
    assert [tool.name for tool in effect.tools] == [*REGISTERED, "done"]
    assert made.pipeline.stages["Discovery"].max_attempts == 1
    assert made.pipeline.stages["Discovery"].name == "Discovery"


@each_row(
    [
        {"a.md": markdown("a", body="Do {{ctx.task}} and {{ ctx.more.deep }}.")},
        {
            "a.json": json.dumps(
                {**OBJECT, "body": "Do ${ctx.task} and {{ctx.more.deep}}."}
            ).encode()
        },
    ]
)
def test_fields_in_the_body_of_a_lone_stage_are_inputs_of_its_run(files):
    made, run = begun(files)
    assert made.required_inputs == ("task", "more")
    assert run.status == "failed"
    assert "names ctx.task on line 1, which has no value" in run.reason
    inputs = {"task": "this", "more": "that"}
    run = fold_all(transition(made, RunState(), Start(at=1.0, inputs=inputs))[0])
    assert pending_effects(run)[0].system == "Do this and ."


def test_several_stages_without_a_pipeline_have_no_order():
    with pytest.raises(CannotRun) as refused:
        begun({"a.md": markdown("a"), "b.md": markdown("b")})
    assert "These 2 stages have no pipeline" in refused.value.message


@each_row(
    [
        {"pipeline.json": b'{"format": "signalbox.stud-pipeline/1", "stages": {}}'},
        {"pipeline.json": b'{"format": "signalbox.stud-pipeline/1", "stages": []}'},
        {"pipeline.json": b"[]"},
        {"pipeline.json": b"{"},
        {"a.md": b"---\n[\n---\n"},
    ]
)
def test_stages_that_are_not_a_pipeline_are_refused_with_a_message(files):
    with pytest.raises(CannotRun) as refused:
        begun(files)
    assert refused.value.message.endswith(".")
