"""CheckGate: passed, parked, skipped, failed and released stages."""

from tests.dialects.stages.run.scripted_run import ScriptedRun, is_, then
from tests.support.checks import each_row
from workflows.core.engine.effects import AskHuman, Wait
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.signals import Approve, Control, Fire
from workflows.core.engine.transition import NOTHING, transition


def play(policy="retry-later", word="block", when=None, following=None, **inputs):
    gate = {"when": when or is_("run.input.open", "yes"), "else": word, "reason": "not yet"}
    stages = {"a": {"gate": gate, **(following or {})}, "b": {}}
    return ScriptedRun(stages, {"a": {"resolutionPolicy": policy}}, inputs=inputs)


def test_an_open_gate_lets_through():
    assert play(open="yes").states == ["a"]
    assert play(open="yes").event_fields("parked") == []


def test_a_blocked_stage_waits_for_a_person_without_a_model_turn():
    now = play()
    assert now.run.status == "waiting"
    assert now.run.model_calls == 0
    assert now.phases[-2:] == ["CheckGate", "/CheckGate"]
    assert now.wanted(kind=AskHuman).question == (
        "The gate of “A” is closed: not yet. Release the stage? Otherwise it fails."
    )


def test_a_released_stage_keeps_its_attempts():
    now = play()
    now.approve(True)
    assert now.event_fields("released")
    now.submit()
    assert now.result("a")["attemptCount"] == 1
    assert now.run.status == "completed"


def test_a_stage_that_is_not_released_fails_and_next_may_route():
    case = {"when": is_("result.verdict", "fail"), "then": then("b")}
    now = play(following={"next": {"cases": [case]}})
    now.approve(False)
    assert now.result("a") == {
        "verdict": "fail",
        "reason": "not released: not yet",
        "capHit": False,
        "attemptCount": 0,
    }
    assert now.states == ["b"]


def test_a_deferred_gate_looks_again_by_itself_and_then_asks():
    now = play(word="defer")
    for tries in (1, 2, 3):
        assert now.wanted(kind=Wait).seconds == 30.0
        assert now.event_fields("parked")[-1]["tries"] == tries
        now.time_up()
    assert now.wanted(kind=AskHuman)
    assert now.phases.count("CheckGate") == 4
    assert now.phases.count("Setup") == 1


@each_row(["defer", "block"])
def test_a_parked_stage_can_be_released_from_outside_at_any_time(word):
    now = play(word=word)
    assert "model.asked" in now.fire("release")
    assert now.run.status == "running"
    assert now.fire("release") == []
    now.submit()
    assert now.run.status == "completed"


def test_an_answer_to_a_stage_released_while_the_run_is_paused_comes_too_late():
    now = play()
    question = now.wanted(kind=AskHuman)
    for signal in (Control(at=7.0, what="pause"), Fire(at=8.0, event="release")):
        events, _ = transition(now.program, now.run, signal)
        now.run = fold_all(events, now.run)
    assert pending_effects(now.run) == ()
    assert transition(now.program, now.run, Approve(at=9.0, key=question.key)) == NOTHING


def test_other_events_from_outside_are_nothing():
    now = play()
    assert now.fire("open") == []
    assert play(open="yes").fire("release") == []


@each_row(["defer", "block", "skip", "retry", "anything"])
def test_a_skipped_stage_exits_and_the_run_continues(word):
    slot = {"slot": {"why": "result.reason", "verdict": "result.verdict"}}
    now = play(policy="skip", word=word, following={"exit": slot, "next": then("b")})
    assert now.states == ["b"]
    assert now.run.artifacts == {"why": "not yet", "verdict": "skip"}
    assert "Act" not in [told["phase"] for told in now.event_fields("phase", stageId="a")]
    assert now.wanted().state == "b"


def test_the_policy_fail_fails_the_stage_at_the_gate():
    now = play(policy="fail")
    assert now.result("a")["verdict"] == "fail"
    assert now.run.status == "failed"


@each_row(["proceed", "ok", "", 7])
def test_a_word_that_a_gate_does_not_know_never_lets_through(word):
    assert play(word=word).wanted(kind=AskHuman)


def test_an_unknown_policy_parks():
    assert play(policy="whatever").wanted(kind=AskHuman)


def test_a_gate_sees_ctx_slot_and_run():
    when = {"all": [is_("ctx.limit", 3, "lte"), is_("slot.n", 2), is_("run.visits.b", 1)]}
    stages = {
        "a": {"exit": {"slot": {"n": "result.parsed.n"}}, "next": then("b")},
        "b": {"setup": {"limit": {"from": "slot.n"}}, "gate": {"when": when, "else": "block"}},
    }
    now = ScriptedRun(stages)
    now.submit(n=2)
    assert now.event_fields("parked") == []
    assert now.wanted().state == "b"
