"""Validators: the measures of each type, and the consequences of a failed check."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.promptpack.packs import pack, source
from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.dialects.promptpack.test_compositions import composed, step
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.program.measures.base import BadParams, Observation
from workflows.core.dialects.promptpack.program.measures.text import TEXT_MEASURES
from workflows.core.dialects.promptpack.program.program import program
from workflows.core.dialects.promptpack.program.validators import JUDGES_OFF, REFUSAL
from workflows.core.engine.program import CannotRun

NAMED = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
FENCED = 'Here:\n```json\n{"name": "x"}\n```\nDone.'


@each_row(
    [
        ("contains", {"patterns": ["Bee", "wasp"]}, "A bee.", 0.5),
        ("contains", {"patterns": ["Bee"]}, "A bee.", 1),
        ("contains_any", {"patterns": ["wasp", "bee"]}, "A bee.", 1),
        ("contains_any", {"patterns": ["wasp"]}, "A bee.", 0),
        ("content_excludes", {"patterns": ["bee"]}, "Beehive", 0),
        ("content_excludes", {"patterns": ["bee"], "match_mode": "word_boundary"}, "Beehive", 1),
        ("banned_words", {"words": ["bee"]}, "Beehive", 1),
        ("banned_words", {"words": ["bee"]}, "A BEE!", 0),
        ("banned_words", {"words": ["bee"], "match_mode": "substring"}, "Beehive", 0),
        ("banned_words", {"words": ["c++"]}, "I like C++.", 0),
        ("regex", {"pattern": "^a+$"}, "aaa", 1),
        ("regex", {"pattern": "^a+$"}, "aab", 0),
        ("regex", {"pattern": "b", "expect_match": False}, "aaa", 1),
        ("max_length", {"max": 3}, "abc", 1),
        ("max_length", {"max_characters": 3}, "abcd", 0),
        ("max_length", {"max_tokens": 1}, "abcde", 0),
        ("min_length", {"min_characters": 3}, "ab", 0),
        ("sentence_count", {"max": 2}, "One. Two! And so on... Three?", 0),
        ("sentence_count", {"max": 2}, "One. Two", 1),
        ("sentence_count", {"max": 1}, "Wait...?! ", 1),
        ("sentence_count", {"max": 1}, "It is 3.5 metres long", 1),
        ("sentence_count", {"max": 2}, "One." + " " * 100_000 + "! Two", 1),
        ("sentence_count", {"max": 1}, "." * 100_000 + "x", 1),
        ("field_presence", {"fields": ["name", "age"]}, FENCED, 0.5),
        ("field_presence", {"fields": ["name"]}, "no JSON", 0),
        ("json_valid", {}, '{"a": 1}', 1),
        ("json_valid", {}, FENCED, 0),
        ("json_valid", {"allow_wrapped": True}, FENCED, 1),
        ("json_valid", {"extract_json": True}, "It is [1, 2], see?", 1),
        ("json_valid", {}, "[" * 5_000, 0),
        ("json_valid", {}, "[" * 200 + "]" * 200, 0),
        ("json_schema", {"schema": NAMED}, '{"name": "x"}', 1),
        ("json_schema", {"schema": NAMED}, '{"name": 3}', 0),
        ("json_schema", {"schema": NAMED, "allow_wrapped": True}, FENCED, 1),
    ]
)
def test_a_text_measure_scores_a_reply(
    kind: str, params: dict[str, Any], text: str, score: float
) -> None:
    assert TEXT_MEASURES[kind](params, Observation(text=text)).score == score


@each_row(
    [
        ("regex", {"pattern": "("}, "is not a regular expression"),
        ("regex", {}, "requires 'pattern'"),
        ("regex", {"pattern": r"(a|aa)+\1$"}, "uses a backreference, which RE2 does not support"),
        ("regex", {"pattern": "(?=a)"}, "uses look-ahead, which RE2 does not support"),
        ("regex", {"pattern": "(?:a{300}){300}"}, "more than 1,000 copies"),
        ("max_length", {"max": "many"}, "requires one of 'max'"),
        ("min_length", {}, "requires 'min'"),
        ("contains", {"patterns": 3}, "requires 'patterns'"),
        ("json_schema", {"schema": 3}, "requires 'schema'"),
        ("json_schema", {"schema": {"$ref": "https://example.org/s.json"}}, "cannot be used"),
    ]
)
def test_invalid_parameters_are_reported(kind: str, params: dict[str, Any], why: str) -> None:
    text = "a" * 60 + "!" if kind == "regex" else "{}"
    with pytest.raises(BadParams, match=why):
        TEXT_MEASURES[kind](params, Observation(text=text))


def guarded(*validators: dict[str, Any], profile: str = "documented", **more: Any) -> ScriptedRun:
    return ScriptedRun({"prompts/draft/validators": list(validators), **more}, profile=profile)


REPORTED = {"type": "banned_words", "params": {"words": ["darn"]}, "message": "Mind your words."}
BANNED = {**REPORTED, "fail_on_violation": True}
SHORT = {"type": "max_length", "params": {"max": 5}, "fail_on_violation": True}
MOVE = ("workflow__transition", {"event": "Submit", "context": ""})


def test_a_passing_reply_is_unchanged_and_recorded() -> None:
    scripted = guarded(BANNED, SHORT)
    scripted.model("Fine.", MOVE)
    assert scripted.state == "review"
    assert [event.fields["name"] for event in scripted.events_of("check.passed")] == [
        "banned_words",
        "max_length",
    ]


def test_a_failing_reply_is_replaced_and_its_calls_are_dropped() -> None:
    scripted = guarded(BANNED, SHORT)
    scripted.model("Darn it all.", MOVE)
    assert scripted.state == "draft"
    assert scripted.pending.question == "Mind your words."
    first, second = (event.fields for event in scripted.events_of("check.failed"))
    assert (first["action"], first["violations"]) == ("replaced", ["darn"])
    assert (second["name"], second["text"]) == ("max_length", "Mind your words.")


def test_a_reply_that_is_too_long_is_truncated() -> None:
    scripted = guarded(SHORT)
    scripted.model("Far too long.", MOVE)
    assert scripted.pending.question == "Far t"
    assert scripted.last("check.failed").fields["action"] == "cut"


def test_a_validator_behind_one_that_cuts_looks_at_what_is_left() -> None:
    scripted = guarded({**SHORT, "params": {"max": 9}}, BANNED)
    scripted.model("That darn cat.")
    assert [event.fields["action"] for event in scripted.events_of("check.failed")] == [
        "cut",
        "replaced",
    ]
    assert scripted.pending.question == "Mind your words."


def test_a_validator_without_a_message_uses_the_default_message() -> None:
    scripted = guarded(
        {"type": "banned_words", "params": {"words": ["darn"]}, "fail_on_violation": True}
    )
    scripted.model("Darn.")
    assert scripted.pending.question == REFUSAL


def test_a_reply_without_text_is_not_checked() -> None:
    scripted = guarded({"type": "json_valid"})
    scripted.take("Submit")
    assert scripted.state == "review"


@pytest.mark.parametrize("version", ["", "latest", "v1", "v1.4.0", "v1.7.0", "v1.9"])
@pytest.mark.parametrize(
    ("flag", "action"), [(None, "noted"), (False, "noted"), (True, "replaced")]
)
def test_the_document_decides_whether_a_violation_blocks(
    version: str, flag: bool | None, action: str
) -> None:
    schema = f"https://promptpack.org/schema/{version}/promptpack.schema.json"
    validator = REPORTED if flag is None else {**REPORTED, "fail_on_violation": flag}
    scripted = guarded(validator, **({"$schema": schema} if version else {}))
    scripted.model("Darn.", MOVE)
    assert scripted.last("check.failed").fields["action"] == action
    assert scripted.state == ("review" if action == "noted" else "draft")


@pytest.mark.parametrize("flag", [None, False, True])
@pytest.mark.parametrize("profile", ["promptkit-1", "promptkit-2"])
def test_promptkit_does_not_read_fail_on_violation(profile: str, flag: bool | None) -> None:
    validator = {**REPORTED, "enabled": True}
    scripted = guarded(
        validator if flag is None else {**validator, "fail_on_violation": flag}, profile=profile
    )
    scripted.model("Darn.", MOVE)
    assert scripted.last("check.failed").fields["action"] == "replaced"


def test_a_validator_without_enabled_is_off_in_the_first_generation_only() -> None:
    for profile, failed in (("promptkit", 0), ("promptkit-1", 0), ("promptkit-2", 1)):
        scripted = guarded(REPORTED, profile=profile)
        scripted.model("Darn.", MOVE)
        assert len(scripted.events_of("check.failed")) == failed, profile


def test_a_disabled_validator_does_not_run() -> None:
    scripted = guarded({**BANNED, "enabled": False})
    scripted.model("Darn.", MOVE)
    assert scripted.state == "review"


def test_unknown_types_are_skipped_and_promptkit_refuses_to_start() -> None:
    scripted = guarded({"type": "sentiment"}, {"type": "toxicity"}, {"type": "max_length"})
    scripted.model("Hello.", MOVE)
    assert [event.fields["reason"] for event in scripted.events_of("promptpack.check.skipped")] == [
        f"'sentiment' {JUDGES_OFF}",
        f"'toxicity' {JUDGES_OFF}",
        "requires one of 'max', 'max_characters', or 'max_chars' to be a positive integer",
    ]
    unknown = {"prompts/draft/validators": [{"type": "sentiment", "enabled": True}]}
    with pytest.raises(CannotRun, match='unknown guardrail type: "sentiment"'):
        program(source(pack(unknown)), "promptkit")


def test_a_persons_message_is_checked_before_the_model_receives_it() -> None:
    looks = {**BANNED, "params": {"words": ["darn"], "direction": "input"}}
    scripted = guarded(looks)
    assert scripted.last("check.passed").fields["direction"] == "input"
    scripted.model("What is it?")
    scripted.person(text="Darn you!")
    assert scripted.pending.question == "Mind your words."
    assert len(scripted.events_of("model.asked")) == 1
    scripted.person(text="Sorry. Please go on.")
    scripted.model("Darn.", MOVE)
    assert scripted.state == "review", "only what comes in is looked at"


def test_score_bounds_decide_whether_a_validator_fires() -> None:
    half = {"type": "contains", "params": {"patterns": ["a", "b"], "min_score": 0.5}}
    scripted = guarded(half)
    scripted.model("a", MOVE)
    assert scripted.state == "review"


def test_validators_of_a_steps_prompt_are_applied() -> None:
    changes = composed(step("a"))
    changes["prompts"]["p"]["validators"] = [BANNED]
    scripted = ScriptedRun(changes, inputs={"input": json.dumps("x")})
    scripted.reply(text="Darn.")
    done = scripted.last("promptpack.composition.completed").fields
    assert done["output"] == "Mind your words."


def test_the_input_of_a_step_is_checked_before_the_model_receives_it() -> None:
    changes = composed(step("a"), step("b", input="${a.output}"))
    looks = {**BANNED, "params": {"words": ["darn"], "direction": "input"}}
    changes["prompts"]["p"]["validators"] = [looks]
    scripted = ScriptedRun(changes, inputs={"input": "Darn!"})
    assert scripted.pending.state == "c/b", "the first step makes no model call"
    assert scripted.pending.messages[0].text == "Mind your words."
