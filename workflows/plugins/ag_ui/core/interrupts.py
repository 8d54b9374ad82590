"""Interrupts: the questions to people with which a stream of AG-UI ends until they are answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from workflows.core.engine.effects import performer_of
from workflows.core.engine.run import RunState

Json: TypeAlias = dict[str, Any]

_ID = re.compile(r"([0-9a-f-]{36}):([0-9]{1,15}):(.{1,300})", re.ASCII | re.DOTALL)

TEXT: Json = {"type": "string"}


def waits_for_people(run: RunState) -> bool:
    """Return True if nothing happens in the run until a person answers."""
    return (
        run.status not in ("new", "paused")
        and not run.finished
        and bool(run.pending)
        and all(
            key in run.left_to_people or performer_of(effect) == "person"
            for key, effect in run.pending.items()
        )
    )


def interrupt_id(run: str, n: int, key: str) -> str:
    """The id of the question with this key, open after event `n` of the run. It has the place at
    which the stream that the answer begins continues in the log."""
    return f"{run}:{n}:{key}"


def place_of(id: str) -> tuple[str, int, str] | None:
    """The inverse of `interrupt_id`; None for any other text."""
    match = _ID.fullmatch(id)
    return (match[1], int(match[2]), match[3]) if match else None


def interrupts_of(name: str, run: RunState, calls: Mapping[str, str]) -> list[Json]:
    """The open questions of a run. `name`: its id; `calls`: key → id of its open tool call."""
    return [
        _interrupt(name, run, key, effect, calls.get(key)) for key, effect in run.pending.items()
    ]


def _interrupt(
    name: str, run: RunState, key: str, effect: Mapping[str, Any], call: str | None
) -> Json:
    kind = kind_of(effect)
    about = {
        "run": name,
        "key": key,
        "kind": kind,
        "canAllow": key in run.can_allow,
        **{field: effect[field] for field in SHOWN if effect.get(field)},
    }
    return {
        "id": interrupt_id(name, run.n, key),
        "reason": REASONS[kind] if not effect.get("call") else "tool_call",
        "message": _message(kind, effect, run.left_reasons.get(key, "")),
        **({"toolCallId": call} if call else {}),
        "responseSchema": response_schema(kind, effect),
        "metadata": {"signalbox": about},
    }


SHOWN = ("state", "position", "choices", "call", "command", "name", "arguments")
"""Fields of an effect that a front end shows with the question."""
KINDS = {"RunCommand": "command", "CallTool": "tool", "AskModel": "model"}
REASONS = {
    "approve": "confirmation",
    "event": "input_required",
    "answer": "input_required",
    "model": "input_required",
    "command": "tool_call",
    "tool": "tool_call",
}


def kind_of(effect: Mapping[str, Any]) -> str:
    """Kind of answer that an effect takes from a person, as of the approval for it."""
    return KINDS.get(str(effect["effect"])) or str(effect.get("kind") or "answer")


def _message(kind: str, effect: Mapping[str, Any], blocked: str) -> str:
    question = str(effect.get("question") or effect.get("why") or "")
    if not question:
        name, state = effect.get("name", ""), effect.get("state", "")
        match kind:
            case "tool":
                question = f"The run calls the tool {name}."
            case "command":
                question = "The run asks to execute a command."
            case "model":
                question = f"Answer as the model in {state}."
            case _:
                question = f"{state} needs an answer."
    return " ".join(filter(None, (question, blocked)))


def response_schema(kind: str, effect: Mapping[str, Any]) -> Json:
    """JSON Schema of the payload that answers. `result` is that of a command or call which a person
    has performed."""
    denial = {"reason": {"type": "string", "description": "The reason of a denial."}}
    approved = {"approved": {"type": "boolean"}, **denial}
    match kind:
        case "event":
            return _object({"event": {"enum": _labels(effect)}}, "event")
        case "answer":
            schema = effect.get("schema")
            given = {"answer": dict(schema) if isinstance(schema, Mapping) else TEXT}
            if not (labels := _labels(effect)):
                return _object(given, "answer")
            return _object({**given, "event": {"enum": labels}})
        case "approve" if effect.get("call"):
            return _object({**approved, "editedArgs": {"type": "object"}}, "approved")
        case "approve":
            return _object(approved, "approved")
        case "command":
            report = {"exit": {"type": "integer"}, "stdout": TEXT, "stderr": TEXT}
            result = _object(report, "exit")
            return _object({**approved, "result": result}, "approved")
        case "tool":
            return _object({**approved, "result": {}}, "approved")
        case _:
            return _object({"answer": {}, **approved})


def _labels(effect: Mapping[str, Any]) -> list[str]:
    return [str(choice["label"]) for choice in effect.get("choices") or ()]


def _object(properties: Json, *required: str) -> Json:
    return {
        "type": "object",
        "properties": properties,
        **({"required": list(required)} if required else {}),
    }


def answer_in(kind: str, payload: Any) -> Json:
    """The fields of an answer to an approval (`approve`, `reason`, `event`, `edited`) for the
    payload of a resolved interrupt: an object as of `response_schema`, or its main value only."""
    if not isinstance(payload, Mapping):
        match kind:
            case "event":
                return {"event": str(payload)}
            case "answer" | "model":
                return {} if payload is None else {"edited": payload}
            case _:
                return {"approve": payload} if isinstance(payload, bool) else {}
    if payload.get("approved") is False:
        return {"approve": False, "reason": str(payload.get("reason") or "")}
    if payload.get("event"):
        return {"event": str(payload["event"])}
    main = MAIN[kind]
    if main in payload:
        return {"edited": payload[main]}
    return {"approve": True} if payload.get("approved") is True else {}


MAIN = {
    "approve": "editedArgs",
    "event": "event",
    "answer": "answer",
    "model": "answer",
    "command": "result",
    "tool": "result",
}
"""Kind → the property of the payload that has the answer or replaces the arguments."""
