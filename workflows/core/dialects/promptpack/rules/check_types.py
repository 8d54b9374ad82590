"""Rules over what validators and evals check: their types and the settings these need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import regex

from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer, word, words
from workflows.core.dialects.promptpack.program.measures.base import ALIASES
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix
from workflows.core.pack.naming import closest
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
"""Type of a check → the settings of which it needs one (promptpack.md 4.13 and 4.14)."""
LISTS = ("words", "patterns", "fields", "tool_names", "tools", "sequence")
TEXTS = ("expression", "state", "validator")
LONGEST_PATTERN = 2_000
"""A longer pattern is not tried out here."""
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


@pack_rule("PP511", "warning", "Check without what it needs")
def lacks_settings(parts: Parts) -> Iterable[Note]:
    """A check of this type needs a setting to work with: the words that are banned, the length that
    is too long, the pattern that has to match. Without it, or with a value of another kind,
    runtimes leave the check out with a warning. Fill it in under `params`."""
    for pointer, item, what in _checks(parts):
        kind = word(item.get("type"))
        wanted = NEEDS.get(ALIASES.get(kind, kind), ())
        params = item.get("params")
        settings: Object = params if isinstance(params, dict) else {}
        if not wanted or any(_is_good(name, settings.get(name)) for name in wanted):
            continue
        given = next((name for name in wanted if name in settings), "")
        yield Note(
            message=f"The {what} {kind!r} cannot work with its {given!r}."
            if given
            else f"The {what} {kind!r} needs {' or '.join(map(repr, wanted))} in its params.",
            pointer=(*pointer, "params", given) if given else pointer,
            hint=f"{given or wanted[0]!r} is {_kind(given or wanted[0])}.",
        )


def _is_good(name: str, value: Any) -> bool:
    if name in LISTS:
        return bool(words(value))
    if name in TEXTS:
        return bool(word(value))
    if name == "pattern":
        return isinstance(value, str) and _is_pattern(value)
    if name == "schema":
        return isinstance(value, (dict, bool, str))
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _is_pattern(text: str) -> bool:
    if not text or len(text) > LONGEST_PATTERN:
        return bool(text)
    try:
        regex.compile(text)  # type: ignore[no-untyped-call]
    except regex.error:
        return False
    return True


def _kind(name: str) -> str:
    if name in LISTS:
        return "a list of texts"
    if name in TEXTS:
        return "a text"
    other = {"schema": "a JSON Schema", "pattern": "a regular expression"}
    return other.get(name, "a number above 0")


@pack_rule("PP512", "hint", "Check of an unknown type")
def unknown_type(parts: Parts) -> Iterable[Note]:
    """The type of this check is almost the name of a common one, so it is probably a slip of the
    pen. Types are not fixed by the format, and a runtime may bring its own; but where it knows no
    such type it leaves the check out, or does not open the pack at all."""
    for pointer, item, what in _checks(parts):
        kind = word(item.get("type"))
        near = closest(kind, KNOWN) if kind not in KNOWN else ""
        if near:
            here = (*pointer, "type")
            yield Note(
                message=f"The {what} type {kind!r} is not a known one.",
                pointer=here,
                hint=f"Did you mean {near!r}?",
                fix=set_fix(parts, f"Change to {near}", here, near),
            )
