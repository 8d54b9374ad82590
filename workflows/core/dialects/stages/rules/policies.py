"""Rules over turn cap, retries and resolution policy (sections 7.3 and 7.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule, upstream
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix, quoted_list
from workflows.core.text.tolerant import as_object

POLICIES = ("retry-later", "skip", "fail")
"""`retry-later` is the format's own; the others are Signalbox's (section 7.3)."""
BACKOFFS = ("none", "linear", "exponential")
"""`none` is the format's own; the others are Signalbox's (section 7.5)."""


def _values_of_type(facts: Facts, key: str, kind: type) -> Iterator[tuple[str, Any]]:
    """Stages with a value of this type under a key of their front matter, and the value."""
    for stage, file in facts.heads:
        value = file.values.get(key)
        if isinstance(value, kind) and not isinstance(value, bool):
            yield stage, value


@stage_rule("ST205", "error", "Turn cap below one", profiles=EVERY)
def turn_cap_too_low(facts: Facts) -> Iterable[Note]:
    """`turnCap` is the maximum number of model replies in one attempt. Below one the model cannot
    answer, so the stage cannot complete. Set it to at least 1. A cap that runs reach regularly is
    too low for the task of the stage."""
    for stage, value in _values_of_type(facts, "turnCap", (int, float)):  # type: ignore[arg-type]
        if value < 1:
            yield Note(
                message=f"The turn cap of {stage!r} is {value}. It must be at least 1.",
                place=facts.head(stage, "turnCap"),
                hint=upstream("StageTurnCapTooLow", "/turnCap"),
                fix=make_fix("Make it 10", set_in_stage(stage, "turnCap", value=10)),
            )


@stage_rule("ST206", "error", "Turn cap is not an integer", profiles=EVERY)
def turn_cap_fraction(facts: Facts) -> Iterable[Note]:
    """`turnCap` counts replies, so it is an integer. stud-cli's own check accepts fractions and
    then stops between two replies. Write an integer."""
    for stage, value in _values_of_type(facts, "turnCap", float):
        if value >= 1 and value == value:
            whole = int(min(value, 1_000_000))
            fix = make_fix(f"Make it {whole}", set_in_stage(stage, "turnCap", value=whole))
            yield Note(
                message=f"The turn cap of {stage!r} is {value}, not an integer.",
                place=facts.head(stage, "turnCap"),
                hint="It counts model replies.",
                fix=fix,
            )


@stage_rule("ST207", "error", "Retry policy is not valid", profiles=EVERY)
def retry_policy(facts: Facts) -> Iterable[Note]:
    """`maxAttempts` is the number of attempts in one visit of the stage, including the first: an
    integer of at least 1 (1 means no retry). `backoff` is the wait between attempts. Both are keys
    of `retryPolicy`, and neither has a default."""
    for stage, policy in _values_of_type(facts, "retryPolicy", dict):
        most = policy.get("maxAttempts")
        if "maxAttempts" not in policy:
            yield Note(
                message=f"The retry policy of {stage!r} has no 'maxAttempts'.",
                place=facts.head(stage, "retryPolicy", "maxAttempts"),
                fix=make_fix(
                    "Allow one attempt", set_in_stage(stage, "retryPolicy", "maxAttempts", value=1)
                ),
            )
        elif not isinstance(most, int) or isinstance(most, bool) or most < 1:
            yield Note(
                message=f"'maxAttempts' of {stage!r} is {most!r}, not an integer of at least 1.",
                place=facts.head(stage, "retryPolicy", "maxAttempts"),
                fix=make_fix(
                    "Make it 1", set_in_stage(stage, "retryPolicy", "maxAttempts", value=1)
                ),
            )
        if "backoff" not in policy or not isinstance(policy["backoff"], str):
            problem = "has no" if "backoff" not in policy else "has no valid"
            yield Note(
                message=f"The retry policy of {stage!r} {problem} 'backoff'.",
                place=facts.head(stage, "retryPolicy", "backoff"),
                fix=make_fix(
                    "Do not wait", set_in_stage(stage, "retryPolicy", "backoff", value="none")
                ),
            )


@stage_rule("ST208", "warning", "Unknown backoff", profiles=EVERY)
def unknown_backoff(facts: Facts) -> Iterable[Note]:
    """The format's page only defines `none`; Signalbox also supports `linear` and `exponential`,
    which begin with one second and wait at most one minute. Any other value is kept in the file and
    treated as `none`: the stage retries at once. Use a supported value."""
    for stage, policy in _values_of_type(facts, "retryPolicy", dict):
        value = policy.get("backoff")
        if isinstance(value, str) and value not in BACKOFFS:
            yield Note(
                message=f"The backoff {value!r} of {stage!r} is unknown and treated as 'none'.",
                place=facts.head(stage, "retryPolicy", "backoff"),
                hint=f"Use one of {quoted_list(BACKOFFS)}.",
                fix=_near_word(stage, ("retryPolicy", "backoff"), value, BACKOFFS),
            )


@stage_rule("ST209", "warning", "Unknown resolution policy", profiles=EVERY)
def unknown_policy(facts: Facts) -> Iterable[Note]:
    """`resolutionPolicy` decides what happens when the gate of a stage defers or blocks. The
    format's page only defines `retry-later`; Signalbox also supports `skip` and `fail`. Any
    other value is kept in the file and treated as `retry-later`: the stage waits. Use a
    supported value."""
    for stage, value in _values_of_type(facts, "resolutionPolicy", str):
        if value not in POLICIES:
            yield Note(
                message=f"The resolution policy {value!r} of {stage!r} is unknown and treated as"
                " 'retry-later'.",
                place=facts.head(stage, "resolutionPolicy"),
                hint=f"Use one of {quoted_list(POLICIES)}.",
                fix=_near_word(stage, ("resolutionPolicy",), value, POLICIES),
            )


def _near_word(stage: str, at: tuple[str, ...], value: str, choices: tuple[str, ...]) -> Any:
    near = closest_name(value, choices) or choices[0]
    return make_fix(f"Use {near}", set_in_stage(stage, *at, value=near))


@stage_rule("ST214", "hint", "High maximum number of replies", profiles=EVERY)
def worst_case(facts: Facts) -> Iterable[Note]:
    """The turn cap applies to each attempt, so one visit of this stage may take as many model
    replies as the cap times the attempts. Here that is more than 200. Lower the cap if runs reach
    it regularly or if that costs too much."""
    for stage, file in facts.heads:
        policy = file.values.get("retryPolicy")
        turns = file.values.get("turnCap")
        most = as_object(policy).get("maxAttempts")
        if isinstance(turns, int) and isinstance(most, int) and turns * most > 200:
            yield Note(
                message=f"One visit of {stage!r} may take {turns * most:,} replies: {most} attempts"
                f" of {turns}.",
                place=facts.head(stage, "turnCap"),
            )
