"""Forks and joins: one snapshot, fail-fast, and the values that branches see."""

import json

from tests.dialects.stages.run.scripted_run import (
    FAIL,
    FORK,
    NESTED,
    ScriptedRun,
    at_once,
    forked,
    is_,
    then,
    upstream,
)
from workflows.core.dialects.stages.program.branches import join_problem
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.signals import Reply, ToolCall
from workflows.core.engine.transition import transition


def test_siblings_run_in_parallel_and_the_join_runs_last():
    play = forked()
    assert play.states == ["left", "right"]
    play.submit("left")
    play.submit("right")
    play.submit("join")
    play.submit("end")
    assert play.entered == ["root", "left", "right", "join", "end"]
    assert play.run.status == "completed"
    taken = [e.fields["transition"] for e in play.log if e.type == "transition.taken"]
    assert taken == [
        "root|parallel|left",
        "root|parallel|right",
        "left|join|join",
        "right|join|join",
        "join|then|end",
    ]


def test_siblings_see_no_predecessor_and_the_join_sees_them_in_order():
    play = forked()
    play.submit("right", who="right")
    play.submit("left", who="left")
    play.submit("join")
    assert upstream(play, "root") == upstream(play, "left") == upstream(play, "right") == []
    assert [result["parsed"]["who"] for result in upstream(play, "join")] == ["left", "right"]
    assert [result["verdict"] for result in upstream(play, "end")] == ["ok"]
    assert len(upstream(play, "end")) == 1


def test_a_stage_entered_again_through_a_loop_sees_where_it_came_from():
    again = {"cases": [{"when": is_("run.visits.a", 1), "then": then("a")}], "else": then()}
    play = ScriptedRun({"a": {"next": then("b")}, "b": {"next": again}})
    play.submit(turn=1)
    play.submit(turn=2)
    play.submit(turn=3)
    assert upstream(play, "a")[0]["parsed"] == {"turn": 2}
    ids = [told["stageExecutionId"] for told in play.event_fields("exit")]
    assert ids == ["run-1::a::1", "run-1::b::1", "run-1::a::2"]


def test_siblings_join_and_their_fork_share_a_compound_turn_and_one_session_turn():
    play = forked()
    for stage in ("left", "right", "join"):
        play.submit(stage)
    compound = play.event_fields("fork")[0]["compoundTurnId"]
    sharing = {t["stageId"] for t in play.event_fields("phase") if t.get("parentCompoundTurnId")}
    assert sharing == {"left", "right", "join"}
    assert {t["parentCompoundTurnId"] for t in play.event_fields("exit")[1:]} == {compound}
    turns = [(told["edge"], told["stageId"]) for told in play.event_fields("turn")]
    assert turns == [
        ("start", "root"),
        ("end", "root"),
        ("start", "root"),
        ("end", "join"),
        ("start", "end"),
    ]


def test_siblings_see_the_slot_as_it_was_and_the_join_what_they_all_wrote():
    write = {"exit": {"slot": {"last": "result.parsed.me", "me": "result.parsed.me"}}}
    read = {"setup": {"last": {"from": "slot.last", "default": "nobody"}}}
    stages = {
        **FORK,
        "left": {**write, "next": then("after")},
        "after": {**read},
        "right": {**write, "next": then("beside")},
        "beside": {**read},
        "join": read,
    }
    play = forked(stages)
    play.submit("right", me="R")
    play.submit("beside")
    play.submit("left", me="L")
    assert play.run.artifacts == {}
    play.submit("after")
    seen = {
        stage: play.event_fields("context", stageId=stage)[0]["memory"]["ctx"]["last"]
        for stage in ("after", "beside", "join")
    }
    assert seen == {"after": "L", "beside": "R", "join": "R"}
    assert play.run.artifacts == {"last": "R", "me": "R"}


# -- fail-fast --------------------------------------------------------------------------------


def test_the_first_sibling_that_is_not_ok_cancels_the_others():
    play = forked()
    late = play.wanted("right").key
    play.submit("left", bad=True)
    (failure,) = play.event_fields("parallel_failure")
    assert (failure["class"], failure["code"]) == ("ExtensionHost", "ParallelSiblingFailure")
    assert failure["context"]["failedSibling"] == failure["context"]["failedSiblingId"] == "left"
    assert failure["context"]["compoundTurnId"] == play.event_fields("fork")[0]["compoundTurnId"]
    assert failure["context"]["joinReady"] is False
    (gone,) = play.event_fields("cancelled")
    assert (gone["class"], gone["code"]) == ("Cancellation", "StageCancelled")
    assert gone["stageId"] == "right"
    assert [t["outcome"] for t in play.event_fields("execution")] == ["ok", "failed", "cancelled"]
    assert play.event_fields("phase", stageId="right")[-1]["error"]["code"] == "StageCancelled"
    assert play.run.status == "failed"
    assert play.run.reason == (
        "The parallel stage 'left' did not succeed, so its siblings were cancelled. "
        "Stage 'left' ended with fail: bad."
    )
    assert play.send(Reply(at=9.0, key=late, structured={})) == []
    assert "join" not in play.entered


def test_a_skip_is_not_ok_either():
    gate = {"gate": {"when": is_("run.input.x", 1), "else": "skip"}}
    play = forked({**FORK, "right": gate})
    assert play.event_fields("cancelled")[0]["stageId"] == "left"
    assert play.run.status == "failed"


def test_an_error_in_a_sibling_cancels_the_others_too():
    play = forked(heads={"left": {"allowedTools": ["Read"]}})
    assert play.event_fields("init_failed")[0]["stageId"] == "left"
    assert play.event_fields("cancelled")[0]["stageId"] == "right"
    assert (
        play.event_fields("parallel_failure")[0]["context"]["cause"]["code"]
        == "SignalboxToolUnknown"
    )
    assert play.run.model_calls == 1


def test_after_a_failure_the_run_takes_the_step_of_the_fork():
    stages = {**FORK, "root": {**FORK["root"], "onParallelFailure": then("end")}}
    play = forked(stages)
    play.submit("right", bad=True)
    assert play.entered == ["root", "left", "right", "end"]
    assert upstream(play, "end")[0]["parsed"] == {"from_": "root"}
    taken = [e.fields["transition"] for e in play.log if e.type == "transition.taken"]
    assert taken[-1] == "root|on failure|end"
    play.submit("end")
    assert play.run.status == "completed"
    edges = [told["edge"] for told in play.event_fields("turn")]
    assert edges == ["start", "end"] * 3


def test_a_failed_fork_leaves_nothing_in_the_slot():
    write = {"exit": {"slot": {"left": "result.parsed.me"}}}
    root = {**FORK["root"], "onParallelFailure": then("end")}
    play = forked({**FORK, "root": root, "left": write})
    play.submit("left", me="L")
    play.submit("right", bad=True)
    play.submit("end")
    assert play.run.artifacts == {}
    assert play.event_fields("exit", stageId="left")[0]["slot"] == ["left"]


def test_a_sibling_may_recover_on_its_own_branch():
    mend = {
        "cases": [{"when": is_("result.verdict", "fail"), "then": then("mend")}],
        "else": then(),
    }
    stages = {**FORK, "left": {"assert": FAIL, "next": mend}, "mend": {}}
    play = forked(stages)
    play.submit("left", bad=True)
    assert sorted(play.states) == ["mend", "right"]
    play.submit("mend")
    play.submit("right")
    assert play.states == ["join"]
    assert [result["verdict"] for result in upstream(play, "join")] == ["fail", "ok"]
    assert upstream(play, "join")[0]["reason"] == "bad"


def test_the_last_verdict_of_a_branch_counts():
    stages = {**FORK, "left": {"next": then("more")}, "more": {"assert": FAIL}}
    play = forked(stages)
    play.submit("left")
    play.submit("more", bad=True)
    (failure,) = play.event_fields("parallel_failure")
    assert failure["context"]["failedSibling"] == "left"
    assert failure["context"]["cause"]["context"]["stageId"] == "more"


def test_a_join_that_fails_without_a_rule_is_a_lifecycle_failure():
    play = forked({**FORK, "join": {"assert": FAIL}})
    for stage in ("left", "right"):
        play.submit(stage)
    play.submit("join", bad=True)
    assert play.event_fields("error")[0]["code"] == "LifecycleFailure"
    assert play.run.status == "failed"


def test_a_failing_join_may_be_routed():
    route = {"cases": [{"when": is_("result.verdict", "fail"), "then": then("end")}]}
    play = forked({**FORK, "join": {"assert": FAIL, "next": route}})
    for stage in ("left", "right"):
        play.submit(stage)
    play.submit("join", bad=True)
    assert play.states == ["end"]


def test_inputs_schema_of_a_join_looks_at_every_sibling():
    wants = {"properties": {"parsed": {"required": ["who"]}}}
    play = forked(heads={"join": {"inputsSchema": wants}})
    play.submit("left", who="left")
    play.submit("right")
    (failed,) = play.event_fields("init_failed")
    assert failed["context"] == {"upstream": 1}
    assert play.run.status == "failed"


def test_a_join_never_runs_for_branches_that_are_not_all_ok():
    assert join_problem(["a", "b"], {"a": "ok", "b": "ok"}) is None
    lacking = join_problem(["a", "b", "c"], {"a": "ok", "b": "fail"})
    assert (lacking.kind, lacking.code) == ("ExtensionHost", "JoinPreconditionViolated")
    assert lacking.context == {"siblings": ["b", "c"]}


def test_a_resumed_run_keeps_its_ids_and_effects():
    play = forked()
    play.submit("left")
    stored = json.loads(json.dumps([event.to_json() for event in play.log]))
    again = fold_all(Event.from_json(body) for body in stored)
    assert again == play.run
    key = play.wanted("right").key
    done = Reply(at=5.0, key=key, tool_calls=(ToolCall(name="submit"),))
    events, effects = transition(play.program, again, done)
    exits = [event.fields for event in events if event.type == "stages.exit"]
    assert [fields["stageExecutionId"] for fields in exits] == ["run-1::right::1"]
    assert [effect.state for effect in effects] == ["join"]


# -- cancelling -------------------------------------------------------------------------------


def test_a_cancelled_run_reports_its_open_executions():
    play = forked()
    play.submit("left")
    play.cancel()
    assert [told.get("stageId") for told in play.event_fields("cancelled")] == ["right", None]
    assert [told["code"] for told in play.event_fields("cancelled")] == [
        "StageCancelled",
        "TurnCancelled",
    ]
    assert play.event_fields("turn")[-1]["error"]["code"] == "TurnCancelled"
    assert play.event_fields("parallel_failure") == []
    assert play.run.status == "cancelled"


def test_a_run_cancelled_at_its_join_ends_the_turn_of_the_fork():
    play = forked()
    play.submit("left")
    play.submit("right")
    play.cancel()
    edges = [told["edge"] for told in play.event_fields("turn")]
    assert edges == ["start", "end", "start", "end"]


def test_a_run_cancelled_in_a_fork_within_a_fork_ends_one_turn():
    stages = {**NESTED, "inner": {"next": at_once("x", "y")}, "x": {}, "y": {}}
    play = forked(stages)
    for stage in ("left", "deep", "deeper", "inner"):
        play.submit(stage)
    assert sorted(play.states) == ["right", "x", "y"]
    play.cancel()
    assert [told["edge"] for told in play.event_fields("turn")] == ["start", "end"] * 2
    assert sorted(t["stageId"] for t in play.event_fields("cancelled", code="StageCancelled")) == [
        "right",
        "x",
        "y",
    ]
