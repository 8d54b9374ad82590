"""Rules about the types of validators and evals, and the parameters that each type needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer
from workflows.core.dialects.promptpack.program.criteria import (
    JUDGES,
    UNSUPPORTED,
    criteria_of,
    is_judged,
)
from workflows.core.dialects.promptpack.program.measures.base import ALIASES
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.patterns.linear import compile_linear
from workflows.core.patterns.problems import PatternError, quoted
from workflows.core.rules.kit import Note
from workflows.core.text.tolerant import as_object, as_str, as_str_list

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
OPTIONAL = (
    "allow_wrapped", "direction", "expect_match", "expected", "extract_json", "match_mode",
    "max_calls", "max_repeats", "max_score", "message", "min_calls", "min_score", "passing_score",
)  # fmt: skip
"""Optional parameters of checks."""
LISTS = ("words", "patterns", "fields", "tool_names", "tools", "sequence")
TEXTS = ("expression", "state", "validator")
KNOWN = frozenset(NEEDS) | frozenset(ALIASES) | frozenset(
    (
        "json_valid", "sentiment", "custom",
        "pii_leakage", "toxicity", "bias", "role_violation", "topic_policy",
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


@pack_rule("PP511", "warning", "Check without its parameters", profiles=EVERY)
def lacks_settings(parts: Parts) -> Iterable[Note]:
    """A check of this type needs a parameter: the banned words, the maximum length, the pattern to
    match. Without it, or with a value of the wrong type, runtimes skip the check with a warning.
    Set it under `params`."""
    for pointer, item, what in _checks(parts):
        kind = as_str(item.get("type"))
        wanted = NEEDS.get(ALIASES.get(kind, kind), ())
        settings: Object = as_object(item.get("params"))
        if not wanted or any(_is_good(name, settings.get(name)) for name in wanted):
            continue
        field = next((name for name in wanted if name in settings), "")
        misspelled = "" if field else closest_name(wanted[0], settings)
        yield Note(
            message=f"The value of {field!r} in the {what} {kind!r} is not valid."
            if field
            else f"The {what} {kind!r} needs {' or '.join(map(repr, wanted))} in its params.",
            pointer=(*pointer, "params", field or misspelled) if field or misspelled else pointer,
            hint=f"Rename {misspelled!r} to {wanted[0]!r}."
            if misspelled
            else f"{field or wanted[0]!r} must be {_kind(field or wanted[0])}.",
        )


@pack_rule("PP518", "hint", "Misspelled parameter of a check", profiles=EVERY)
def misspelled_parameter(parts: Parts) -> Iterable[Note]:
    """A parameter that this type of check does not read is almost the name of one that it reads, so
    it is probably misspelled. As written, it has no effect. Runtimes may read parameters of their
    own."""
    for pointer, item, what in _checks(parts):
        kind = as_str(item.get("type"))
        base, params = ALIASES.get(kind, kind), item.get("params")
        wanted = NEEDS.get(base, ())
        if not isinstance(params, dict) or not any(name in params for name in wanted):
            continue  # PP511 reports a check without its parameters.
        for name in params:
            known = (*wanted, *OPTIONAL)
            near = closest_name(name, known) if name not in known else ""
            if near and near not in params:
                here = (*pointer, "params", name)
                yield Note(
                    message=f"The {what} {kind!r} does not read the parameter {name!r}.",
                    pointer=here,
                    hint=f"Did you mean {near!r}?",
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
    """False for a text that is not a pattern. PP516 reports one that only this syntax lacks."""
    problem = _pattern_problem(text) if text else None
    return bool(text) and (problem is None or problem.reason != "invalid")


def _pattern_problem(text: str) -> PatternError | None:
    try:
        compile_linear(text)
    except PatternError as problem:
        return problem
    return None


def _kind(name: str) -> str:
    if name in LISTS:
        return "a list of strings"
    if name in TEXTS:
        return "a string"
    other = {"schema": "a JSON Schema", "pattern": "a regular expression"}
    return other.get(name, "a number greater than 0")


@pack_rule("PP516", "warning", "Pattern that cannot be used", profiles=EVERY)
def unusable_pattern(parts: Parts) -> Iterable[Note]:
    """Patterns of checks have RE2's syntax, because PromptKit is written in Go: no look-ahead, no
    look-behind, no backreferences, and at most 1,000 copies by counted repeats such as `a{1000}`.
    Patterns over 2,000 characters are not compiled. The check is skipped, with an event."""
    for pointer, text, reported in _patterns(parts):
        problem = _pattern_problem(text) if text else None
        if problem is not None and not (reported and problem.reason == "invalid"):
            yield Note(
                message=f"The pattern {quoted(text)} {problem.message}.",
                pointer=pointer,
                hint="Write it in RE2's syntax, or in several checks.",
            )


def _patterns(parts: Parts) -> Iterator[tuple[Pointer, str, bool]]:
    """(pointer, pattern, True if PP511 reports it when it is not a pattern)."""
    for pointer, item, _ in _checks(parts):
        kind = as_str(item.get("type"))
        base, params, when = ALIASES.get(kind, kind), item.get("params"), item.get("when")
        if base in ("regex", "tool_result_matches") and isinstance(params, dict):
            yield (*pointer, "params", "pattern"), as_str(params.get("pattern")), base == "regex"
        if isinstance(when, dict):
            yield (
                (*pointer, "when", "tool_called_pattern"),
                as_str(when.get("tool_called_pattern")),
                False,
            )


@pack_rule("PP512", "hint", "Check of an unknown type", profiles=EVERY)
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


@pack_rule("PP514", "hint", "Check that a model judges", profiles=EVERY)
def judged(parts: Parts) -> Iterable[Note]:
    """A model has to judge this check, which costs a call in addition to the run. It runs if the
    run is started with the option for judges and its connection has a model; otherwise it is
    skipped, with an event. A check of a type without a meaning of its own, such as custom, also
    needs criteria in its params."""
    for pointer, item, what in _checks(parts):
        kind = ALIASES.get(as_str(item.get("type")), as_str(item.get("type")))
        if not is_judged(kind) or item.get("enabled") is False:
            continue
        if criteria_of(item, kind) or kind in JUDGES:
            yield Note(
                message=f"A model judges the {what} {_label(item)!r}, if the run allows judges.",
                pointer=(*pointer, "type"),
                hint="Start the run with promptpack.judges = yes.",
            )
        elif not _blocks(item):
            yield Note(
                message=f"The {what} {_label(item)!r} has no criteria, so runs skip it.",
                pointer=(*pointer, "type"),
                hint="Describe them in `params.criteria`.",
            )


@pack_rule("PP515", "hint", "Check that needs a service", profiles=EVERY)
def unsupported(parts: Parts) -> Iterable[Note]:
    """The check needs embeddings, another service or a library that no connection has here, such as
    cosine_similarity. Runs skip it, with an event. It works in runtimes that have the service."""
    for pointer, item, what in _checks(parts):
        kind = as_str(item.get("type"))
        if kind in UNSUPPORTED and item.get("enabled") is not False and not _blocks(item):
            yield Note(
                message=f"The {what} {_label(item)!r} needs a service that no connection has, so "
                "runs skip it.",
                pointer=(*pointer, "type"),
            )


@pack_rule("PP517", "warning", "Blocking check that runs skip", profiles=EVERY)
def skipped_block(parts: Parts) -> Iterable[Note]:
    """With `fail_on_violation: true` a violated check is to change the reply, but runs skip this
    one: its type has no meaning of its own and its params no criteria, or it needs a service that
    no connection has. So nothing is blocked. Describe the check in `params.criteria`, or choose a
    type that is checked without a service."""
    for pointer, item, what in _checks(parts):
        kind = ALIASES.get(as_str(item.get("type")), as_str(item.get("type")))
        if not _blocks(item) or item.get("enabled") is False:
            continue
        if kind in UNSUPPORTED:
            yield Note(
                message=f"The {what} {_label(item)!r} blocks nothing: it needs a service that no "
                "connection has, so runs skip it.",
                pointer=(*pointer, "type"),
            )
        elif is_judged(kind) and kind not in JUDGES and not criteria_of(item, kind):
            yield Note(
                message=f"The {what} {_label(item)!r} blocks nothing: it has no criteria, so runs "
                "skip it.",
                pointer=(*pointer, "type"),
                hint="Describe them in `params.criteria`.",
            )
        elif kind not in KNOWN and not is_judged(kind):
            yield Note(
                message=f"The {what} {_label(item)!r} blocks nothing: runs skip its type {kind!r}, "
                "which is one of another runtime.",
                pointer=(*pointer, "type"),
                hint="Choose a known type, or the type custom with `params.criteria`.",
            )


def _blocks(item: Object) -> bool:
    return item.get("fail_on_violation") is True


def _label(item: Object) -> str:
    return as_str(item.get("id")) or as_str(item.get("type"))
