"""Act: the talk with the model, up to the one call that ends it (stages.md section 5)."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.program.assertions import assert_result
from workflows.core.dialects.stages.program.choices import choices
from workflows.core.dialects.stages.program.context import Scene
from workflows.core.dialects.stages.program.faults import Fault, StageFault, heard
from workflows.core.dialects.stages.program.model_reply import (
    Call,
    Completed,
    Others,
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


def go_on(scene: Scene, key: str) -> Outcome:
    """The next tool call, the end of the turns, or the next question to the model. Raises
    StageFault."""
    if scene.memory["calls"]:
        return next_call(scene, key)
    if scene.memory["turns"] >= scene.stage.most_turns:
        return act_ended(scene, parsed=None, cap_hit=True)
    return scene.out(Ask(effect=ask_model(scene, key)))


def ask_model(scene: Scene, key: str) -> AskModel:
    return AskModel(
        key=key,
        position=scene.position.id,
        state=scene.stage.id,
        system=scene.memory["prompt"],
        messages=tuple(
            Message(**{**turn, "tool_calls": tuple(turn.get("tool_calls", ()))})
            for turn in scene.memory["messages"]
        ),
        tools=tools_of(scene),
        answer_tool=scene.stage.tool,
        choices=choices(scene, Rng(scene.stage.id, key)),
    )


def replied(scene: Scene, reply: Reply) -> Outcome:
    """What one reply means. Raises StageFault where there is none."""
    if reply.error:
        raise StageFault(
            Fault(
                kind="ProviderTransient",
                code="SignalboxNoAnswer",
                message=f"The model gave no answer in {scene.stage.id!r}: {reply.error}",
            )
        )
    turn = scene.memory["turns"] + 1
    calls = calls_of(reply, scene.stage, turn)
    said: dict[str, Any] = {"role": "assistant", "text": reply.text}
    if calls:
        said["tool_calls"] = [call.to_json() for call in calls]
    match judge(scene.stage, calls):
        case Completed(parsed=parsed):
            _note_turn(scene, "completed", turn, [said])
            return act_ended(scene, parsed=parsed, cap_hit=False)
        case Unparsed(error=error):
            scene.check("completionSchema", error)
            text = heard("Validation", "SignalboxPayloadInvalid", error)
            _note_turn(
                scene, "parse_failed", turn, [said, *_results(calls, text)], parseError=error
            )
        case Rejected(error=error):
            text = heard("Validation", "SignalboxBatchRejected", error)
            _note_turn(scene, "batch_rejected", turn, [said, *_results(calls, text)])
        case Prose(steering=steering):
            _note_turn(scene, "steered", turn, [said, {"role": "user", "text": steering}])
        case Others():
            waiting = [call.to_json() for call in calls]
            _note_turn(scene, "proposed", turn, [said], waiting=waiting)
    return scene.out(Again())


def _note_turn(
    scene: Scene,
    how: str,
    turn: int,
    messages: list[dict[str, Any]],
    *,
    waiting: list[dict[str, Any]] | None = None,
    **about: Any,
) -> None:
    """Write the turn down. `about` goes into the attempt's record too."""
    *earlier, attempt = scene.memory["attempts"]
    scene.tell(
        "turn_judged",
        {"as": how, "turn": turn, **about},
        messages=[*scene.memory["messages"], *messages],
        turns=turn,
        calls=waiting or [],
        attempts=[*earlier, {**attempt, "turns": turn, **about}],
    )


def _results(calls: tuple[Call, ...], text: str) -> list[dict[str, Any]]:
    """The same answer to every call: providers demand one each."""
    return [{"role": "tool", "text": text, "tool_call_id": call.id} for call in calls]


def act_ended(scene: Scene, *, parsed: Any, cap_hit: bool) -> Outcome:
    """Assert has the last word, whatever Act came to."""
    *earlier, attempt = scene.memory["attempts"]
    capped = {"audit": "CapHit", "turns": scene.memory["turns"]} if cap_hit else None
    if capped:
        scene.tell("cap_hit", capped, attempts=[*earlier, {**attempt, "capHit": True}])
    scene.close("Act", phase="judged")
    return assert_result(scene, parsed=parsed, cap_hit=cap_hit)
