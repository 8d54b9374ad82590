"""The interface of a kind of tool: one module in this folder that declares `TOOL`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from workflows.runner.effect_journal import EffectJournal
from workflows.runner.isolation.processes import CommandFiles
from workflows.runner.left_processes import VARIABLE

TIMEOUT = 60.0
"""Seconds that a call may take by default."""
MAX_TIMEOUT = 3_600.0
MAX_RESULT = 200_000
"""Characters of a result that are sent to the model, followed by the number of those left out."""


async def no_environment() -> Mapping[str, str]:
    """No variables besides those of every command."""
    return {}


async def no_files() -> CommandFiles | None:
    """The workspace alone."""
    return None


class ToolFailed(Exception):
    """The call failed. The message is sent to the model."""


class NeedsPerson(Exception):
    """Only a person may do this here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The surroundings of one call.

    `name`: the pack's name of the tool. `key`: the same if the call is repeated after a crash.
    `commands`: operator and starter both allowed commands. `planning`: the run is in PLANNING,
    where no command is executed. `within`: folders of the workspace that all must contain a written
    file, links resolved; () for the whole workspace.
    """

    name: str
    pack: int
    key: str
    settings: Mapping[str, Any]
    secrets: Mapping[str, str] = field(repr=False)
    commands: bool
    private_hosts: tuple[str, ...]
    workspace: Callable[[], Awaitable[Path]]
    """The run's workspace, made on the first call."""
    environment: Callable[[], Awaitable[Mapping[str, str]]] = no_environment
    """Variables of commands in that workspace, besides those of every command."""
    files: Callable[[], Awaitable[CommandFiles | None]] = no_files
    """The files that commands may use there; None for the workspace alone."""
    run: str = ""
    """The id of the run; "" for a trial of the tool."""
    owner: int | None = None
    """The id of the run's owner."""
    planning: bool = False
    within: tuple[str, ...] = ()
    journal: EffectJournal | None = None
    """The record of this call, for tools whose repetition must not change anything again. None for
    a call that is never repeated."""

    async def command_environment(self) -> Mapping[str, str]:
        """Variables of the call's command, with the key of the call."""
        return {**await self.environment(), VARIABLE: self.key}

    @property
    def timeout(self) -> float:
        """Time limit of the whole call in seconds."""
        return min(float(self.settings.get("timeout", TIMEOUT)), MAX_TIMEOUT)


class Tool(Protocol):
    """A kind of tool that a pack's tool can be bound to."""

    name: str
    label: str
    touches: str
    """The access of a call, for the person who binds the tool."""
    settings: Mapping[str, Any]
    """JSON Schema of each setting; every kind also has `timeout` (seconds)."""
    required: tuple[str, ...]

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        """The reason why settings of a valid shape are still rejected, or ""."""
        ...

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        """Return True if a call starts a process, which operator and starter must allow."""
        ...

    async def check_rights(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Raise ToolFailed for a call that the run's mode or the caller's rights forbid, before a
        person decides on it."""
        ...

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        """The result as text. Raises ToolFailed and NeedsPerson. May be cancelled at any time, and
        leaves no process and no request behind."""
        ...


def text_argument(arguments: Mapping[str, Any], *names: str, default: str | None = None) -> str:
    """The first of these arguments that is present. Raises ToolFailed."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            raise ToolFailed(f"`{name}` must be a text.")
    if default is None:
        raise ToolFailed(f"The call needs `{names[0]}`.")
    return default


def int_argument(arguments: Mapping[str, Any], name: str, default: int) -> int:
    """A non-negative integer. Raises ToolFailed."""
    value = arguments.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ToolFailed(f"`{name}` must be a whole number, 0 or more.")
    return value
