"""Effects: requests of a run to the runner, which answers with a signal that has the same `key`.

`effect_to_json` and `effect_from_json` are lossless. The request event of an effect (`model.asked`,
`tool.asked`, `command.asked`, `approval.asked`, `run.waiting`) contains the whole effect: an
unanswered one can be requested again from the log alone.

A kind has its facts as class variables: `performer`, who answers it; `request_event`, the type of
the event that makes it pending; `answer_event`, the type of the event that records its answer. All
code that treats kinds differently is a `match` that ends in `assert_never`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from workflows.core.engine.events import EventType
from workflows.core.engine.json_values import to_json_value

Performer: TypeAlias = Literal["model", "tool", "command", "person", "time"]
"""The answerer of an effect. A run that waits only for people and times is `waiting`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation. `tool_calls` on assistant turns, `tool_call_id` on tool turns.
    `failed`: the text of a tool turn is an error, not a result."""

    role: Literal["user", "assistant", "tool"]
    text: str
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    tool_call_id: str = ""
    failed: bool = False


def failed_if(failed: object) -> dict[str, bool]:
    """The member that marks a turn in a program's memory as a failed tool call."""
    return {"failed": True} if failed else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A possible continuation of the run, and an answer that leads to it. Rehearsals and people
    pick one.

    `reply` is `{"structured": …}`, `{"tool_calls": […]}` or `{"text": …}`, for a tool `{"result":
    …}`. A driver completes structured answers to fit the schema. `transition` is the transition's
    id, "" if none is taken. `times`: the number of such replies in a row that it takes (for example
    failures before a limit).
    """

    label: str
    transition: str
    reply: Mapping[str, Any]
    times: int = 1


CONTINUATION: Mapping[str, Any] = {"continued": True}
"""Value of `AskModel.prompt` for a question that continues: its prompt is not logged again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """A model call. `schema` is the JSON Schema of a structured answer. `answer_tool` names the
    tool whose call is the answer; its parameters are the form of a person who answers for the
    model. `prompt`: the fields of `prompt.logged` for a layered prompt
    (`prompts.blocks.prompt_fields`), instead of `system` alone; it is logged once and is not part
    of the pending effect. `judge`: the call assesses an answer of the state, so no role answers it
    and its reply is no output of the state. `developer`: instructions that follow `system`, in a
    developer message where the provider has one."""

    performer: ClassVar[Performer] = "model"
    request_event: ClassVar[EventType] = "model.asked"
    answer_event: ClassVar[EventType] = "model.replied"

    key: str
    position: str
    state: str
    system: str
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    schema: Mapping[str, Any] | None = None
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()
    answer_tool: str = ""
    prompt: Mapping[str, Any] = field(default_factory=dict)
    judge: bool = False
    developer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTool:
    """A call of one of the pack's own tools. `choices` are results that decide the next step, for a
    rehearsal; a real tool ignores them. `diff`: the answer includes the changes of the call to the
    workspace. `within`: the workspace folder (links resolved) that the call may write to; "" for
    all of it."""

    performer: ClassVar[Performer] = "tool"
    request_event: ClassVar[EventType] = "tool.asked"
    answer_event: ClassVar[EventType] = "tool.returned"

    key: str
    position: str
    state: str
    name: str
    arguments: Mapping[str, Any]
    choices: tuple[Choice, ...] = ()
    diff: bool = False
    within: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """A command of the pack; it needs the operator's and the run's permission. `timeout`:
    seconds."""

    performer: ClassVar[Performer] = "command"
    request_event: ClassVar[EventType] = "command.asked"
    answer_event: ClassVar[EventType] = "command.finished"

    key: str
    position: str
    state: str
    command: tuple[str, ...]
    timeout: float = 60.0
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskHuman:
    """A question to a person. `kind` event: pick one of `choices` (a transition); approve: yes or
    no, by these names if there are two `choices`, where yes may have a text; answer: write a text
    or a value (`schema`; None is free text).

    `call`: the tool call that needs approval, `{name, arguments}`. An approval may replace the
    arguments in `structured`; the call is made with those.
    """

    performer: ClassVar[Performer] = "person"
    request_event: ClassVar[EventType] = "approval.asked"
    answer_event: ClassVar[EventType] = "approval.given"

    key: str
    position: str
    state: str
    kind: Literal["event", "approve", "answer"]
    question: str
    choices: tuple[Choice, ...] = ()
    schema: Mapping[str, Any] | None = None
    call: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A pause of this many seconds; `TimeUp` ends it."""

    performer: ClassVar[Performer] = "time"
    request_event: ClassVar[EventType] = "run.waiting"
    answer_event: ClassVar[EventType] = "run.resumed"

    key: str
    position: str
    state: str
    seconds: float


Effect: TypeAlias = AskModel | CallTool | RunCommand | AskHuman | Wait

EFFECT_KINDS: tuple[type[Effect], ...] = get_args(Effect)
_KINDS = {kind.__name__: kind for kind in EFFECT_KINDS}
_PARTS: Mapping[str, Callable[..., Any]] = {"tools": ToolSpec, "choices": Choice}


def effect_to_json(effect: Effect) -> dict[str, Any]:
    """The effect as plain JSON values, with the name of its class in `effect`. `judge`, `developer`
    and `failed` of a turn are left out if they are empty."""
    body: dict[str, Any] = {"effect": type(effect).__name__, **to_json_value(effect)}
    for name in ("judge", "developer"):
        if not body.get(name, True):
            del body[name]
    for turn in body.get("messages", ()):
        if not turn["failed"]:
            del turn["failed"]
    return body


def performer_of(body: Mapping[str, Any]) -> Performer:
    """The performer of an effect that is given as JSON."""
    return _KINDS[body["effect"]].performer


def effect_from_json(body: Mapping[str, Any]) -> Effect:
    """The inverse of `effect_to_json`. Raises KeyError/TypeError for anything else."""
    values = dict(body)
    kind = _KINDS[values.pop("effect")]
    if "messages" in values:
        values["messages"] = tuple(
            Message(**{**turn, "tool_calls": tuple(turn.get("tool_calls", ()))})
            for turn in values["messages"]
        )
    for name, part in _PARTS.items():
        if name in values:
            values[name] = tuple(part(**item) for item in values[name])
    if "command" in values:
        values["command"] = tuple(values["command"])
    effect: Effect = kind(**values)
    return effect
