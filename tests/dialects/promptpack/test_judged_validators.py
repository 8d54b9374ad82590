"""Validators and evals that a model judges."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.dialects.promptpack.test_compositions import composed, step
from tests.support.checks import each_row

ALLOWED = {"promptpack.judges": "yes"}
KIND = {"type": "sentiment", "fail_on_violation": True, "message": "Be nice."}
MOVE = ("workflow__transition", {"event": "Submit", "context": ""})


def guarded(*validators: dict[str, Any], **more: Any) -> ScriptedRun:
    return ScriptedRun({"prompts/draft/validators": list(validators), **more}, inputs=ALLOWED)


def test_a_judge_checks_the_reply_before_it_is_handled() -> None:
    scripted = guarded({**KIND, "params": {"model": "small"}})
    scripted.model("You fool.", MOVE)
    asked = scripted.pending
    assert (asked.judge, asked.model, asked.state) == (True, "small", "draft")
    assert asked.messages[0].text == (
        "Is the sentiment of the reply positive?\n\nGive a score from 0 (no) to 1 (yes).\n\n"
        "The reply:\n\nYou fool."
    )
    assert asked.schema["required"] == ["score", "explanation"]
    scripted.reply(structured={"score": 0.1, "explanation": "Rude."})
    failed = scripted.last("check.failed").fields
    assert (failed["action"], failed["score"], failed["message"]) == ("replaced", 0.1, "Rude.")
    assert (scripted.state, scripted.pending.question) == ("draft", "Be nice.")


def test_a_passing_reply_keeps_its_calls() -> None:
    scripted = guarded(KIND)
    scripted.model("Dear friend.", MOVE)
    scripted.reply(structured={"score": 0.9, "explanation": ""})
    assert scripted.state == "review"
    assert scripted.last("check.passed").fields["name"] == "sentiment"
    scripted.take("Approve")
    assert scripted.state == "done", "the next reply is judged by its own validators only"


@each_row(
    [
        ({}, 0.5, False),
        ({}, 0.4, True),
        ({"min_score": 0.8}, 0.7, True),
        ({"max_score": 0.3}, 0.2, False),
    ]
)
def test_a_score_passes_from_a_half_or_by_its_bounds(
    params: dict[str, Any], score: float, fails: bool
) -> None:
    scripted = guarded({**KIND, "params": params})
    scripted.model("Hm.", MOVE)
    scripted.reply(structured={"score": score, "explanation": ""})
    assert bool(scripted.events_of("check.failed")) is fails


def test_several_judges_answer_one_after_the_other() -> None:
    custom = {"type": "custom", "params": {"criteria": "Is it short?"}}
    scripted = guarded({"type": "toxicity"}, {"type": "banned_words", "params": {"words": ["x"]}},
                       custom)  # fmt: skip
    scripted.model("Fine.", MOVE)
    assert scripted.pending.messages[0].text.startswith("Is the reply free of toxic")
    scripted.reply(structured={"score": 1, "explanation": ""})
    assert scripted.pending.messages[0].text.startswith("Is it short?")
    scripted.reply(text='{"score": 1, "explanation": "Yes."}')
    names = [event.fields["name"] for event in scripted.events_of("check.passed")]
    assert names == ["toxicity", "banned_words", "custom"]
    assert scripted.state == "review"


@each_row([({"error": "No key."}, "gave no answer: No key."), ({"text": "Nice!"}, "gave no score")])
def test_a_judge_without_a_score_skips_the_validator(fields: dict[str, Any], reason: str) -> None:
    scripted = guarded(KIND)
    scripted.model("Hm.", MOVE)
    scripted.reply(**fields)
    assert reason in scripted.last("promptpack.check.skipped").fields["reason"]
    assert scripted.state == "review"


def test_a_validator_without_criteria_is_skipped() -> None:
    scripted = guarded({"type": "custom"})
    scripted.model("Hm.", MOVE)
    assert scripted.last("promptpack.check.skipped").fields["reason"] == (
        "'custom' has no criteria to judge by"
    )


def test_the_replies_of_steps_are_judged_too() -> None:
    changes = composed(step("a"))
    changes["prompts"]["p"]["validators"] = [KIND]
    scripted = ScriptedRun(changes, inputs={**ALLOWED, "input": "x"})
    scripted.reply(text="You fool.")
    scripted.reply(structured={"score": 0, "explanation": ""})
    done = scripted.last("promptpack.composition.completed").fields
    assert done["output"] == "Be nice."


@each_row(
    [
        ({"type": "sentiment"}, "Is the sentiment of the reply positive?"),
        (
            {"type": "sentiment", "params": {"expected_label": "calm"}},
            "Is the sentiment of the reply calm?",
        ),
        ({"type": "custom", "description": "Is it about bees?"}, "Is it about bees?"),
        (
            {"type": "topic_policy", "params": {"allowed": ["bees"], "disallowed": ["wasps"]}},
            "Allowed: bees.\n\nDisallowed: wasps.",
        ),
    ]
)
def test_evals_of_these_types_are_judged(eval: dict[str, Any], text: str) -> None:
    changes = {"evals": [{"id": "e", "trigger": "every_turn", **eval}]}
    scripted = ScriptedRun(changes, inputs=ALLOWED)
    scripted.model("A bee.")
    assert scripted.pending.messages[0].text.startswith(text)
    scripted.reply(structured={"score": 0.6, "explanation": ""})
    result = scripted.last("promptpack.eval").fields
    assert (result["score"], result["passed"]) == (0.6, True)
