"""Signals: the inputs of a run. `at` is the wall clock in seconds, read outside the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Start the run. `inputs` are its variables. `paused`: enter the first states, but request
    nothing until `resume` or `step`. `run`: the run's id outside the engine. `breakpoints`: see
    `Breakpoints`. `started_by`: see `RunState`."""

    at: float
    inputs: Mapping[str, str] = field(default_factory=dict)
    paused: bool = False
    run: str = ""
    breakpoints: tuple[str, ...] = ()
    started_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call in a model's answer. `unread`: the arguments as the model wrote them if they are not
    a JSON object; `arguments` is empty then."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    unread: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The cost of a model call. Zero if it was not measured."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's answer to the AskModel with this key. `error`: the call failed and there is no
    answer. `provider`, `model`: the model that was called, "" for a simulated answer;
    `response_model`: the model that answered, as the provider names it, and `finish_reason` the
    reason for the end of its answer, both "" if the provider named none. `reasoning`:
    what the model wrote before its answer. `sent`: the HTTP requests for this answer, in order, as
    `event_types.SentRequest`; empty for a simulated answer. `warnings`: why some providers would
    refuse a request that was answered without one."""

    at: float
    key: str
    text: str = ""
    structured: Any = None
    tool_calls: tuple[ToolCall, ...] = ()
    error: str = ""
    usage: Usage = Usage()
    provider: str = ""
    model: str = ""
    response_model: str = ""
    finish_reason: str = ""
    reasoning: str = ""
    sent: tuple[Mapping[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDone:
    """A tool's result, as text. `error` if it failed; it is sent to the model. `diff`: the changes
    of the call to the workspace as a unified diff, if the effect requested it. `called`: False if
    the tool was not called: the result is a person's, or the reason."""

    at: float
    key: str
    result: str = ""
    error: str = ""
    diff: str = ""
    called: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDone:
    """The end of a command."""

    at: float
    key: str
    exit: int = 0
    stdout: str = ""
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """A person's answer to the AskHuman with this key ("" if only one is open).

    `approve` for yes or no, `event` for a choice of transition, `text`/`structured` for an answer.
    `tool_calls`: calls in an answer for a model. `rest`: further calls of the same tool in this run
    need no approval.
    """

    at: float
    key: str = ""
    approve: bool = True
    rest: bool = False
    event: str = ""
    text: str = ""
    structured: Any = None
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fire:
    """An event of a current state, from a person or another system."""

    at: float
    event: str
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """pause: finish running effects and request no new ones · resume · step: let exactly one
    request through, then pause again · cancel."""

    at: float
    what: Literal["pause", "resume", "step", "cancel"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoints:
    """Replace the run's breakpoints: ids of states and transitions. The run pauses when it enters
    such a state or takes such a transition, before any request there. `until`: resume until this
    one, and remove it once the run has paused there."""

    at: float
    ids: tuple[str, ...] = ()
    until: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tell:
    """A message to the agent of a state. `interrupt`: at once, and the agent's current turn is
    dropped; otherwise the message is delivered after the turn."""

    at: float
    state: str
    text: str
    interrupt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeUp:
    """The Wait, or the time limit of the effect, with this key has ended."""

    at: float
    key: str


Answer: TypeAlias = Reply | ToolDone | CommandDone | Approve | TimeUp
"""Signals that answer the effect with their `key`."""

Signal: TypeAlias = Answer | Start | Fire | Control | Breakpoints | Tell
