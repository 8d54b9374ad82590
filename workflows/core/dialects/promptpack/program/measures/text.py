"""Measures of replies: words, lengths, sentences, patterns, JSON."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.measures.base import (
    BadParams,
    Measure,
    Measurement,
    Observation,
    number,
    pass_or_fail,
    share_present,
    text_list,
)
from workflows.core.dialects.promptpack.program.references import MISSING, is_shallow, parse_json
from workflows.core.json_schemas.validation import pack_schema
from workflows.core.patterns import linear
from workflows.core.patterns.problems import PatternError, quoted
from workflows.core.text.tolerant import as_str

MAX_JSON_STARTS = 50
"""Maximum number of places in a text that are tried as the start of a JSON value."""
CHARACTERS_PER_TOKEN = 4
_STOP = re.compile(r"[.!?…](?=\s|$)")
_PUNCTUATION = " \t\r\n.!?…"
_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)```", re.DOTALL)


def contains(params: Object, observation: Observation) -> Measurement:
    wanted = text_list(params, "patterns", "words", "text")
    text = observation.text.casefold()
    present = [pattern for pattern in wanted if pattern.casefold() in text]
    return share_present(wanted, present, "Missing in the reply")


def contains_any(params: Object, observation: Observation) -> Measurement:
    wanted = text_list(params, "patterns", "words")
    reply = observation.text.casefold()
    return pass_or_fail(
        any(pattern.casefold() in reply for pattern in wanted),
        "The reply contains none of the words.",
        *wanted,
    )


def content_excludes(params: Object, observation: Observation) -> Measurement:
    banned = text_list(params, "patterns", "words")
    mode = params.get("match_mode", "substring")
    reply = observation.text.casefold()
    present = [text for text in banned if text and _occurs(text.casefold(), reply, mode)]
    return pass_or_fail(not present, f"Found in the reply: {', '.join(present)}", *present)


def banned_words(params: Object, observation: Observation) -> Measurement:
    """`content_excludes` that matches whole words by default."""
    return content_excludes({"match_mode": "word_boundary", **params}, observation)


def _occurs(text: str, reply: str, mode: object) -> bool:
    if mode != "word_boundary":
        return text in reply
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", reply) is not None


def pattern(params: Object, observation: Observation) -> Measurement:
    """Match a pattern of the pack. Raises BadParams for an unusable pattern."""
    text = as_str(params.get("pattern"))
    if not text:
        raise BadParams("requires 'pattern': a regular expression")
    wanted = params.get("expect_match") is not False
    return pass_or_fail(
        matches(text, observation.text) == wanted,
        f"{quoted(text)} {'does not match' if wanted else 'matches'}.",
    )


def matches(pattern: str, text: str) -> bool:
    """True if a pattern of the pack matches. Raises BadParams for an unusable pattern."""
    try:
        return linear.search(pattern, text)
    except PatternError as problem:
        raise BadParams(f"{quoted(pattern)} {problem.message}") from None


def max_length(params: Object, observation: Observation) -> Measurement:
    most, tokens = (
        number(params, "max", "max_characters", "max_chars"),
        number(params, "max_tokens"),
    )
    if most is None and tokens is None:
        raise BadParams(
            "requires one of 'max', 'max_characters', or 'max_chars' to be a positive integer"
        )
    size = len(observation.text)
    if most is not None and size > most:
        return pass_or_fail(False, f"{size} characters, {most:g} allowed.")
    estimate = size / CHARACTERS_PER_TOKEN
    over = tokens is not None and estimate > tokens
    return pass_or_fail(not over, f"about {estimate:.0f} tokens, {tokens or 0:g} allowed.")


def min_length(params: Object, observation: Observation) -> Measurement:
    least = number(params, "min", "min_characters", "min_chars")
    if least is None:
        raise BadParams("requires 'min' to be a positive integer")
    size = len(observation.text)
    return pass_or_fail(size >= least, f"{size} characters, at least {least:g} required.")


def sentence_count(params: Object, observation: Observation) -> Measurement:
    most = number(params, "max", "max_sentences")
    if most is None:
        raise BadParams("requires 'max' to be a positive integer")
    count = sum(1 for part in _STOP.split(observation.text) if part.strip(_PUNCTUATION))
    return pass_or_fail(count <= most, f"{count} sentences, {most:g} allowed.")


def field_presence(params: Object, observation: Observation) -> Measurement:
    wanted = text_list(params, "fields", "required_fields")
    value = json_in(observation.text, wrapped=True)
    present = [name for name in wanted if isinstance(value, dict) and name in value]
    return share_present(wanted, present, "Missing")


def json_valid(params: Object, observation: Observation) -> Measurement:
    return pass_or_fail(_json_of(params, observation) is not MISSING, "The reply is not JSON.")


def json_schema(params: Object, observation: Observation) -> Measurement:
    schema = params.get("schema")
    if not isinstance(schema, dict | bool):
        raise BadParams("requires 'schema': a JSON Schema")
    value = _json_of(params, observation)
    if value is MISSING:
        return pass_or_fail(False, "The reply is not JSON.")
    try:
        errors = [error.message for error in islice(pack_schema(schema).iter_errors(value), 5)]
    except ValueError as bad:
        raise BadParams(f"the schema cannot be used: {_one_line(str(bad))}") from None
    return pass_or_fail(not errors, "; ".join(errors), *errors)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


def _json_of(params: Object, observation: Observation) -> Any:
    wrapped = params.get("allow_wrapped") is True or params.get("extract_json") is True
    return json_in(observation.text, wrapped=wrapped)


def json_in(text: str, *, wrapped: bool) -> Any:
    """The JSON value of a text, MISSING for none. With `wrapped`, also a value in a fence or
    between other text."""
    value = parse_json(text)
    if value is not MISSING or not wrapped:
        return value
    for fenced in _FENCE.findall(text):
        value = parse_json(fenced)
        if value is not MISSING:
            return value
    decoder = json.JSONDecoder()
    for start, _ in zip(re.finditer(r"[{\[]", text), range(MAX_JSON_STARTS), strict=False):
        try:
            value = decoder.raw_decode(text, start.start())[0]
        except (ValueError, RecursionError):
            continue
        return value if is_shallow(value) else MISSING
    return MISSING


TEXT_MEASURES: dict[str, Measure] = {
    "contains": contains,
    "contains_any": contains_any,
    "content_excludes": content_excludes,
    "banned_words": banned_words,
    "regex": pattern,
    "max_length": max_length,
    "min_length": min_length,
    "sentence_count": sentence_count,
    "field_presence": field_presence,
    "json_valid": json_valid,
    "json_schema": json_schema,
}
