"""Validators: what each type finds, and what becomes of a reply that does not pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.promptpack.packs import pack, source
from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.dialects.promptpack.test_compositions import composed, step
from workflows.core.dialects.promptpack.program.measures.base import BadParams, Seen
from workflows.core.dialects.promptpack.program.measures.text import WORDS
from workflows.core.dialects.promptpack.program.program import program
from workflows.core.dialects.promptpack.program.validators import REFUSAL
from workflows.core.engine.program import CannotRun

NAMED = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
FENCED = 'Here:\n```json\n{"name": "x"}\n```\nDone.'


@pytest.mark.parametrize(
    ("kind", "params", "text", "score"),
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
    ],
)
def test_what_a_measure_of_words_finds(
    kind: str, params: dict[str, Any], text: str, score: float
) -> None:
    assert WORDS[kind](params, Seen(text=text)).score == score


@pytest.mark.parametrize(
    ("kind", "params", "why"),
    [
        ("regex", {"pattern": "("}, "is no regular expression"),
        ("regex", {}, "requires 'pattern'"),
        ("regex", {"pattern": r"(a|aa)+\d$"}, "took longer than"),
        ("max_length", {"max": "many"}, "requires one of 'max'"),
        ("min_length", {}, "requires 'min'"),
        ("contains", {"patterns": 3}, "requires 'patterns'"),
        ("json_schema", {"schema": 3}, "requires 'schema'"),
        ("json_schema", {"schema": {"$ref": "https://example.org/s.json"}}, "cannot be used"),
    ],
)
def test_parameters_that_do_not_say_what_to_measure_are_told(
    kind: str, params: dict[str, Any], why: str
) -> None:
    text = "a" * 60 + "!" if kind == "regex" else "{}"
    with pytest.raises(BadParams, match=why):
        WORDS[kind](params, Seen(text=text))


def guarded(*validators: dict[str, Any], profile: str = "documented", **more: Any) -> ScriptedRun:
    return ScriptedRun({"prompts/draft/validators": list(validators), **more}, profile=profile)


BANNED = {"type": "banned_words", "params": {"words": ["darn"]}, "message": "Mind your words."}
SHORT = {"type": "max_length", "params": {"max": 5}}
MOVE = ("workflow__transition", {"event": "Submit", "context": ""})


def test_a_reply_that_passes_goes_on_and_says_so() -> None:
    play = guarded(BANNED, SHORT)
    play.say("Fine.", MOVE)
    assert play.state == "review"
    assert [event.fields["name"] for event in play.every("check.passed")] == [
        "banned_words",
        "max_length",
    ]


def test_a_reply_that_does_not_is_replaced_and_its_calls_are_dropped() -> None:
    play = guarded(BANNED, SHORT)
    play.say("Darn it all.", MOVE)
    assert play.state == "draft"
    assert play.asked.question == "Mind your words."
    failed = play.last("check.failed").fields
    assert (failed["action"], failed["violations"]) == ("replaced", ["darn"])
    assert play.every("check.passed") == [], "what comes after is not looked at any more"


def test_a_reply_that_is_too_long_is_cut() -> None:
    play = guarded(SHORT)
    play.say("Far too long.", MOVE)
    assert play.asked.question == "Far t"
    assert play.last("check.failed").fields["action"] == "cut"


def test_a_validator_without_words_of_its_own_says_the_usual_ones() -> None:
    play = guarded({"type": "banned_words", "params": {"words": ["darn"]}})
    play.say("Darn.")
    assert play.asked.question == REFUSAL


def test_a_reply_without_words_has_nothing_to_check() -> None:
    play = guarded({"type": "json_valid"})
    play.go("Submit")
    assert play.state == "review"


@pytest.mark.parametrize(
    ("schema", "flag", "action"),
    [
        (None, False, "replaced"),
        ("https://promptpack.org/schema/latest/promptpack.schema.json", False, "replaced"),
        ("https://promptpack.org/schema/v1/promptpack.schema.json", None, "replaced"),
        ("https://promptpack.org/schema/v1.7.0/promptpack.schema.json", False, "replaced"),
        ("https://promptpack.org/schema/v1.4.0/promptpack.schema.json", False, "noted"),
        ("https://promptpack.org/schema/v1.4.0/promptpack.schema.json", None, "noted"),
        ("https://promptpack.org/schema/v1.4.0/promptpack.schema.json", True, "replaced"),
    ],
)
def test_whether_a_violation_blocks_is_read_by_the_version_the_pack_names(
    schema: str | None, flag: bool | None, action: str
) -> None:
    validator = BANNED if flag is None else {**BANNED, "fail_on_violation": flag}
    play = guarded(validator, **({"$schema": schema} if schema else {}))
    play.say("Darn.", MOVE)
    assert play.last("check.failed").fields["action"] == action
    assert play.state == ("review" if action == "noted" else "draft")


def test_promptkit_always_enforces_and_takes_silence_for_switched_off() -> None:
    old = {"$schema": "https://promptpack.org/schema/v1.4.0/promptpack.schema.json"}
    play = guarded(BANNED, profile="promptkit", **old)
    play.say("Darn.", MOVE)
    assert play.every("check.failed") == []
    play = guarded({**BANNED, "enabled": True}, profile="promptkit", **old)
    play.say("Darn.", MOVE)
    assert play.last("check.failed").fields["action"] == "replaced"


def test_a_validator_that_is_switched_off_does_not_run() -> None:
    play = guarded({**BANNED, "enabled": False})
    play.say("Darn.", MOVE)
    assert play.state == "review"


def test_unknown_types_are_told_and_skipped_and_promptkit_does_not_even_start() -> None:
    play = guarded({"type": "sentiment"}, {"type": "toxicity"}, {"type": "max_length"})
    play.say("Hello.", MOVE)
    assert [event.fields["reason"] for event in play.every("promptpack.check.skipped")] == [
        "'sentiment' is not known here",
        "'toxicity' needs a model to judge",
        "requires one of 'max', 'max_characters', or 'max_chars' to be a positive integer",
    ]
    unknown = {"prompts/draft/validators": [{"type": "sentiment", "enabled": True}]}
    with pytest.raises(CannotRun, match='unknown guardrail type: "sentiment"'):
        program(source(pack(unknown)), "promptkit")


def test_what_a_person_says_is_checked_before_a_model_hears_of_it() -> None:
    looks = {**BANNED, "params": {"words": ["darn"], "direction": "input"}}
    play = guarded(looks)
    assert play.last("check.passed").fields["direction"] == "input"
    play.say("What is it?")
    play.person(text="Darn you!")
    assert play.asked.question == "Mind your words."
    assert len(play.every("model.asked")) == 1
    play.person(text="Sorry. Please go on.")
    play.say("Darn.", MOVE)
    assert play.state == "review", "only what comes in is looked at"


def test_bounds_of_the_score_say_when_a_validator_fires() -> None:
    half = {"type": "contains", "params": {"patterns": ["a", "b"], "min_score": 0.5}}
    play = guarded(half)
    play.say("a", MOVE)
    assert play.state == "review"


def test_the_prompt_of_a_step_has_its_validators_too() -> None:
    changes = composed(step("a"))
    changes["prompts"]["p"]["validators"] = [BANNED]
    play = ScriptedRun(changes, inputs={"input": json.dumps("x")})
    play.reply(text="Darn.")
    done = play.last("promptpack.composition.completed").fields
    assert done["output"] == "Mind your words."


def test_what_a_step_works_on_is_checked_before_its_model_hears_of_it() -> None:
    changes = composed(step("a"), step("b", input="${a.output}"))
    looks = {**BANNED, "params": {"words": ["darn"], "direction": "input"}}
    changes["prompts"]["p"]["validators"] = [looks]
    play = ScriptedRun(changes, inputs={"input": "Darn!"})
    assert play.asked.state == "c/b", "no model is asked for the first step"
    assert play.asked.messages[0].text == "Mind your words."
