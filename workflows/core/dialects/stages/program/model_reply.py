"""Classification of a model reply, before any of its calls is dispatched (stages.md section
5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from workflows.core.dialects.stages.program.faults import tool_error
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.schemas.validity import validator
from workflows.core.engine.signals import Reply
from workflows.core.tools.arguments import MAX_MESSAGE, MAX_PROBLEMS

NO_JSON = "The arguments of `{}` are no JSON object."


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call in the transcript; it always has an id. `unread`: the raw arguments, if they are
    not a JSON object. `changed`: a person replaced the arguments."""

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
    """A valid completion call, which ends Act."""

    parsed: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsed:
    """A completion call with an invalid payload; `error` is sent to the model."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A completion call together with other calls: none of them is executed."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherCalls:
    """Calls of other tools, each subject to approval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """A reply without calls; `steering` is sent to the model."""

    steering: str


Judgement: TypeAlias = Completed | Unparsed | Rejected | OtherCalls | Prose


def calls_of(reply: Reply, stage: Stage, turn: int) -> tuple[Call, ...]:
    """The reply's calls. A structured answer counts as a completion call. A missing or repeated id
    is replaced."""
    if not reply.tool_calls and isinstance(reply.structured, Mapping):
        return (Call(id=f"turn-{turn}", name=stage.tool, arguments=reply.structured),)
    calls: list[Call] = []
    taken: set[str] = set()
    for number, call in enumerate(reply.tool_calls, start=1):
        id = call.id if call.id and call.id not in taken else f"turn-{turn}-{number}"
        taken.add(id)
        calls.append(Call(id=id, name=call.name, arguments=call.arguments, unread=call.unread))
    return tuple(calls)


def unreadable_call_error(call: Call) -> str:
    """The tool result for a call with unreadable arguments."""
    return tool_error("Validation", "SignalboxPayloadInvalid", NO_JSON.format(call.name))


def judge(stage: Stage, calls: tuple[Call, ...]) -> Judgement:
    """Classify a reply by its calls."""
    completing = [call for call in calls if call.name == stage.tool]
    if not calls:
        return Prose(
            # The sentence is sent to the model and recorded in runs.
            steering=f"Call `{stage.tool}` when you are done; "  # prose: off
            "a reply in words alone ends nothing."
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
    problems = payload_problems(stage, done.arguments)
    if problems:
        return Unparsed(
            error=f"The arguments of `{stage.tool}` do not fit its schema. "
            + " ".join(f"{problem}." for problem in problems)
        )
    return Completed(parsed=done.arguments)


def payload_problems(stage: Stage, payload: Any) -> list[str]:
    """The first problems of a payload with their places; [] for a valid one."""
    problems: list[str] = []
    try:
        for error in islice(validator(stage.schema).iter_errors(payload), MAX_PROBLEMS):
            where = "".join(f"/{part}" for part in error.instance_path)
            text = error.message
            text = text if len(text) <= MAX_MESSAGE else f"{text[:MAX_MESSAGE]}…"
            problems.append(f"{where}: {text}" if where else text)
    except ValueError:
        return ["It is nested too deeply, or has a key that is not a string"]
    return problems
