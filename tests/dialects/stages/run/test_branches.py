"""Successors: nested forks, queues, cases, exhausted visits."""

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
from tests.support.checks import each_row


def test_without_a_join_the_fork_ends_when_all_are_done():
    play = forked({"root": {"next": at_once("left", "right")}, "left": {}, "right": {}})
    play.submit("right")
    assert play.run.status == "running"
    play.submit("left")
    assert play.run.status == "completed"
    assert [told["edge"] for told in play.event_fields("turn")] == ["start", "end"] * 2


def test_a_fork_within_a_branch_joins_within_it():
    play = forked(NESTED)
    play.submit("left", who="left")
    assert sorted(play.states) == ["deep", "deeper", "right"]
    play.submit("deeper")
    play.submit("deep", x=1)
    assert play.run.artifacts == {}
    play.submit("inner")
    play.submit("right")
    assert play.states == ["join"]
    assert play.run.artifacts == {"deep": 1}
    assert upstream(play, "join")[0]["parsed"] == {"who": "left"}
    for stage in ("inner", "join"):
        assert play.event_fields("context", stageId=stage)[0]["memory"]["ctx"]["deep"] == 1
    play.submit("join")
    assert play.run.status == "completed"
    assert [told["edge"] for told in play.event_fields("turn")] == ["start", "end"] * 2


def test_a_failure_deep_within_fails_every_fork_around_it():
    play = forked(NESTED)
    play.submit("left")
    play.submit("deeper", bad=True)
    failed = [told["context"]["failedSibling"] for told in play.event_fields("parallel_failure")]
    assert failed == ["deeper", "left"]
    assert [told["stageId"] for told in play.event_fields("cancelled")] == ["deep", "right"]
    assert play.run.status == "failed"
    assert play.run.pending == {}


def test_a_failure_outside_cancels_everything_within():
    play = forked({**NESTED, "right": {"assert": FAIL}})
    play.submit("left")
    play.submit("right", bad=True)
    assert [told["stageId"] for told in play.event_fields("cancelled")] == ["deep", "deeper"]


def test_a_failure_within_may_be_caught_within():
    left = {**NESTED["left"], "onParallelFailure": then("inner")}
    play = forked({**NESTED, "left": left, "inner": {}})
    play.submit("left")
    play.submit("deeper", bad=True)
    assert sorted(play.states) == ["inner", "right"]
    play.submit("inner")
    play.submit("right")
    assert play.states == ["join"]


def test_several_successors_are_run_one_by_one_to_their_ends():
    stages = {"root": {"next": then("a", "b")}, "a": {"next": then("c")}, "b": {}, "c": {}}
    play = forked(stages)
    for stage in ("a", "c", "b"):
        assert play.states == [stage]
        play.submit(stage)
    assert play.entered == ["root", "a", "c", "b"]
    assert play.run.status == "completed"
    assert upstream(play, "b")[0]["parsed"] == {"from_": "root"}
    taken = [e.fields["transition"] for e in play.log if e.type == "transition.taken"]
    assert taken == ["root|then|a", "a|then|c", "root|then|b"]
    assert [told["edge"] for told in play.event_fields("turn")] == ["start", "end"] * 4


def test_a_successor_sees_the_slot_values_of_the_previous_one():
    stages = {
        "root": {"next": at_once("left", "right", join="join")},
        "left": {"next": then("a", "b")},
        "a": {"exit": {"slot": {"x": "result.parsed.x"}}},
        "b": {"setup": {"x": {"from": "slot.x"}}},
        "right": {},
        "join": {},
    }
    play = forked(stages)
    play.submit("left")
    play.submit("a", x=1)
    assert play.event_fields("context", stageId="b")[0]["memory"]["ctx"]["x"] == 1
    play.submit("b")
    play.submit("right")
    assert play.states == ["join"]
    assert play.run.artifacts == {"x": 1}


def test_one_of_several_successors_that_fails_ends_the_run():
    play = forked({"root": {"next": then("a", "b")}, "a": {"assert": FAIL}, "b": {}})
    play.submit("a", bad=True)
    assert play.run.status == "failed"
    assert play.entered == ["root", "a"]


def test_a_failing_successor_within_a_branch_fails_the_branch():
    stages = {**FORK, "left": {"next": then("a", "b")}, "a": {"assert": FAIL}, "b": {}}
    play = forked(stages)
    play.submit("left")
    play.submit("a", bad=True)
    assert play.event_fields("parallel_failure")[0]["context"]["failedSibling"] == "left"
    assert play.run.status == "failed"


@each_row([{"execution": "terminate"}, {"nextStages": []}])
def test_a_plan_that_leads_nowhere_ends_the_branch(terminate):
    play = forked({"root": {"next": terminate}})
    assert play.run.status == "completed"


def test_the_first_case_that_holds_is_taken_and_else_where_none_does():
    cases = [
        {"when": is_("result.parsed.n", 1, "gt"), "then": then("many")},
        {"when": is_("slot.n", 1), "then": then("one")},
    ]
    root = {"exit": {"slot": {"n": "result.parsed.n"}}}
    root |= {"next": {"cases": cases, "else": then("none")}}
    for n, state in ((2, "many"), (1, "one"), (0, "none")):
        play = ScriptedRun({"root": root, "many": {}, "one": {}, "none": {}})
        play.submit(n=n)
        assert play.states == [state]


def test_a_stage_with_cases_alone_ends_where_none_holds():
    root = {"next": {"cases": [{"when": is_("result.parsed.n", 1), "then": then("one")}]}}
    play = forked({"root": root, "one": {}})
    assert play.run.status == "completed"


def test_a_failure_takes_neither_the_plain_way_nor_else():
    cases = {"cases": [{"when": is_("result.parsed.n", 1), "then": then("b")}], "else": then("b")}
    for following in (then("b"), cases):
        play = ScriptedRun({"a": {"assert": FAIL, "next": following}, "b": {}})
        play.submit(bad=True)
        assert play.run.status == "failed"
        assert play.run.reason == "Stage 'a' failed: bad, and no case handles the failure."


def test_a_stage_entered_as_often_as_it_may_be_ends_the_run():
    play = ScriptedRun({"a": {"maxVisits": 2, "next": then("b")}, "b": {"next": then("a")}})
    for _ in range(4):
        play.submit()
    assert play.run.status == "budget_exhausted"
    assert play.run.visits == {"a": 2, "b": 2}
    assert play.run.reason == (
        "'a' was entered 2 times, the maximum that its maxVisits allows, and no case of 'b' "
        "leads to another stage."
    )


def test_a_case_may_lead_elsewhere_before_the_visits_are_exhausted():
    full = {"cases": [{"when": is_("run.visits.a", 2), "then": then()}], "else": then("a")}
    play = ScriptedRun({"a": {"maxVisits": 2, "next": then("b")}, "b": {"next": full}})
    for _ in range(4):
        play.submit()
    assert play.run.status == "completed"


@each_row(["left", "join"])
def test_siblings_and_joins_have_their_visits_counted_too(stage):
    stages = {**FORK, "end": {"next": then("root")}}
    stages[stage] = {**stages[stage], "maxVisits": 1}
    play = forked(stages)
    for name in ("left", "right", "join", "end", "root"):
        play.submit(name)
    if stage == "join":
        play.submit("left")
        play.submit("right")
    assert play.run.status == "budget_exhausted"


def test_the_visits_of_a_second_sibling_are_counted_too():
    stages = {
        **FORK,
        "right": {**FORK["right"], "maxVisits": 1},
        "end": {"next": then("root")},
    }
    play = forked(stages)
    for name in ("left", "right", "join", "end", "root"):
        play.submit(name)
    assert (play.run.status, play.run.visits["right"]) == ("budget_exhausted", 1)


def test_a_queued_stage_has_its_visits_counted_too():
    stages = {"root": {"next": then("a", "b")}, "a": {"next": then("b")}, "b": {"maxVisits": 1}}
    play = ScriptedRun(stages)
    for name in ("root", "a", "b"):
        play.submit(name)
    assert (play.run.status, play.run.visits["b"]) == ("budget_exhausted", 1)
