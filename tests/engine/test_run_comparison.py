"""Comparisons of two runs of one machine: equal, diverging, unfinished, and with interleaved
branches."""

from __future__ import annotations

import json

from tests.support.checks import each_row
from tests.support.state_machine import Machine
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, RunCommand
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.replay.compare_runs import compare
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    CommandDone,
    Control,
    Reply,
    Start,
    ToolDone,
    Usage,
)
from workflows.core.engine.transition import transition

LOOP = {
    "write": {"model": {"ready": "review"}},
    "review": {"model": {"again": "write", "good": "done", "bad": "lost"}},
    "done": {"end": "completed"},
    "lost": {"end": "failed"},
}
PARALLEL = {
    "start": {"fork": (("left", "right"), "check")},
    "left": {"tool": "more"},
    "more": {"model": {"go": "met", "stay": "more"}},
    "right": {"human": {"go": "met", "other": "more"}},
    "met": {"join": None},
    "check": {"command": ("done", "start")},
    "done": {"end": "completed"},
}


def answer(effect, said, at):
    at = {"at": at, "key": effect.key}
    match effect:
        case AskModel():
            usage = Usage(input_tokens=10, output_tokens=2, cost=0.5)
            return Reply(structured={"go": said}, usage=usage, **at)
        case AskHuman():
            return Approve(event=said, **at)
        case CallTool():
            return ToolDone(result=said, **at)
        case RunCommand():
            return CommandDone(exit=int(said), **at)


def log_of(table, *said, entry="", cancel=False, time=1.0):
    """The log of a run with these answers: (state, answer) for each request of that state."""
    machine = Machine(table=table, entries=(entry or next(iter(table)),))
    run, log = RunState(), []

    def tell(signal):
        nonlocal run
        events, _ = transition(machine, run, signal)
        assert events, signal
        log.extend(Event.from_json(json.loads(json.dumps(one.to_json()))) for one in events)
        run = fold_all(events, run)

    tell(Start(at=time))
    for number, (state, what) in enumerate(said, start=1):
        (effect,) = (one for one in pending_effects(run) if one.state == state)
        tell(answer(effect, what, time + number))
    if cancel:
        tell(Control(at=time + 100, what="cancel", reason="Enough."))
    return log


GOOD = (("write", "ready"), ("review", "good"))
AGAIN = (("write", "ready"), ("review", "again"), *GOOD)


def ways(comparison):
    return [(row.visit.state, row.visit.visit, row.how) for row in comparison.rows]


def event_at(log, n):
    return log[n - 1].type, log[n - 1].fields


def test_equal_runs_agree_from_end_to_end():
    found = compare(log_of(LOOP, *AGAIN), log_of(LOOP, *AGAIN, time=500.0))
    assert found.same
    assert found.divergence is None
    assert found.agree == len(found.rows) == 5
    assert (found.states, found.transitions, found.artifacts) == ({}, {}, ())
    assert found.left.run.cost == found.right.run.cost == 2.0
    assert found.left.seconds == found.right.seconds == 4.0


def test_the_first_divergence_is_the_other_transition():
    left, right = log_of(LOOP, *GOOD), log_of(LOOP, *AGAIN)
    found = compare(left, right)
    parted = found.divergence
    assert (parted.state, parted.position) == ("review", "0")
    assert event_at(left, parted.left)[1]["transition"] == "review|good|done"
    assert event_at(right, parted.right)[1]["transition"] == "review|again|write"
    assert parted.message == (
        "In review the left run goes on to done by good; the right one goes on to write by again."
    )
    assert ways(found) == [
        ("write", 1, "same"),
        ("review", 1, "arrow"),
        ("write", 2, "right"),
        ("review", 2, "right"),
        ("done", 1, "same"),
    ]
    assert [found.diverges(row) for row in found.rows] == [False, True, False, False, False]
    assert found.agree == 1
    assert found.states == {"write": (1, 2), "review": (1, 2)}
    assert found.transitions["review|again|write"] == (0, 1)
    ((was, now),) = found.rows[1].answers
    assert (was.what, now.what) == ({"structured": {"go": "good"}}, {"structured": {"go": "again"}})


def test_an_unfinished_run_diverges_at_its_last_event():
    left, right = log_of(LOOP, ("write", "ready")), log_of(LOOP, *GOOD)
    found = compare(left, right)
    assert (found.divergence.left, found.divergence.state) == (None, "review")
    assert "the left run has got no further" in found.divergence.message
    assert found.agree == 1
    turned = compare(right, left)
    assert (turned.divergence.left, turned.divergence.right) == (found.divergence.right, None)


def test_a_run_that_ended_early_diverges_with_its_status():
    left, right = log_of(LOOP, ("write", "ready"), cancel=True), log_of(LOOP, *GOOD)
    found = compare(left, right)
    assert event_at(left, found.divergence.left)[0] == "run.finished"
    assert "ends as cancelled (Enough)" in found.divergence.message


def test_another_end_of_the_same_path_is_a_divergence():
    ended_otherwise = {**LOOP, "done": {"end": "failed"}}
    found = compare(log_of(LOOP, *GOOD), log_of(ended_otherwise, *GOOD))
    assert [row.how for row in found.rows] == ["same"] * 3
    assert "ends as completed; the right one ends as failed" in found.divergence.message
    assert not found.same


def test_other_answers_on_the_same_path_are_no_divergence():
    table = {"look": {"tool": "done"}, "done": {"end": "completed"}}
    found = compare(log_of(table, ("look", "red")), log_of(table, ("look", "green")))
    assert found.divergence is None
    assert not found.same
    assert ways(found) == [("look", 1, "said"), ("done", 1, "same")]
    ((was, now),) = found.rows[0].answers
    assert (was.what["result"], now.what["result"]) == ("red", "green")


BRANCHES = (("left", "seen"), ("more", "go"), ("right", "go"), ("check", "0"))


def test_branches_in_another_order_are_the_same_path():
    overtaken = (("right", "go"), ("left", "seen"), ("more", "go"), ("check", "0"))
    left, right = log_of(PARALLEL, *BRANCHES), log_of(PARALLEL, *overtaken)
    assert [event.type for event in left] != [event.type for event in right]
    assert compare(left, right).same


def test_a_diverging_branch_is_named_by_its_position():
    stayed = (("right", "go"), ("left", "seen"), ("more", "stay"), ("more", "go"), ("check", "0"))
    left, right = log_of(PARALLEL, *BRANCHES), log_of(PARALLEL, *stayed)
    found = compare(left, right)
    assert (found.divergence.position, found.divergence.state) == ("0.1", "more")
    (parting,) = (row for row in found.rows if found.diverges(row))
    assert (parting.visit.state, parting.how) == ("more", "arrow")
    extra = [row for row in found.rows if row.how == "right"]
    assert [(row.visit.position, row.visit.state, row.visit.visit) for row in extra] == [
        ("0.1", "more", 2)
    ]
    assert found.rows[-1].visit.state == "done"


def test_an_additional_branch_is_a_divergence():
    wider = {**PARALLEL, "start": {"fork": (("left", "right", "right"), "check")}}
    found = compare(log_of(PARALLEL), log_of(wider))
    assert (found.divergence.position, found.divergence.left) == ("0.3", None)
    assert [row.how for row in found.rows] == ["same", "same", "same", "right"]


def test_ids_of_tool_calls_are_ignored():
    def called(id):
        fields = {"position": "0", "tool_calls": [{"name": "look", "arguments": {}, "id": id}]}
        return [
            Event(n=1, at=1.0, type="run.started"),
            Event(n=2, at=1.0, type="state.entered", fields={"position": "0", "state": "a"}),
            Event(n=3, at=2.0, type="model.replied", fields={"key": "0:1", **fields}),
        ]

    assert compare(called("call-1"), called("toolu_77")).same


def kept(*values):
    log = [Event(n=1, at=1.0, type="run.started")]
    for name, value in values:
        fields = {"name": name, "value": value, "position": "0", "state": "a"}
        log.append(Event(n=len(log) + 1, at=1.0, type="artifact.set", fields=fields))
    return log


def test_artifacts_that_differ_are_named_with_their_last_event():
    found = compare(
        kept(("plan", "a"), ("plan", "b"), ("same", 1)),
        kept(("plan", "c"), ("same", 1), ("new", 2)),
    )
    assert found.artifacts == ("new", "plan")
    assert found.left.kept["plan"] == ("b", 3)
    assert found.right.kept["plan"] == ("c", 2)
    assert not found.same


@each_row(["failed", "completed"])
def test_runs_without_visits_are_compared_by_their_ends(status):
    def ended(how):
        fields = {"status": how, "reason": "It has no entry."}
        return [Event(n=1, at=1.0, type="run.finished", fields=fields)]

    found = compare(ended("failed"), ended(status))
    assert (found.divergence is None) == (status == "failed")
    assert compare([], []).same


def test_long_loops_are_compared_visit_by_visit():
    turns = (("write", "ready"), ("review", "again"))
    left = log_of(LOOP, *turns * 120, *GOOD)
    right = log_of(LOOP, *turns * 150, *GOOD)
    found = compare(left, right)
    assert len(found.rows) == 303
    assert (found.divergence.state, found.agree) == ("review", 241)
    assert found.rows[-1].how == "same"
