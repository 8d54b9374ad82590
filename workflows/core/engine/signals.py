"""What reaches a run from outside. `at` is the wall clock in seconds, read by the shell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Begin. `inputs` are the run's variables. `paused`: enter the first states, but ask nothing
    until `resume` or `step`. `run`: what the outside knows the run by. `breakpoints`: see
    `Breakpoints`."""

    at: float
    inputs: Mapping[str, str] = field(default_factory=dict)
    paused: bool = False
    run: str = ""
    breakpoints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call in a model's answer. `unread`: the arguments as the model wrote them, where that is
    no JSON object; `arguments` is empty then."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    unread: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a model call cost. Zero where nobody counted."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's answer to the AskModel with this key. `error`: there is none, the call failed.
    `provider`, `model`: who was asked, "" where nobody outside was."""

    at: float
    key: str
    text: str = ""
    structured: Any = None
    tool_calls: tuple[ToolCall, ...] = ()
    error: str = ""
    usage: Usage = Usage()
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDone:
    """A tool's result, as text. `error` where it failed; the model is told so. `diff`: what the
    call changed in the workspace, as a unified diff, where the effect asked for that."""

    at: float
    key: str
    result: str = ""
    error: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDone:
    """A command's end."""

    at: float
    key: str
    exit: int = 0
    stdout: str = ""
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """A person's answer to the AskHuman with this key ("" is the only one open).

    `approve` for a yes/no, `event` for a choice of arrow, `text`/`structured` for an answer.
    """

    at: float
    key: str = ""
    approve: bool = True
    event: str = ""
    text: str = ""
    structured: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fire:
    """A person or another system takes an event of the current state."""

    at: float
    event: str
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """pause: finish what is under way and ask for nothing new · resume · step: let exactly one
    asking through, then pause again · cancel."""

    at: float
    what: Literal["pause", "resume", "step", "cancel"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoints:
    """Where the run stops by itself from now on: ids of states and of arrows. It pauses when it
    enters such a state or takes such an arrow, before anything is asked there. `until`: run on to
    here, and forget this one once the run is paused by it."""

    at: float
    ids: tuple[str, ...] = ()
    until: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tell:
    """Somebody speaks to who works in a state (an agent of an agent graph). `interrupt`: at once,
    breaking off what is under way there; otherwise it is heard when that is done."""

    at: float
    state: str
    text: str
    interrupt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeUp:
    """The Wait (or the time limit of the effect) with this key is over."""

    at: float
    key: str


Answer: TypeAlias = Reply | ToolDone | CommandDone | Approve | TimeUp
"""Signals that answer the effect with their `key`."""

Signal: TypeAlias = Answer | Start | Fire | Control | Breakpoints | Tell
