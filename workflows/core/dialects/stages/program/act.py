"""Act: the conversation with the model until the completion call (stages.md section 5)."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.program.assertions import assert_result
from workflows.core.dialects.stages.program.choices import choices
from workflows.core.dialects.stages.program.context import ExecutionContext
from workflows.core.dialects.stages.program.faults import Fault, StageFault, tool_error
from workflows.core.dialects.stages.program.model_reply import (
    Call,
    Completed,
    OtherCalls,
    Prose,
    Rejected,
    Unparsed,
    calls_of,
    judge,
)
from workflows.core.dialects.stages.program.setup import tools_of
from workflows.core.dialects.stages.program.tool_calls import next_call
from workflows.core.engine.effects import AskModel, Message
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.signals import Reply


def continue_act(context: ExecutionContext, key: str) -> Outcome:
    """The next tool call, the end of the turns, or the next model call. Raises StageFault."""
    if context.memory["calls"]:
        return next_call(context, key)
    if context.memory["turns"] >= context.stage.max_turns:
        return end_act(context, parsed=None, cap_hit=True)
    return context.out(Ask(effect=ask_model(context, key)))


def ask_model(context: ExecutionContext, key: str) -> AskModel:
    return AskModel(
        key=key,
        position=context.position.id,
        state=context.stage.id,
        system=context.memory["prompt"],
        messages=tuple(
            Message(**{**turn, "tool_calls": tuple(turn.get("tool_calls", ()))})
            for turn in context.memory["messages"]
        ),
        tools=tools_of(context),
        answer_tool=context.stage.tool,
        choices=choices(context, Rng(context.stage.id, key)),
    )


def handle_reply(context: ExecutionContext, reply: Reply) -> Outcome:
    """Apply one model reply. Raises StageFault if the model call failed."""
    if reply.error:
        raise StageFault(
            Fault(
                kind="ProviderTransient",
                code="SignalboxNoAnswer",
                message=f"The model gave no answer in {context.stage.id!r}: {reply.error}",
            )
        )
    turn = context.memory["turns"] + 1
    calls = calls_of(reply, context.stage, turn)
    message: dict[str, Any] = {"role": "assistant", "text": reply.text}
    if calls:
        message["tool_calls"] = [call.to_json() for call in calls]
    match judge(context.stage, calls):
        case Completed(parsed=parsed):
            _record_turn(context, "completed", turn, [message])
            return end_act(context, parsed=parsed, cap_hit=False)
        case Unparsed(error=error):
            context.check("completionSchema", error)
            text = tool_error("Validation", "SignalboxPayloadInvalid", error)
            _record_turn(
                context, "parse_failed", turn, [message, *_results(calls, text)], parseError=error
            )
        case Rejected(error=error):
            text = tool_error("Validation", "SignalboxBatchRejected", error)
            _record_turn(context, "batch_rejected", turn, [message, *_results(calls, text)])
        case Prose(steering=steering):
            _record_turn(context, "steered", turn, [message, {"role": "user", "text": steering}])
        case OtherCalls():
            waiting = [call.to_json() for call in calls]
            _record_turn(context, "proposed", turn, [message], waiting=waiting)
    return context.out(Again())


def _record_turn(
    context: ExecutionContext,
    how: str,
    turn: int,
    messages: list[dict[str, Any]],
    *,
    waiting: list[dict[str, Any]] | None = None,
    **about: Any,
) -> None:
    """Record the turn. `about` is added to the attempt's entry too."""
    *earlier, attempt = context.memory["attempts"]
    context.emit(
        "turn_judged",
        {"as": how, "turn": turn, **about},
        messages=[*context.memory["messages"], *messages],
        turns=turn,
        calls=waiting or [],
        attempts=[*earlier, {**attempt, "turns": turn, **about}],
    )


def _results(calls: tuple[Call, ...], text: str) -> list[dict[str, Any]]:
    """The same result for every call: providers require one for each."""
    return [{"role": "tool", "text": text, "tool_call_id": call.id} for call in calls]


def end_act(context: ExecutionContext, *, parsed: Any, cap_hit: bool) -> Outcome:
    """Close Act and run Assert, with or without a payload."""
    *earlier, attempt = context.memory["attempts"]
    capped = {"audit": "CapHit", "turns": context.memory["turns"]} if cap_hit else None
    if capped:
        context.emit("cap_hit", capped, attempts=[*earlier, {**attempt, "capHit": True}])
    context.close("Act", phase="judged")
    return assert_result(context, parsed=parsed, cap_hit=cap_hit)
