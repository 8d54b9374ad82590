"""Act: the talk with the model, its tools, and the one call that ends it (stages.md 5 and 6)."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.run.authority import (
    Decision,
    Proposal,
    consumed,
    decide,
    digest_of,
    issued,
)
from workflows.core.dialects.stages.run.beginning import tools_of
from workflows.core.dialects.stages.run.channel import (
    Call,
    Completed,
    Others,
    Prose,
    Rejected,
    Unparsed,
    calls_of,
    judge,
)
from workflows.core.dialects.stages.run.choices import choices
from workflows.core.dialects.stages.run.faults import Fault, StageFault
from workflows.core.dialects.stages.run.judging import assert_result
from workflows.core.dialects.stages.run.scene import Scene, execution_id
from workflows.core.dialects.stages.spelling import compact
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Message
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.rng import Rng
from workflows.core.engine.signals import Approve, Reply, ToolDone


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
            _heard(scene, "completed", turn, [said])
            return act_ended(scene, parsed=parsed, cap_hit=False)
        case Unparsed(error=error):
            _heard(scene, "parse_failed", turn, [said, *_results(calls, error)], parseError=error)
        case Rejected(error=error):
            _heard(scene, "batch_rejected", turn, [said, *_results(calls, error)])
        case Prose(steering=steering):
            _heard(scene, "steered", turn, [said, {"role": "user", "text": steering}])
        case Others():
            waiting = [call.to_json() for call in calls]
            _heard(scene, "proposed", turn, [said], waiting=waiting)
    return scene.out(Again())


def _heard(
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


# -- other tools ------------------------------------------------------------------------------


def next_call(scene: Scene, key: str) -> Outcome:
    """Make the first call that waits, ask for leave, or tell the model that it may not."""
    call = Call.from_json(scene.memory["calls"][0])
    if call.name not in scene.play.tools:
        return _answered(scene, f"Error: there is no tool `{call.name}`.", how="unknown")
    if call.unread:
        text = f"Error: the arguments of `{call.name}` are no JSON object."
        return _answered(scene, text, how="unread")
    proposal = _proposal(scene, call)
    tokens, used = scene.memory.get("tokens", {}), list(scene.run.memory.get("grants", ()))
    decision = decide(scene.play, scene.stage, proposal, tokens, used)
    if decision.kind == "ask":
        return scene.out(
            Ask(effect=AskHuman(kind="approve", question=_asking(call), **scene.at(key)))
        )
    _approve(scene, decision, proposal, tokens, used)
    effect = CallTool(name=call.name, arguments=call.arguments, **scene.at(key))
    return scene.out(Ask(effect=effect))


def _approve(
    scene: Scene,
    decision: Decision,
    proposal: Proposal,
    tokens: dict[str, str],
    used: list[int],
) -> None:
    fields: dict[str, Any] = {}
    if decision.grant is not None:
        tokens = issued(tokens, proposal.mark)
        counts = used + [0] * (len(scene.play.grants) - len(used))
        counts[decision.grant] += 1
        fields["run_memory"] = {"grants": counts}
    if proposal.mark in tokens:
        tokens = consumed(tokens, proposal.mark)
    _audit(scene, proposal, "approve", decision.source, tokens, fields)


def granted(scene: Scene, answer: Approve) -> Outcome:
    """A person's word on one call: it runs once, or the model hears that it may not."""
    call = Call.from_json(scene.memory["calls"][0])
    proposal = _proposal(scene, call)
    tokens = scene.memory.get("tokens", {})
    if answer.approve:
        scene.tell("granted", {"toolId": call.name}, tokens=issued(tokens, proposal.mark))
        return scene.out(Again())
    _audit(scene, proposal, "deny", "sm-grant-token", tokens, {})
    text = f"Error: the call of `{call.name}` was denied. Go on without it."
    return _answered(scene, text, how="denied")


def tool_done(scene: Scene, done: ToolDone) -> Outcome:
    """A failed tool is not a failed stage: the model hears of it."""
    text = f"Error: {done.error}" if done.error else done.result
    return _answered(scene, text, how="failed" if done.error else "returned")


def _answered(scene: Scene, text: str, *, how: str) -> Outcome:
    first, *rest = scene.memory["calls"]
    result = {"role": "tool", "text": text, "tool_call_id": first["id"]}
    messages = [*scene.memory["messages"], result]
    fields = {"toolId": first["name"], "callId": first["id"], "as": how}
    scene.tell("tool", fields, messages=messages, calls=rest)
    return scene.out(Again())


def _proposal(scene: Scene, call: Call) -> Proposal:
    return Proposal(
        execution=execution_id(scene.run, scene.position),
        attempt=scene.attempt,
        proposal=f"{scene.memory['turns']}:{call.id}",
        tool=call.name,
        digest=digest_of(call.arguments),
    )


def _audit(
    scene: Scene,
    proposal: Proposal,
    decision: str,
    source: str,
    tokens: dict[str, str],
    fields: dict[str, Any],
) -> None:
    about = {
        "audit": "Approval",
        "decision": decision,
        "source": source,
        "toolId": proposal.tool,
        "approvalKey": proposal.mark,
        "proposalId": proposal.proposal,
        "argsDigest": proposal.digest,
    }
    scene.tell("approval", {**about, **fields}, tokens=tokens)


def _asking(call: Call) -> str:
    """The exact tool and arguments, and the digest that a grant would be bound to."""
    return (
        f"The model wants to call {call.name}, which this stage does not list. Arguments: "
        f"{compact(dict(call.arguments))} (SHA-256 {digest_of(call.arguments)}). "
        "Allow this one call?"
    )
