"""Rules about the types of validators and evals, and the parameters that each type needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import regex

from workflows.core.dialects.promptpack.format.parts import (
    Object,
    Parts,
    Pointer,
    as_str,
    as_str_list,
)
from workflows.core.dialects.promptpack.program.measures.base import ALIASES
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note

NEEDS: dict[str, tuple[str, ...]] = {
    "content_excludes": ("words", "patterns"),
    "contains": ("patterns", "words"),
    "contains_any": ("patterns", "words"),
    "regex": ("pattern",),
    "max_length": ("max", "max_characters", "max_chars", "max_tokens"),
    "min_length": ("min", "min_characters"),
    "sentence_count": ("max",),
    "field_presence": ("fields",),
    "json_schema": ("schema",),
    "json_path": ("expression",),
    "tools_called": ("tool_names", "tools"),
    "tools_not_called": ("tool_names", "tools"),
    "tool_call_sequence": ("sequence",),
    "workflow_state_is": ("state",),
    "workflow_transitioned_to": ("state",),
    "workflow_transition_order": ("sequence",),
    "spoke_in_state": ("state",),
    "guardrail_triggered": ("validator",),
    "latency_budget": ("max_ms",),
}
"""Check type → the parameters of which it needs at least one (promptpack.md 4.13 and 4.14)."""
LISTS = ("words", "patterns", "fields", "tool_names", "tools", "sequence")
TEXTS = ("expression", "state", "validator")
MAX_PATTERN = 2_000
"""Longer patterns are not compiled here."""
KNOWN = frozenset(NEEDS) | frozenset(ALIASES) | frozenset(
    (
        "json_valid", "pii_leakage", "toxicity", "bias", "role_violation", "topic_policy",
        "tool_args", "tool_calls_with_args", "tool_call_count", "tool_call_chain",
        "tool_anti_pattern", "tool_no_repeat", "tool_efficiency", "no_tool_errors",
        "tool_result_includes", "tool_result_matches", "cost_budget", "workflow_complete",
        "workflow_tool_access", "skill_activated", "skill_not_activated",
        "skill_activation_order", "agent_invoked", "agent_not_invoked",
        "composition_step_output", "composition_branch_taken", "composition_parallel_complete",
        "composition_output", "cosine_similarity", "llm_judge", "llm_judge_session",
        "llm_judge_tool_calls", "faithfulness", "answer_relevancy", "contextual_precision",
        "contextual_recall", "contextual_relevancy", "hallucination", "text_toxicity",
        "text_sentiment", "audio_emotion", "image_moderation", "rest_eval", "rest_eval_session",
        "a2a_eval", "a2a_eval_session", "tool_exec", "assertion", "guardrail",
    )
)  # fmt: skip


def _checks(parts: Parts) -> Iterator[tuple[Pointer, Object, str]]:
    for pointer, item in parts.validators:
        yield pointer, item, "validator"
    for pointer, item in parts.evals:
        yield pointer, item, "eval"


@pack_rule("PP511", "warning", "Check without its parameters")
def lacks_settings(parts: Parts) -> Iterable[Note]:
    """A check of this type needs a parameter: the banned words, the maximum length, the pattern to
    match. Without it, or with a value of the wrong type, runtimes skip the check with a warning.
    Set it under `params`."""
    for pointer, item, what in _checks(parts):
        kind = as_str(item.get("type"))
        wanted = NEEDS.get(ALIASES.get(kind, kind), ())
        params = item.get("params")
        settings: Object = params if isinstance(params, dict) else {}
        if not wanted or any(_is_good(name, settings.get(name)) for name in wanted):
            continue
        given = next((name for name in wanted if name in settings), "")
        yield Note(
            message=f"The value of {given!r} in the {what} {kind!r} is not valid."
            if given
            else f"The {what} {kind!r} needs {' or '.join(map(repr, wanted))} in its params.",
            pointer=(*pointer, "params", given) if given else pointer,
            hint=f"{given or wanted[0]!r} must be {_kind(given or wanted[0])}.",
        )


def _is_good(name: str, value: Any) -> bool:
    if name in LISTS:
        return bool(as_str_list(value))
    if name in TEXTS:
        return bool(as_str(value))
    if name == "pattern":
        return isinstance(value, str) and _is_pattern(value)
    if name == "schema":
        return isinstance(value, (dict, bool, str))
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _is_pattern(text: str) -> bool:
    if not text or len(text) > MAX_PATTERN:
        return bool(text)
    try:
        regex.compile(text)  # type: ignore[no-untyped-call]
    except regex.error:
        return False
    return True


def _kind(name: str) -> str:
    if name in LISTS:
        return "a list of strings"
    if name in TEXTS:
        return "a string"
    other = {"schema": "a JSON Schema", "pattern": "a regular expression"}
    return other.get(name, "a number greater than 0")


@pack_rule("PP512", "hint", "Check of an unknown type")
def unknown_type(parts: Parts) -> Iterable[Note]:
    """The type of this check is close to the name of a common type, so it is probably misspelt. The
    format does not restrict types, and a runtime may add its own; other runtimes skip the check, or
    refuse the pack."""
    for pointer, item, what in _checks(parts):
        kind = as_str(item.get("type"))
        near = closest_name(kind, KNOWN) if kind not in KNOWN else ""
        if near:
            here = (*pointer, "type")
            yield Note(
                message=f"The {what} type {kind!r} is unknown.",
                pointer=here,
                hint=f"Did you mean {near!r}?",
                fix=set_fix(parts, f"Change to {near}", here, near),
            )
