"""Evals: triggers, results, and the unchanged run."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.dialects.promptpack.test_compositions import composed, step
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.program.eval_schedule import JUDGES_OFF
from workflows.core.dialects.promptpack.program.evals import fnv
from workflows.core.dialects.promptpack.program.measures.base import ALIASES, Observation
from workflows.core.dialects.promptpack.program.measures.run_history import RUN_MEASURES
from workflows.core.engine.effects import AskModel
from workflows.core.engine.signals import Control

FIND = {"find": {"name": "find", "description": "Find it."}}


def an_eval(id: str = "e", kind: str = "contains", trigger: str = "every_turn", **more: Any) -> Any:
    more.setdefault("params", {"patterns": ["good"]})
    return {"id": id, "type": kind, "trigger": trigger, **more}


def measured(*evals: Any, profile: str = "documented", **more: Any) -> ScriptedRun:
    inputs = more.pop("inputs", None)
    return ScriptedRun({"evals": list(evals), **more}, profile=profile, inputs=inputs)


def results(scripted: ScriptedRun) -> list[tuple[str, Any]]:
    """Id and result of each eval: passed, failed, or the reason for the skip."""
    return [
        (
            one.fields["id"],
            one.fields["reason"] if "skipped" in one.fields else one.fields["passed"],
        )
        for one in scripted.events_of("promptpack.eval")
    ]


def through(scripted: ScriptedRun, *texts: str) -> None:
    for event, text in zip(("Submit", "Approve"), texts, strict=False):
        scripted.model(text, ("workflow__transition", {"event": event, "context": ""}))


def test_every_turn_is_measured_when_it_has_ended() -> None:
    scripted = measured(an_eval())
    through(scripted, "Very good.", "Hm.")
    assert results(scripted) == [("e", True), ("e", False)]
    last = scripted.last("promptpack.eval").fields
    assert (last["score"], last["explanation"], last["violations"]) == (
        0.0,
        "Missing in the reply: good",
        ["good"],
    )


def test_evals_change_nothing_about_the_run() -> None:
    plain, watched = (
        ScriptedRun({}),
        measured(an_eval(), an_eval("s", trigger="on_session_complete")),
    )
    for scripted in (plain, watched):
        through(scripted, "One.", "Two.")
        scripted.model("Done.")
    beside = ("promptpack.eval", "promptpack.recorded")
    assert [type for type in watched.types() if type not in beside] == plain.types()


def test_a_turn_without_a_reply_is_measured_by_its_calls_only() -> None:
    calls = an_eval("t", "tool_call_count", params={"max": 0})
    scripted = measured(an_eval(), calls)
    through(scripted, "")
    assert results(scripted) == [("e", "there is no reply to measure"), ("t", False)]


def test_a_prompts_eval_replaces_the_packs_eval_with_the_same_id() -> None:
    own = [an_eval("b", params={"patterns": ["own"]}), an_eval("c")]
    scripted = measured(an_eval("a"), an_eval("b"), **{"prompts/draft/evals": own})
    through(scripted, "own", "own")
    assert results(scripted) == [
        ("a", False),
        ("b", True),
        ("c", False),
        ("a", False),
        ("b", False),
    ]


@each_row(["on_session_complete", "on_conversation_complete"])
def test_the_session_is_measured_at_its_end(trigger: str) -> None:
    order = an_eval(
        "o", "workflow_transition_order", trigger, params={"sequence": ["draft", "done"]}
    )
    words = an_eval("w", trigger=trigger)
    scripted = measured(words, order, an_eval("c", "workflow_complete", trigger, params={}))
    through(scripted, "good", "good")
    assert results(scripted) == []
    scripted.model("bad")
    assert results(scripted) == [("w", False), ("o", True), ("c", True)], "its last words count"


def test_a_run_that_fails_or_is_cancelled_is_measured_too() -> None:
    complete = an_eval("c", "workflow_complete", "on_session_complete", params={})
    scripted = measured(complete)
    scripted.reply(error="quota")
    assert results(scripted) == [("c", False)]
    scripted = measured(complete)
    scripted.send(Control(at=9.0, what="cancel"))
    assert results(scripted) == [("c", False)]
    assert scripted.run.status == "cancelled"


@each_row([("documented", 2), ("promptkit", 0)])
def test_workflow_steps_are_measured_in_the_documented_profile(profile: str, often: int) -> None:
    here = an_eval("s", "workflow_state_is", "on_workflow_step", params={"state": "review"})
    scripted = measured(here, profile=profile)
    through(scripted, "a", "b")
    assert results(scripted) == [("s", True), ("s", False)][:often]


def test_samples_are_reproducible_and_match_the_percentage() -> None:
    drawn = []
    for number in range(200):
        scripted = measured(
            an_eval(trigger="sample_turns", sample_percentage=30),
            inputs={"session_id": f"session {number}"},
        )
        through(scripted, "good")
        drawn.append(len(results(scripted)))
    assert 35 <= sum(drawn) <= 85
    assert (fnv(""), fnv("a")) == (0xCBF29CE484222325, 0xAF63DC4C8601EC8C)
    for share, often in ((0, 0), (100, 1)):
        scripted = measured(an_eval(trigger="sample_sessions", sample_percentage=share))
        through(scripted, "good", "good")
        scripted.model("good")
        assert len(results(scripted)) == often


def test_a_disabled_or_unknown_eval_has_no_result() -> None:
    scripted = measured(an_eval(enabled=False), an_eval("n", trigger="at_full_moon"))
    through(scripted, "good")
    assert results(scripted) == []


@each_row(
    [
        ({"operator": "gte", "value": 0.5}, True),
        ({"operator": "gt", "value": 0.5}, False),
        ({"operator": "lte", "value": 0.5}, True),
        ({"operator": "lt", "value": 0.5}, False),
        ({"operator": "eq", "value": 0.5}, True),
        ({"operator": "about", "value": 0.5}, False),
    ]
)
def test_a_threshold_decides_whether_an_eval_passes(threshold: Any, passed: bool) -> None:
    half = an_eval(params={"patterns": ["good", "better"]}, threshold=threshold)
    scripted = measured(half)
    through(scripted, "good")
    assert results(scripted) == [("e", passed)]


def test_promptkit_reads_a_different_threshold() -> None:
    half = an_eval(params={"patterns": ["good", "better"]}, threshold={"min_score": 0.4})
    scripted = measured(half, profile="promptkit")
    through(scripted, "good")
    assert results(scripted) == [("e", True)]


def test_a_metric_has_the_score_and_marks_values_outside_its_range() -> None:
    gauge = {"name": "g", "type": "gauge", "range": {"min": 1, "max": 5}}
    yes = {"name": "b", "type": "boolean"}
    scripted = measured(an_eval("g", metric=gauge), an_eval("b", metric=yes, message="Be good."))
    through(scripted, "bad")
    shown = [one.fields for one in scripted.events_of("promptpack.eval")]
    assert shown[0]["metric"] == {
        "name": "g",
        "type": "gauge",
        "value": 0.0,
        "outside_range": True,
    }
    assert (shown[1]["metric"]["value"], shown[1]["message"]) == (0.0, "Be good.")


@each_row(
    [
        ({"has_variable": "tier"}, None),
        ({"has_variable": "age"}, "the condition 'has_variable' is not met"),
        ({"turn_count_gte": 1}, None),
        ({"turn_count_gte": 2}, "the condition 'turn_count_gte' is not met"),
        ({"tool_called": "find"}, "the condition 'tool_called' is not met"),
        ({"tool_called_pattern": "^workflow__"}, None),
        ({"tool_called_pattern": "("}, "'(' is not a regular expression"),
        ({"any_tool_called": True, "min_tool_calls": 2}, "the condition 'min_tool_calls'"),
        ({"weather": "fine"}, "the condition 'weather' is unknown"),
    ]
)
def test_a_condition_decides_whether_an_eval_runs(when: Any, reason: str | None) -> None:
    scripted = measured(an_eval(when=when), inputs={"tier": "gold"})
    through(scripted, "good")
    ((_, found),) = results(scripted)
    assert found is True if reason is None else reason in found


def test_unsupported_types_are_skipped_with_a_reason() -> None:
    kinds = ("cosine_similarity", "brand_new", "llm_judge", "assertion")
    scripted = measured(*(an_eval(kind, kind) for kind in kinds))
    through(scripted, "good")
    assert results(scripted) == [
        ("cosine_similarity", "the type 'cosine_similarity' needs a service that is not available"),
        ("brand_new", "the type 'brand_new' is unknown"),
        ("llm_judge", JUDGES_OFF),
        ("assertion", "the type '' is unknown"),
    ]


def test_an_eval_measures_like_a_validator_of_its_type() -> None:
    banned = {"params": {"words": ["good"]}}
    scripted = measured(
        an_eval("w", "banned_words", **banned), an_eval("x", "content_excludes", **banned)
    )
    through(scripted, "Goodness!")
    assert results(scripted) == [("w", True), ("x", False)], "whole words, or any part"


def test_a_wrapped_eval_is_all_or_nothing() -> None:
    inner = {"eval_type": "contains", "eval_params": {"patterns": ["good", "better"]}}
    scripted = measured(
        an_eval("half", "assertion", params={**inner, "min_score": 0.5}),
        an_eval("all", "guardrail", params=inner),
    )
    through(scripted, "good")
    assert results(scripted) == [("half", True), ("all", False)]


JUDGE = an_eval(
    "tone",
    "llm_judge",
    params={"judge_prompt": "Rate the tone.", "model": "gpt-4o", "passing_score": 4},
    metric={"name": "tone", "type": "gauge", "range": {"min": 1, "max": 5}},
)


def test_a_judge_is_called_if_the_run_enables_judges() -> None:
    scripted = measured(JUDGE, inputs={"promptpack.judges": "yes"})
    through(scripted, "Dear friend.")
    effect = scripted.pending
    assert isinstance(effect, AskModel)
    assert (effect.model, effect.state, effect.choices) == ("gpt-4o", "draft", ())
    assert "Rate the tone." in effect.messages[0].text
    assert "from 1 (worst) to 5 (best)" in effect.messages[0].text
    assert effect.messages[0].text.endswith("Dear friend.")
    scripted.reply(structured={"score": 3, "explanation": "A bit stiff."})
    assert results(scripted) == [("tone", False)]
    assert scripted.last("promptpack.eval").fields["explanation"] == "A bit stiff."
    assert scripted.state == "review", "and the run goes on where it was going to"
    assert "Dear friend." in scripted.run.outputs["draft"], "the score is no output of the state"
    through(scripted, "")
    assert results(scripted)[1:] == [], "a turn without words is not judged"


def test_a_judge_without_a_score_gives_no_result() -> None:
    scripted = measured(JUDGE, inputs={"promptpack.judges": "yes"})
    through(scripted, "Dear friend.")
    scripted.reply(text="Lovely!")
    assert results(scripted) == [("tone", "the judge gave no score")]
    scripted = measured(JUDGE, inputs={"promptpack.judges": "yes"})
    scripted.model("Question?")
    scripted.reply(text='Well: {"score": 5}')
    assert results(scripted) == [("tone", True)]
    assert scripted.pending.question == "Question?"


def test_a_session_is_judged_before_the_run_ends() -> None:
    judge = {**JUDGE, "trigger": "on_session_complete"}
    scripted = measured(judge, inputs={"promptpack.judges": "yes"})
    through(scripted, "One.", "Two.")
    scripted.model("Three.")
    assert scripted.run.status == "running"
    scripted.reply(structured={"score": 4, "explanation": ""})
    assert (scripted.run.status, results(scripted)) == ("completed", [("tone", True)])


def test_a_step_of_a_composition_names_evals_of_the_pack() -> None:
    changes = composed(step("a", modifiers={"eval": ["e"]}), step("b"))
    scripted = ScriptedRun({**changes, "evals": [an_eval(trigger="never")]}, inputs={"input": "x"})
    scripted.reply(text="good")
    assert results(scripted) == [("e", True)]
    assert scripted.last("promptpack.eval").fields["step"] == "c/a"


def test_a_composition_counts_as_one_reply_with_its_result() -> None:
    words = an_eval(kind="regex", params={"pattern": "^good$"})
    output = an_eval("o", "composition_output", params={"equals": "good"})
    taken = an_eval("p", "composition_step_output", params={"step": "a", "contains": ["x"]})
    changes = composed(step("a"), step("b"))
    scripted = ScriptedRun({**changes, "evals": [words, output, taken]}, inputs={"input": "x"})
    scripted.reply(text="xyz")
    assert results(scripted) == []
    scripted.reply(text="good")
    assert results(scripted) == [("e", True), ("o", True), ("p", True)]


CALLS = (
    {"name": "find", "arguments": {"q": "bees"}, "result": "Buzz", "error": "", "state": "a"},
    {"name": "save", "arguments": {}, "result": "", "error": "full", "state": "b"},
    {"name": "find", "arguments": {"q": "bees"}, "result": "Hum", "error": "", "state": "b"},
)
SEEN = Observation(
    text="Bye.",
    replies=({"text": "Hello.", "state": "a"}, {"text": "Bye.", "state": "b"}),
    calls=CALLS,
    moves=({"from": "a", "move": "Go", "to": "b"},),
    skills=("read", "write"),
    checks=({"kind": "banned_words", "direction": "output", "fired": True},),
    steps={"s": {"status": "done", "output": {"n": 1}}, "r": {"taken": "then", "to": "s"}},
    outputs=({"n": 1},),
    state="b",
    entry="a",
    seconds=2.0,
    input_tokens=100,
    output_tokens=50,
    cost=0.5,
)


@each_row(
    [
        ("tools_called", {"tool_names": ["find", "drop"]}, 0.5),
        ("tools_called", {"tools": ["find"], "min_calls": 3}, 0),
        ("tools_called", {"tools": ["find"], "max_calls": 1}, 0),
        ("tool_called", {"tool": "find"}, 1),
        ("tools_not_called", {"tools": ["drop"]}, 1),
        ("tools_not_called", {"tools": ["save"]}, 0),
        ("tool_args", {"tool_name": "find", "expected_args": {"q": "bees"}}, 1),
        ("tool_args", {"tool_name": "find", "expected_args": {"q": "wasps"}}, 0),
        ("tool_call_count", {"tool": "find", "min": 2, "max": 2}, 1),
        ("tool_call_count", {"max": 2}, 0),
        ("tool_call_sequence", {"sequence": ["find", "find"]}, 1),
        ("tool_call_sequence", {"sequence": ["save", "save"]}, 0.5),
        ("tool_anti_pattern", {"patterns": [["save", "find"]]}, 0),
        ("tool_anti_pattern", {"patterns": [{"sequence": ["save", "save"]}]}, 1),
        ("tool_no_repeat", {}, 0),
        ("tool_no_repeat", {"max_repeats": 2}, 1),
        ("tool_efficiency", {"max_calls": 3, "max_errors": 1, "max_error_rate": 0.5}, 1),
        ("tool_efficiency", {"max_errors": 0}, 0),
        ("no_tool_errors", {}, 0),
        ("no_tool_errors", {"tools": ["find"]}, 1),
        ("tool_result_includes", {"tool": "find", "patterns": ["buzz"]}, 1),
        ("tool_result_includes", {"patterns": ["u"], "occurrence": 3}, 0),
        ("tool_result_matches", {"pattern": "^B"}, 1),
        ("workflow_complete", {}, 0),
        ("workflow_state_is", {"state": "b"}, 1),
        ("workflow_transitioned_to", {"state": "a"}, 0),
        ("workflow_transition_order", {"sequence": ["a", "b"]}, 1),
        ("workflow_tool_access", {"rules": [{"state": "b", "allowed": ["find"]}]}, 0),
        ("workflow_tool_access", {"rules": [{"state": "a", "allowed": ["find"]}]}, 1),
        ("spoke_in_state", {"state": "a"}, 1),
        ("spoke_in_state", {"state": "c"}, 0),
        ("skill_activated", {"skills": ["read"]}, 1),
        ("skill_not_activated", {"skills": ["read"]}, 0),
        ("skill_activation_order", {"sequence": ["write", "read"]}, 0.5),
        ("guardrail_triggered", {"validator": "banned_words"}, 1),
        ("guardrail_triggered", {"validator": "banned_words", "direction": "input"}, 0),
        ("guardrail_triggered", {"validator": "length", "should_trigger": False}, 1),
        ("composition_step_output", {"step": "s", "equals": {"n": 1.0}}, 1),
        ("composition_step_output", {"step": "t", "equals": 1}, 0),
        ("composition_output", {"contains": ['"n":1']}, 1),
        ("composition_branch_taken", {"branch": "r", "expected": "s"}, 1),
        ("composition_branch_taken", {"branch": "r", "expected": "t"}, 0),
        ("composition_parallel_complete", {"parallel": "s"}, 1),
        ("latency_budget", {"max_ms": 1999}, 0),
        ("cost_budget", {"max_cost_usd": 0.5, "max_total_tokens": 150}, 1),
        ("cost_budget", {"max_input_tokens": 99}, 0),
    ]
)
def test_a_run_measure_scores_an_observation(
    kind: str, params: dict[str, Any], score: float
) -> None:
    assert RUN_MEASURES[ALIASES.get(kind, kind)](params, SEEN).score == score


def test_tools_of_the_pack_and_of_the_workflow_are_recorded() -> None:
    access = {"rules": [{"state": "draft", "allowed": ["find"]}]}
    scripted = measured(
        an_eval("t", "tools_called", params={"tools": ["find", "workflow__transition"]}),
        an_eval("a", "workflow_tool_access", params=access),
        an_eval("i", "tool_result_includes", params={"tool": "find", "patterns": ["buzz"]}),
        tools=FIND,
        **{"prompts/draft/tools": ["find"]},
    )
    scripted.model("Looking.", ("find", {}), ("workflow__transition", {"event": "Submit"}))
    scripted.tool("Buzz!")
    assert scripted.state == "review"
    assert results(scripted) == [("t", True), ("a", False), ("i", True)]
