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
from dataclasses import field, fields
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, get_args

from workflows.core.engine.events import EventType
from workflows.core.engine.identity_cache import IdentityCache
from workflows.core.engine.json_values import JsonArray, JsonObject, to_json_value
from workflows.core.value_class import value_class

Performer: TypeAlias = Literal["model", "tool", "command", "person", "time"]
"""The answerer of an effect. A run that waits only for people and times is `waiting`."""


@value_class(frozen=True, slots=True, kw_only=True)
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


@value_class(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@value_class(frozen=True, slots=True, kw_only=True)
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


@value_class(frozen=True, slots=True, kw_only=True)
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


@value_class(frozen=True, slots=True, kw_only=True)
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


@value_class(frozen=True, slots=True, kw_only=True)
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


@value_class(frozen=True, slots=True, kw_only=True)
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


@value_class(frozen=True, slots=True, kw_only=True)
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
Part = TypeVar("Part", ToolSpec, Choice)

EFFECT_KINDS: tuple[type[Effect], ...] = get_args(Effect)
_KINDS = {kind.__name__: kind for kind in EFFECT_KINDS}
_PARTS: Mapping[str, Callable[..., Any]] = {"tools": ToolSpec, "choices": Choice}
_arrays: IdentityCache[JsonArray] = IdentityCache(500)


def effect_to_json(effect: Effect) -> JsonObject:
    """The effect as plain JSON values, with the name of its class in `effect`. `judge` and
    `developer` are left out if they are empty."""
    if isinstance(effect, AskModel):
        return _question_to_json(effect)
    body = JsonObject(effect=type(effect).__name__)
    for item in fields(effect):
        value = getattr(effect, item.name)
        body[item.name] = _parts_to_json(value) if item.name in _PARTS else to_json_value(value)
    return body


def _question_to_json(effect: AskModel) -> JsonObject:
    """The JSON of the most frequent kind, without a loop over its fields."""
    body = JsonObject(
        effect="AskModel",
        key=effect.key,
        position=effect.position,
        state=effect.state,
        system=effect.system,
        messages=[
            {
                "role": turn.role,
                "text": turn.text,
                "tool_calls": to_json_value(turn.tool_calls),
                "tool_call_id": turn.tool_call_id,
                **failed_if(turn.failed),
            }
            for turn in effect.messages
        ],
        tools=_parts_to_json(effect.tools),
        schema=to_json_value(effect.schema),
        model=effect.model,
        parameters=to_json_value(effect.parameters),
        choices=_parts_to_json(effect.choices),
        answer_tool=effect.answer_tool,
        prompt=to_json_value(effect.prompt),
    )
    if effect.judge:
        body["judge"] = True
    if effect.developer:
        body["developer"] = effect.developer
    return body


def _parts_to_json(parts: tuple[ToolSpec, ...] | tuple[Choice, ...]) -> JsonArray:
    """`to_json_value` of tools or choices, once for all effects that have the same tuple."""
    if not parts:
        return _NO_PARTS
    array = _arrays.get(parts)
    if array is None:
        array = _arrays.put(JsonArray(to_json_value(parts)), parts)
    return array


_NO_PARTS = JsonArray()


def performer_of(body: Mapping[str, Any]) -> Performer:
    """The performer of an effect that is given as JSON."""
    return _KINDS[body["effect"]].performer


def effect_from_json(body: Mapping[str, Any]) -> Effect:
    """The inverse of `effect_to_json`. Raises KeyError/TypeError for anything else."""
    if not isinstance(body, JsonObject):
        return _read(body)
    if body.parsed is None:
        body.parsed = _read(body)
    effect: Effect = body.parsed
    return effect


_MAX_SHARED = 1_000
_shared_parts: dict[str, Any] = {}
"""By their `repr`, because `1`, `1.0` and `True` are equal but not the same JSON."""


def _shared(part: Part) -> Part:
    """An equal part of another run's effect if there is one. Thousands of runs wait in one state,
    and sharing their tools and choices saves memory."""
    if len(_shared_parts) >= _MAX_SHARED:
        _shared_parts.clear()
    shared: Part = _shared_parts.setdefault(repr(part), part)
    return shared


def _read_parts(part: Callable[..., Any], items: Any) -> tuple[Any, ...]:
    if not isinstance(items, JsonArray):
        return tuple(_shared(part(**item)) for item in items)
    if items.parsed is None:
        items.parsed = tuple(_shared(part(**item)) for item in items)
    parsed: tuple[Any, ...] = items.parsed
    return parsed


def _read(body: Mapping[str, Any]) -> Effect:
    values = dict(body)
    kind = _KINDS[values.pop("effect")]
    if "messages" in values:
        values["messages"] = tuple(
            Message(**{**turn, "tool_calls": tuple(turn.get("tool_calls", ()))})
            for turn in values["messages"]
        )
    for name, part in _PARTS.items():
        if name in values:
            values[name] = _read_parts(part, values[name])
    if "command" in values:
        values["command"] = tuple(values["command"])
    effect: Effect = kind(**values)
    return effect
