"""Transitions without a target in the file: ends, retries and continuations by name, as drawn,
rehearsed, run and edited."""

from __future__ import annotations

import json

import pytest

from tests.dialects.steps_registry.packs import MAIN, SCHEMA, findings, pack, put, setting
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.replay.verify import verify
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import CommandDone, Reply, Start
from workflows.core.engine.transition import transition
from workflows.core.pack.edits import Disconnect, EditRefused, Relabel, Retarget

S = "registry/steps"
CLOSING = "closure.a|closing|"


def guarded(whole, **failure):
    put(whole, "registry/validators", {
        "clean": {"type": "command", "command": "git diff --quiet", "successWhen": "exitCode:0",
                  "failurePattern": "dirty"}})  # fmt: skip
    put(whole, "registry/failurePatterns", {"dirty": {"description": "x", "edition": "failed"}})
    put(whole, "registry/validationSteps", {
        "closure.a": {"stepId": "closure.a", "name": "x", "c2": "retry", "c3": "a",
                      "validationConditions": [{"validator": "clean"}],
                      "onFailure": {"action": "retry", "maxAttempts": 3, **failure}}})  # fmt: skip


def gateless(whole, most=3):
    for item in whole["registry"]["steps"].values():
        for key in ("structuredGate", "transitions"):
            item.pop(key)
    put(whole, "agent/runner/verdict/config/maxIterations", most)


def drawn(source, profile="documented"):
    graph = DIALECT.graph(source, profile)
    return {arrow.id: arrow for arrow in graph.transitions}


def implicit(source, profile="documented"):
    return [
        id
        for id, arrow in drawn(source, profile).items()
        if arrow.target == "" or arrow.label == "retry" or "structuredGate" in arrow.place.pointer
    ]


def covered(source, profile="documented"):
    return rehearse(DIALECT.program(source, profile), DIALECT.graph(source, profile), runs=60)


def run(source, answers, profile="documented"):
    """The events of a run with these answers: intents, or exit codes of commands."""
    program = DIALECT.program(source, profile)
    state, log = RunState(), []
    events, _ = transition(program, state, Start(at=1.0, inputs={"issue": "7"}))
    log += events
    state = fold_all(events)
    for said in answers:
        (effect,) = pending_effects(state)
        if isinstance(said, int):
            signal = CommandDone(at=2.0, key=effect.key, exit=said, stdout="x" if said else "")
        else:
            reply = {"next_action": {"action": said}, "summary": "s"}
            signal = Reply(at=2.0, key=effect.key, structured=reply)
        events, _ = transition(program, state, signal)
        log += events
        state = fold_all(events, state)
    return state, log


# -- closing → end


@each_row(DIALECT.profiles)
def test_closing_is_drawn_to_the_end_counted_and_taken(profile):
    source = pack()
    assert implicit(source, profile) == [CLOSING]
    result = covered(source, profile)
    assert (result.transitions[CLOSING] > 0, result.coverage) == (True, 1.0)
    state, log = run(source, ["next", "handoff", "closing"], profile)
    assert state.status == "completed"
    assert log[-1].fields["transition"] == CLOSING
    assert state.taken[CLOSING] == 1


def test_closing_with_a_target_leads_on_in_the_document_only():
    source = pack(setting((f"{S}/closure.a/transitions/closing/target", "initial.a")))
    assert implicit(source) == []
    assert drawn(source)["closure.a|closing|initial.a"].inert is False
    assert implicit(source, "climpt") == [CLOSING]
    assert drawn(source, "climpt")["closure.a|closing|initial.a"].inert is True


def test_an_older_recording_without_the_transition_still_verifies():
    source = pack()
    _, log = run(source, ["next", "handoff", "closing"])
    old = [*log[:-1], Event(
        n=log[-1].n, at=log[-1].at, type="run.finished",
        fields={k: v for k, v in log[-1].fields.items() if k != "transition"},
    )]  # fmt: skip
    assert verify(DIALECT.program(source, "documented"), old).holds


# -- retry → work


def test_a_failed_validator_leads_back_to_the_step_that_worked_last():
    source = pack(guarded)
    retry = "closure.a|retry|continuation.a"
    assert implicit(source) == [CLOSING, retry]
    assert drawn(source)[retry].kind == "fallback"
    result = covered(source)
    assert (result.transitions[retry] > 0, result.coverage) == (True, 1.0)
    state, _ = run(source, ["next", "handoff", "closing", 1, "handoff", "closing", 0])
    assert (state.status, state.taken[retry], state.taken[CLOSING]) == ("completed", 1, 1)


def test_every_step_that_may_have_worked_last_has_its_arrow_and_is_covered():
    def two_ways(whole):
        guarded(whole)
        put(whole, f"{S}/initial.a/structuredGate/allowedIntents", ["next", "repeat", "handoff"])
        put(whole, f"{S}/initial.a/transitions/handoff", {"target": "closure.a"})
        action = whole["schema"]["initial.a"]["properties"]["next_action"]["properties"]["action"]
        action["enum"] = ["next", "repeat", "handoff"]

    source = pack(two_ways)
    retries = [id for id in drawn(source) if "|retry|" in id]
    assert retries == ["closure.a|retry|initial.a", "closure.a|retry|continuation.a"]
    assert covered(source).unreached == ()


@each_row([{"action": "abort"}, {"action": "skip"}, {"maxAttempts": 1}])  # fmt: skip
def test_no_retry_is_drawn_where_none_is_made(failure):
    source = pack(lambda whole: guarded(whole, **failure))
    assert implicit(source) == [CLOSING]


def test_climpt_retries_at_the_closure_step_and_draws_no_arrow():
    assert implicit(pack(guarded), "climpt") == [CLOSING]


# -- count:iteration, and continuations by name


def test_a_counted_registry_without_gates_is_drawn_as_it_runs():
    source = pack(gateless)
    assert [id for id in drawn(source) if not id.startswith("closure")] == [
        "initial.a|next|continuation.a",
        "continuation.a|count:iteration|",
    ]
    result = covered(source)
    counted = {
        id: count for id, count in result.transitions.items() if id[0] != "c" or "cont" in id
    }
    assert all(counted.values())
    state, log = run(source, ["x", "x", "x"])
    assert (state.status, list(state.visits)) == ("completed", ["initial.a", "continuation.a"])
    assert log[-1].fields["transition"] == "continuation.a|count:iteration|"


def test_climpt_counts_at_the_first_step():
    source = pack(gateless)
    assert "initial.a|count:iteration|" in drawn(source, "climpt")
    assert "initial.a|next|continuation.a" not in drawn(source, "climpt")
    state, log = run(source, ["x", "x", "x"], "climpt")
    assert state.status == "completed"
    assert log[-1].fields["transition"] == "initial.a|count:iteration|"


def test_one_iteration_ends_at_the_first_step():
    source = pack(lambda whole: gateless(whole, most=1))
    assert "initial.a|count:iteration|" in drawn(source)
    assert "initial.a|next|continuation.a" not in drawn(source)
    _, log = run(source, ["x"])
    assert log[-1].fields["transition"] == "initial.a|count:iteration|"


@each_row(DIALECT.profiles)
def test_next_without_a_rule_is_drawn_to_the_continuation(profile):
    source = pack(setting((f"{S}/initial.a/transitions/next", ...)))
    arrow = drawn(source, profile)["initial.a|next|continuation.a"]
    assert (arrow.inert, arrow.place.pointer) == (False, "/steps/initial.a/structuredGate")
    assert covered(source, profile).coverage == 1.0


def test_a_process_ends_the_run_with_exit_code_0():
    source = pack(setting((f"{S}/closure.a/runner", {"command": "true", "args": []})))
    assert implicit(source) == ["closure.a|exit 0|"]


# -- forms, edits and findings


@each_row([CLOSING, "closure.a|retry|continuation.a"])
def test_every_drawn_transition_has_a_form(id):
    form = DIALECT.fields(pack(guarded), f"transition:{id}", "documented")
    assert form.values["intent"] in id
    assert form.place.line > 1
    assert form.removable is (id == CLOSING)
    assert all(item.get("readOnly") for item in form.schema["properties"].values())


def test_removing_the_end_removes_the_intent_everywhere():
    source = DIALECT.apply(pack(), Disconnect(transition=CLOSING))
    step = json.loads(source.files[MAIN])["steps"]["closure.a"]
    assert step["structuredGate"]["allowedIntents"] == ["repeat"]
    assert list(step["transitions"]) == ["repeat"]
    assert '"closing"' not in source.files[SCHEMA].decode()
    assert CLOSING not in drawn(source)


@each_row(
    [
        Disconnect(transition="closure.a|retry|continuation.a"),
        Retarget(transition="closure.a|retry|continuation.a", target="initial.a"),
        Relabel(transition=CLOSING, label="repeat"),
    ]
)
def test_other_edits_of_them_are_refused_with_the_reason(edit):
    with pytest.raises(EditRefused, match="is not in `transitions`"):
        DIALECT.apply(pack(guarded), edit)


def test_the_end_is_no_missing_state():
    assert "GR102" not in {found.code for found in findings(pack(guarded))}
