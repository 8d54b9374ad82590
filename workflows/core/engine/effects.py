"""Effects: requests of a run to the runner, which answers with a signal that has the same `key`.

`effect_to_json` and `effect_from_json` are lossless. The request event of an effect (`model.asked`,
`tool.called`, `command.asked`, `approval.asked`, `run.waiting`) contains the whole effect: an
unanswered one can be requested again from the log alone.

A kind has its facts as class variables: `performer`, who answers it; `request_event`, the type of
the event that makes it pending; `answer_event`, the type of the event that records its answer. All
code that treats kinds differently is a `match` that ends in `assert_never`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, get_args

from workflows.core.engine.events import EventType
from workflows.core.engine.json_values import JsonObject, to_json_value

Performer: TypeAlias = Literal["model", "tool", "command", "person", "time"]
"""Who answers an effect. A run that waits only for people and times is `waiting`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation. `tool_calls` on assistant turns, `tool_call_id` on tool turns."""

    role: Literal["user", "assistant", "tool"]
    text: str
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One way on from here, and an answer that takes it: what a walker or a person picks from.

    `reply` is `{"structured": …}`, `{"tool_calls": […]}` or `{"text": …}`, of a tool
    `{"result": …}`; for structured answers a driver fills the rest of the schema in. `transition`
    is the arrow's id, "" where none is taken.
    `times`: how often in a row it may take to get there (replies that have to go wrong again and
    again).
    """

    label: str
    transition: str
    reply: Mapping[str, Any]
    times: int = 1


CONTINUATION: Mapping[str, Any] = {"continued": True}
"""For `AskModel.prompt`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Ask whoever answers as the model. `schema` is the JSON Schema of a structured answer.
    `answer_tool`: the one of the tools whose call is the answer; its parameters are what a person
    fills in who answers in the model's place. `prompt`: what `prompt.logged` says of a layered
    prompt (`core.prompts.logged`) in place of `system` alone; it is logged once and not kept with
    what is pending. `CONTINUED`: the same question goes on, and its prompt is not logged again."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTool:
    """Run one of the pack's own tools. `choices` are results that decide what is next, for a
    rehearsal to pick from; whoever really runs the tool pays no heed to them. `diff`: the answer is
    to say what the call changed in the workspace. `within`: the folder of the workspace, links
    followed, that a call may write in; "" for all of it."""

    performer: ClassVar[Performer] = "tool"
    request_event: ClassVar[EventType] = "tool.called"
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
    """Run a command of the pack: only where operator and run both allow it. `timeout`: seconds."""

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
    """Wait for a person. `kind` event: pick one of `choices` (an arrow); approve: yes or no;
    answer: write something (`schema` says which shape, None is free text).

    `call`: the tool call that a yes lets through, `{name, arguments}`. Whoever says yes may answer
    with other arguments in `structured`, and then the call is made with those.
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
    """Wait this many seconds, then TimeUp."""

    performer: ClassVar[Performer] = "time"
    request_event: ClassVar[EventType] = "run.waiting"
    answer_event: ClassVar[EventType] = "run.resumed"

    key: str
    position: str
    state: str
    seconds: float


Effect: TypeAlias = AskModel | CallTool | RunCommand | AskHuman | Wait
Part = TypeVar("Part", ToolSpec, Choice)

EFFECT_KINDS: tuple[type[Effect], ...] = get_args(Effect)
_KINDS = {kind.__name__: kind for kind in EFFECT_KINDS}


def effect_to_json(effect: Effect) -> dict[str, Any]:
    """The effect as plain JSON values, with its class under `effect`."""
    return JsonObject(effect=type(effect).__name__, **to_json_value(effect))


def performer_of(body: Mapping[str, Any]) -> Performer:
    """Who answers this effect, given as JSON."""
    return _KINDS[body["effect"]].performer


def effect_from_json(body: Mapping[str, Any]) -> Effect:
    """The inverse of `effect_to_json`. Raises KeyError/TypeError for anything else."""
    if not isinstance(body, JsonObject):
        return _read(body)
    if body.means is None:
        body.means = _read(body)
    effect: Effect = body.means
    return effect


_KNOWN = 1_000
_known_parts: dict[str, Any] = {}
"""By their text: `1`, `1.0` and `True` are equal and not the same."""


def _known(part: Part) -> Part:
    """The very same that another run was asked with, if there is one. Thousands of runs wait in one
    state, and what they may call or choose there need not be in memory for each."""
    if len(_known_parts) >= _KNOWN:
        _known_parts.clear()
    known: Part = _known_parts.setdefault(repr(part), part)
    return known


def _read(body: Mapping[str, Any]) -> Effect:
    values = dict(body)
    kind = _KINDS[values.pop("effect")]
    if "messages" in values:
        values["messages"] = tuple(
            Message(**{**turn, "tool_calls": tuple(turn.get("tool_calls", ()))})
            for turn in values["messages"]
        )
    if "tools" in values:
        values["tools"] = tuple(_known(ToolSpec(**tool)) for tool in values["tools"])
    if "choices" in values:
        values["choices"] = tuple(_known(Choice(**choice)) for choice in values["choices"])
    if "command" in values:
        values["command"] = tuple(values["command"])
    effect: Effect = kind(**values)
    return effect
