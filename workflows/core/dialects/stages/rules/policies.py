"""Rules over how long a stage may go on: turn cap, retries, and gates (sections 7.3 and 7.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule, upstream
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, make_fix, quoted_list

POLICIES = ("retry-later", "skip", "fail")
"""`retry-later` is the format's own; the others are Signalbox's (section 7.3)."""
BACKOFFS = ("none", "linear", "exponential")
"""`none` is the format's own; the others are Signalbox's (section 7.5)."""


def _given(facts: Facts, key: str, kind: type) -> Iterator[tuple[str, Any]]:
    """Each stage with a value of this type under a key of its head."""
    for stage, file in facts.heads:
        value = file.values.get(key)
        if isinstance(value, kind) and not isinstance(value, bool):
            yield stage, value


@stage_rule("ST205", "error", "Turn cap below one")
def turn_cap_too_low(facts: Facts) -> Iterable[Note]:
    """`turnCap` is how many replies of the model one attempt may take. Below one the model could
    never answer, so the stage could never complete. Give it at least 1; a cap that is reached
    regularly is too low for what the stage asks."""
    for stage, value in _given(facts, "turnCap", (int, float)):  # type: ignore[arg-type]
        if value < 1:
            yield Note(
                message=f"The turn cap of {stage!r} is {value}; it has to be at least 1.",
                place=facts.head(stage, "turnCap"),
                hint=upstream("StageTurnCapTooLow", "/turnCap"),
                fix=make_fix("Make it 10", set_in_stage(stage, "turnCap", value=10)),
            )


@stage_rule("ST206", "error", "Turn cap is not a whole number")
def turn_cap_fraction(facts: Facts) -> Iterable[Note]:
    """`turnCap` counts replies, so it is a whole number. stud-cli's own check lets fractions pass
    and then stops somewhere between two replies. Write the next whole number."""
    for stage, value in _given(facts, "turnCap", float):
        if value >= 1 and value == value:
            whole = int(min(value, 1_000_000))
            fix = make_fix(f"Make it {whole}", set_in_stage(stage, "turnCap", value=whole))
            yield Note(
                message=f"The turn cap of {stage!r} is {value}, not a whole number.",
                place=facts.head(stage, "turnCap"),
                hint="It counts replies of the model.",
                fix=fix,
            )


@stage_rule("ST207", "error", "Retry policy is not usable")
def retry_policy(facts: Facts) -> Iterable[Note]:
    """`maxAttempts` is how often the stage may be worked on in one visit, the first time included:
    a whole number, at least 1 (1 never tries again). `backoff` says how long to wait in between.
    Both stand under `retryPolicy`, and neither has a default."""
    for stage, policy in _given(facts, "retryPolicy", dict):
        most = policy.get("maxAttempts")
        here = facts.head(stage, "retryPolicy", "maxAttempts")
        if "maxAttempts" not in policy:
            yield Note(
                message=f"The retry policy of {stage!r} has no 'maxAttempts'.",
                place=here,
                fix=make_fix(
                    "Try once", set_in_stage(stage, "retryPolicy", "maxAttempts", value=1)
                ),
            )
        elif not isinstance(most, int) or isinstance(most, bool) or most < 1:
            yield Note(
                message=f"'maxAttempts' of {stage!r} is {most!r}, not a whole number from 1 on.",
                place=here,
                fix=make_fix(
                    "Make it 1", set_in_stage(stage, "retryPolicy", "maxAttempts", value=1)
                ),
            )
        if "backoff" not in policy or not isinstance(policy["backoff"], str):
            said = "has no 'backoff'" if "backoff" not in policy else "has a 'backoff' that is none"
            yield Note(
                message=f"The retry policy of {stage!r} {said}.",
                place=facts.head(stage, "retryPolicy", "backoff"),
                fix=make_fix(
                    "Do not wait", set_in_stage(stage, "retryPolicy", "backoff", value="none")
                ),
            )


@stage_rule("ST208", "warning", "Unknown backoff")
def unknown_backoff(facts: Facts) -> Iterable[Note]:
    """The format's page names `none` alone; Signalbox also knows `linear` and `exponential`, one
    second at first and a minute at most. Any other word is kept in the file and read as `none`:
    the stage tries again at once."""
    for stage, policy in _given(facts, "retryPolicy", dict):
        value = policy.get("backoff")
        if isinstance(value, str) and value not in BACKOFFS:
            yield Note(
                message=f"The backoff {value!r} of {stage!r} is not known; it is read as 'none'.",
                place=facts.head(stage, "retryPolicy", "backoff"),
                hint=f"Known are {quoted_list(BACKOFFS)}.",
                fix=_near_word(stage, ("retryPolicy", "backoff"), value, BACKOFFS),
            )


@stage_rule("ST209", "warning", "Unknown resolution policy")
def unknown_policy(facts: Facts) -> Iterable[Note]:
    """`resolutionPolicy` says what happens when the gate of a stage defers or blocks. The format's
    page names `retry-later` alone; Signalbox also knows `skip` and `fail`. Any other word is kept
    in the file and read as `retry-later`: the stage waits."""
    for stage, value in _given(facts, "resolutionPolicy", str):
        if value not in POLICIES:
            yield Note(
                message=f"The resolution policy {value!r} of {stage!r} is not known; it is read as "
                "'retry-later'.",
                place=facts.head(stage, "resolutionPolicy"),
                hint=f"Known are {quoted_list(POLICIES)}.",
                fix=_near_word(stage, ("resolutionPolicy",), value, POLICIES),
            )


def _near_word(stage: str, at: tuple[str, ...], value: str, known: tuple[str, ...]) -> Any:
    near = closest(value, known) or known[0]
    return make_fix(f"Use {near}", set_in_stage(stage, *at, value=near))


@stage_rule("ST214", "hint", "Many replies at worst")
def worst_case(facts: Facts) -> Iterable[Note]:
    """The turn cap counts for each attempt, so one visit of this stage may take as many replies of
    the model as the cap times the attempts. Here that is more than two hundred. A cap is meant as a
    safety net; one that is reached regularly, or costs this much, is worth lowering."""
    for stage, file in facts.heads:
        policy = file.values.get("retryPolicy")
        turns = file.values.get("turnCap")
        most = policy.get("maxAttempts") if isinstance(policy, dict) else None
        if isinstance(turns, int) and isinstance(most, int) and turns * most > 200:
            yield Note(
                message=f"One visit of {stage!r} may take {turns * most:,} replies: {turns} in each"
                f" of {most} attempts.",
                place=facts.head(stage, "turnCap"),
            )
