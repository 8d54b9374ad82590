"""What a kind of tool promises. It is one module in this folder that declares `TOOL`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

TIMEOUT = 60.0
"""Seconds that a call may take where its binding says nothing."""
MAX_TIMEOUT = 3_600.0
MAX_RESULT = 200_000
"""Characters of a result that the model hears; it is told how many it does not."""


class ToolFailed(Exception):
    """The call came to nothing. The sentence is what the model hears."""


class NeedsPerson(Exception):
    """This may not be done here by anybody but a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Around one call. `name` is what the pack calls the tool, `key` is the same when the call is
    made again after a crash; `commands`: operator and starter both allowed them. `planning`: the
    run is in PLANNING, where no command is run. `within`: folders of the workspace, links followed,
    that all have to hold what is written; () for the whole workspace."""

    name: str
    pack: int
    key: str
    settings: Mapping[str, Any]
    secrets: Mapping[str, str] = field(repr=False)
    commands: bool
    private_hosts: tuple[str, ...]
    workspace: Callable[[], Awaitable[Path]]
    """The run's own folder, filled with the pack's files the first time."""
    planning: bool = False
    within: tuple[str, ...] = ()

    @property
    def timeout(self) -> float:
        """Seconds that the whole call may take."""
        return min(float(self.settings.get("timeout", TIMEOUT)), MAX_TIMEOUT)


class Tool(Protocol):
    """One kind of thing that a pack's tool can be bound to."""

    name: str
    label: str
    touches: str
    """What a call may touch, in a sentence for whoever binds it."""
    settings: Mapping[str, Any]
    """JSON Schema of each setting; `timeout` (seconds) is everyone's."""
    required: tuple[str, ...]

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        """Why settings of the right shape will not do all the same, "" where they will."""
        ...

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        """Whether a call begins a process, which operator and starter have to allow."""
        ...

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        """The result as text. Raises ToolFailed, and LeftToPerson. May be cancelled at any time and
        leaves no process and no request behind."""
        ...


def text_argument(arguments: Mapping[str, Any], *names: str, default: str | None = None) -> str:
    """The first of these arguments that is there. Raises ToolFailed."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            raise ToolFailed(f"`{name}` is a text.")
    if default is None:
        raise ToolFailed(f"The call needs `{names[0]}`.")
    return default


def int_argument(arguments: Mapping[str, Any], name: str, default: int) -> int:
    """A whole number from 0 on. Raises ToolFailed."""
    value = arguments.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ToolFailed(f"`{name}` is a whole number from 0 on.")
    return value
