"""Assert: the verdict on the result of Act, and retries in the same conversation (stages.md 7.1,
7.4 and 7.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workflows.core.dialects.stages.format.predicates import holds
from workflows.core.dialects.stages.program.context import ExecutionContext
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.program.stage_exit import Result, leave_stage
from workflows.core.engine.effects import Wait
from workflows.core.engine.program import Again, Ask, Outcome

MAX_BACKOFF = 60.0
CAP_REASON = "the turn cap was reached without a result"
EXHAUSTED = "attempts exhausted: "


def verdict_of(stage: Stage, scope: Mapping[str, Any], *, cap_hit: bool) -> tuple[str, str]:
    """Verdict and reason of the first rule whose condition is false. Without rules, a reached turn
    cap is a retry."""
    for rule in stage.rules:
        if not holds(rule.unless, scope):
            return rule.verdict, rule.reason
    if cap_hit and not stage.rules:
        return "retry", CAP_REASON
    return "ok", ""


def final_verdict(stage: Stage, verdict: str, reason: str, attempt: int) -> tuple[str, str]:
    """The verdict after counting attempts: `retry` on the last attempt is `fail`."""
    if verdict == "retry" and attempt >= stage.max_attempts:
        return "fail", f"{EXHAUSTED}{reason}" if reason else EXHAUSTED.removesuffix(": ")
    return verdict, reason


def provisional_result(parsed: Any, *, cap_hit: bool, attempt: int) -> dict[str, Any]:
    """The result as asserts see it, before it has a verdict."""
    result = {} if cap_hit else {"parsed": parsed}
    return {**result, "capHit": cap_hit, "attemptCount": attempt}


def backoff_seconds(kind: str, retry: int) -> float:
    """Seconds to wait before retry number `retry` (from 1). Unknown kinds do not wait."""
    match kind:
        case "linear":
            return min(float(retry), MAX_BACKOFF)
        case "exponential":
            return min(2.0 ** min(retry - 1, 6), MAX_BACKOFF)
        case _:
            return 0.0


def new_attempt(context: ExecutionContext, index: int, reason: str = "") -> dict[str, Any]:
    """An entry of ctx.attempts."""
    fields = {"retryReason": reason} if reason else {}
    return {"index": index, "startedAt": context.run.now, "turns": 0, "capHit": False, **fields}


def assert_result(context: ExecutionContext, *, parsed: Any, cap_hit: bool) -> Outcome:
    """Judge the result; then leave the stage or retry."""
    attempt = context.attempt
    provisional = provisional_result(parsed, cap_hit=cap_hit, attempt=attempt)
    with context.phase("Assert"):
        own_verdict, why = verdict_of(context.stage, context.scope(provisional), cap_hit=cap_hit)
        verdict, reason = final_verdict(context.stage, own_verdict, why, attempt)
        fields = {
            "verdict": own_verdict,
            "reason": why,
            "capHit": cap_hit,
            "audit": "StageAssertOutcome",
        }
        context.emit("assert", fields)
        if context.stage.rules or own_verdict != "ok":
            context.check(
                "assert", "" if own_verdict == "ok" else f"{own_verdict}: {why}".removesuffix(": ")
            )
    if verdict == "retry":
        return _retry(context, reason)
    result = Result(verdict=verdict, reason=reason, parsed=None if cap_hit else parsed)
    return leave_stage(context, result.as_json(cap_hit=cap_hit, attempts=attempt))


def _retry(context: ExecutionContext, reason: str) -> Outcome:
    """Return to Act with the same transcript, the reason as its next message and a turn counter of
    0."""
    stage, attempts = context.stage, context.memory["attempts"]
    seconds = backoff_seconds(stage.backoff, len(attempts))
    message = f"Try again{f': {reason}' if reason else ''}. Call `{stage.tool}` when you are done."
    context.emit(
        "retry",
        {"reason": reason, "seconds": seconds},
        phase="backoff",
        seconds=seconds,
        turns=0,
        calls=[],
        messages=[*context.memory["messages"], *_as_messages(context.memory["messages"], message)],
        attempts=[*attempts, new_attempt(context, len(attempts) + 1, reason)],
    )
    if not seconds:
        context.open("Act", phase="act")
    return context.out(Again())


def _as_messages(messages: Sequence[Mapping[str, Any]], text: str) -> list[dict[str, Any]]:
    """The text as the result of the completion call, because providers require a result for each
    call; without one, as a message of the user."""
    calls = messages[-1].get("tool_calls", ()) if messages else ()
    if not calls:
        return [{"role": "user", "text": text}]
    return [{"role": "tool", "text": text, "tool_call_id": call["id"]} for call in calls]


def wait(context: ExecutionContext, key: str) -> Outcome:
    """The pause before the next attempt."""
    return context.out(Ask(effect=Wait(seconds=context.memory["seconds"], **context.at(key))))


def end_wait(context: ExecutionContext) -> Outcome:
    context.open("Act", phase="act")
    return context.out(Again())
