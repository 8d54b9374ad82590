"""One model reply, decided before anything is dispatched (stages.md section 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from workflows.core.dialects.stages.program.faults import tool_error
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.schemas.validity import validator
from workflows.core.engine.signals import Reply

MAX_PROBLEMS = 5
"""So many things that are wrong with a payload are told at once."""
MAX_MESSAGE = 300
NO_JSON = "The arguments of `{}` are no JSON object."


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call as the transcript keeps it: every one has an id. `unread`: arguments that are no
    JSON object, as the model wrote them. `changed`: a person put the arguments in their place."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    unread: str = ""
    changed: bool = False

    def to_json(self) -> dict[str, Any]:
        marks: dict[str, Any] = {"unread": self.unread} if self.unread else {}
        if self.changed:
            marks["changed"] = True
        return {"id": self.id, "name": self.name, "arguments": dict(self.arguments), **marks}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Call:
        """The inverse of `to_json`."""
        return cls(**body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """The one call that ends Act."""

    parsed: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsed:
    """The completion tool with a payload that does not fit; `error` is what the model hears."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """The completion tool did not stand alone: nothing of the batch is carried out."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherCalls:
    """Calls of other tools, each to go through the gates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """No call at all; `steering` is what the model hears."""

    steering: str


Judgement: TypeAlias = Completed | Unparsed | Rejected | OtherCalls | Prose


def calls_of(reply: Reply, stage: Stage, turn: int) -> tuple[Call, ...]:
    """The reply's calls. A structured answer stands for a call of the completion tool; an id that
    is missing or used twice gets a new one."""
    if not reply.tool_calls and isinstance(reply.structured, Mapping):
        return (Call(id=f"turn-{turn}", name=stage.tool, arguments=reply.structured),)
    found: list[Call] = []
    taken: set[str] = set()
    for number, call in enumerate(reply.tool_calls, start=1):
        id = call.id if call.id and call.id not in taken else f"turn-{turn}-{number}"
        taken.add(id)
        found.append(Call(id=id, name=call.name, arguments=call.arguments, unread=call.unread))
    return tuple(found)


def unreadable_call_error(call: Call) -> str:
    """What the model hears of a call whose arguments cannot be read."""
    return tool_error("Validation", "SignalboxPayloadInvalid", NO_JSON.format(call.name))


def judge(stage: Stage, calls: tuple[Call, ...]) -> Judgement:
    """What the reply with these calls is."""
    completing = [call for call in calls if call.name == stage.tool]
    if not calls:
        return Prose(
            steering=f"Call `{stage.tool}` when you are done; a reply in words alone ends nothing."
        )
    if not completing:
        return OtherCalls()
    if len(calls) > 1:
        return Rejected(
            error=f"`{stage.tool}` must be the only tool call in its reply. None of the "
            f"{len(calls)} calls of this reply was carried out."
        )
    (done,) = completing
    if done.unread:
        return Unparsed(error=NO_JSON.format(stage.tool))
    wrong = payload_problems(stage, done.arguments)
    if wrong:
        return Unparsed(
            error=f"The arguments of `{stage.tool}` do not fit its schema. "
            + " ".join(f"{problem}." for problem in wrong)
        )
    return Completed(parsed=done.arguments)


def payload_problems(stage: Stage, payload: Any) -> list[str]:
    """What is wrong with a payload, the first few problems with their places; [] for a good one."""
    found: list[str] = []
    try:
        for error in islice(validator(stage.schema).iter_errors(payload), MAX_PROBLEMS):
            where = "".join(f"/{part}" for part in error.instance_path)
            said = (
                error.message
                if len(error.message) <= MAX_MESSAGE
                else f"{error.message[:MAX_MESSAGE]}…"
            )
            found.append(f"{where}: {said}" if where else said)
    except ValueError:
        return ["It is nested too deeply, or has a key that is no text"]
    return found
