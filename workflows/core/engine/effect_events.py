"""Events that record effects and their answers."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any, TypeAlias, assert_never

from workflows.core.engine.effects import (
    CONTINUATION,
    AskHuman,
    AskModel,
    CallTool,
    Effect,
    RunCommand,
    Wait,
    effect_to_json,
)
from workflows.core.engine.events import EventType
from workflows.core.engine.json_values import exceeds_depth, to_json_value
from workflows.core.engine.signals import (
    Answer,
    Approve,
    CommandDone,
    Reply,
    TimeUp,
    ToolCall,
    ToolDone,
)

MAX_NESTED = 100
"""Maximum depth of a model's answer, in levels."""

NOT_EXECUTED = 126
"""Exit code of a command that must not be executed, as in shells."""

TIMED_OUT = 124
"""Exit code of a command that exceeded its time limit, as in `timeout(1)`."""


NewEvent: TypeAlias = tuple[EventType, dict[str, Any]]
"""The type of an event, and its fields."""


def request_events(effect: Effect) -> tuple[NewEvent, ...]:
    """The events that request this effect. One of them contains the whole effect and makes it
    pending."""
    at = {"key": effect.key, "position": effect.position, "state": effect.state}
    bare = replace(effect, prompt={}) if isinstance(effect, AskModel) and effect.prompt else effect
    body = effect_to_json(bare)
    whole = {**at, "effect": body}
    match effect:
        case AskModel():
            asked = effect.request_event, whole
            if effect.prompt == CONTINUATION:
                return (asked,)
            plain = {"text": effect.system, "hash": prompt_hash(effect.system)}
            prompt = {**at, **(to_json_value(effect.prompt) or plain)}
            return ("prompt.logged", prompt), asked
        case CallTool():
            call = {"name": effect.name, "arguments": body["arguments"]}
            return ((effect.request_event, {**whole, **call}),)
        case RunCommand():
            command = {"command": body["command"], "why": effect.why}
            return ((effect.request_event, {**whole, **command}),)
        case AskHuman():
            question = {
                "question": effect.question,
                "kind": effect.kind,
                "choices": body["choices"],
            }
            whom = "event" if effect.kind == "event" else "person"
            waiting: NewEvent = "run.waiting", {**at, "for": whom}
            return (effect.request_event, {**whole, **question}), waiting
        case Wait():
            time = {"for": "time", "seconds": effect.seconds}
            return ((effect.request_event, {**whole, **time}),)
        case _:
            assert_never(effect)


def prompt_hash(text: str) -> str:
    """SHA-256 of a prompt as sent, in hex."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def matching_answer(effect: Effect, signal: Answer) -> Answer | None:
    """The signal as an answer to this effect, or None if it is not one.

    An exceeded time limit becomes the effect's own kind of failure. A question to a person has no
    time limit.
    """
    match effect:
        case AskModel():
            match signal:
                case Reply():
                    return _bounded(signal)
                case TimeUp(at=at, key=key):
                    late = "No answer came within the time limit."
                    return Reply(at=at, key=key, error=late)
        case CallTool():
            match signal:
                case ToolDone():
                    return signal
                case TimeUp(at=at, key=key):
                    late = "The tool did not end within its time limit."
                    return ToolDone(at=at, key=key, error=late)
        case RunCommand():
            match signal:
                case CommandDone():
                    return signal
                case TimeUp(at=at, key=key):
                    late = f"The command did not end within {effect.timeout:g} seconds."
                    return CommandDone(at=at, key=key, exit=TIMED_OUT, stderr=late)
        case AskHuman():
            return _answered(effect, signal) if isinstance(signal, Approve) else None
        case Wait():
            return signal if isinstance(signal, TimeUp) else None
        case _:
            assert_never(effect)
    return None


def _answered(effect: AskHuman, answer: Approve) -> Approve:
    """The answer with the question's own word for it, if yes and no have names."""
    if effect.kind != "approve" or len(effect.choices) != 2:
        return replace(answer, key=effect.key)
    yes, no = effect.choices
    return replace(answer, key=effect.key, event=(yes if answer.approve else no).label)


def _bounded(reply: Reply) -> Reply:
    """The reply, or an error in its place if it is nested too deeply."""
    if reply.structured is None and not reply.tool_calls:
        return reply
    whole = [reply.structured, *[call.arguments for call in reply.tool_calls]]
    if not exceeds_depth(MAX_NESTED, whole):
        return reply
    error = f"The answer is nested more than {MAX_NESTED} levels deep."
    return replace(reply, structured=None, tool_calls=(), error=error)


def _provider_fields(reply: Reply) -> dict[str, Any]:
    """The provider, the model, the requests and the warnings of a reply, as far as it has them."""
    named = {"provider": reply.provider, "model": reply.model} if reply.model else {}
    optional = ("response_model", "finish_reason", "reasoning", "sent", "warnings")
    return {**named, **{name: value for name in optional if (value := getattr(reply, name))}}


def _call_fields(call: ToolCall) -> dict[str, Any]:
    unread = {"unread": call.unread} if call.unread else {}
    return {"name": call.name, "arguments": call.arguments, "id": call.id, **unread}


def answer_events(effect: Effect, signal: Answer) -> tuple[NewEvent, ...]:
    """The events that record this answer, `effect.answer_event` last. `signal` is the result of
    `matching_answer`."""
    answer = _answer_event(effect, signal)
    if not isinstance(effect, CallTool) or not isinstance(signal, ToolDone) or not signal.called:
        return (answer,)
    at = {"key": effect.key, "position": effect.position, "state": effect.state}
    call = {**at, "name": effect.name, "arguments": effect.arguments}
    return ("tool.called", call), answer


def _answer_event(effect: Effect, signal: Answer) -> NewEvent:
    at = {"key": effect.key, "position": effect.position, "state": effect.state}
    match signal:
        case Reply():
            reply = {
                **at,
                "text": signal.text,
                "structured": signal.structured,
                "tool_calls": [_call_fields(call) for call in signal.tool_calls],
                "error": signal.error,
                "usage": signal.usage,
                **_provider_fields(signal),
            }
            return effect.answer_event, reply
        case ToolDone():
            diff = {"diff": signal.diff} if signal.diff else {}
            done = {**at, "result": signal.result, "error": signal.error, **diff}
            return effect.answer_event, done
        case CommandDone():
            end = {**at, "exit": signal.exit, "stdout": signal.stdout, "stderr": signal.stderr}
            return effect.answer_event, end
        case Approve():
            answer = {
                **at,
                "approve": signal.approve,
                "event": signal.event,
                "text": signal.text,
                "structured": signal.structured,
            }
            return effect.answer_event, answer
        case TimeUp():
            return effect.answer_event, {**at, "reason": "The time is up."}
        case _:
            assert_never(signal)
