"""Tools and commands of `signalbox run`: bindings from the command line and of the dialect."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from signalbox.commands.errors import Trouble
from workflows.core.engine.effects import CallTool, RunCommand
from workflows.core.engine.signals import CommandDone, ToolDone
from workflows.core.tools.standard import default_binding
from workflows.runner import planning_mode, sandbox, workspace_diff
from workflows.runner.effect_journal import EffectJournal
from workflows.runner.left_processes import effect_environment
from workflows.runner.tools.base import Context, NeedsPerson, Tool
from workflows.runner.tools.execution import call_tool
from workflows.runner.workspaces import Workspace

KINDS = ("canned", "command", "files", "http", "mcp")
"""Kinds that need no server; notes and roles' memory are in its database."""
PERSON = "person"
_BINDING = re.compile(r"(?P<kind>[a-z]+)(?P<settings>\{.*\})?", re.DOTALL)
MCP_NAME = "mcp__{}__"

OpenWorkspace = Callable[[], Workspace]


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The binding of a tool. `chosen`: on the command line, not by the dialect."""

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    chosen: bool = False


def bindings_from(tools: Sequence[str], servers: Sequence[str]) -> dict[str, Binding | None]:
    """The bindings of `--tool NAME=KIND[{settings}]` and `--mcp NAME=COMMAND`; None for a tool that
    asks a person. Raises Trouble."""
    bindings: dict[str, Binding | None] = {}
    for argument in tools:
        name, _, rest = argument.partition("=")
        matched = _BINDING.fullmatch(rest)
        if not name or matched is None:
            raise Trouble(f"--tool {argument!r} is not NAME=KIND.", hint=f"Kinds: {_kinds()}.")
        bindings[name] = _binding(argument, matched["kind"], matched["settings"])
    for argument in servers:
        name, _, rest = argument.partition("=")
        try:
            command = shlex.split(rest)
        except ValueError:
            command = []
        if not name or not command:
            raise Trouble(f"--mcp {argument!r} is not NAME=COMMAND.")
        bindings[MCP_NAME.format(name)] = Binding(
            kind="mcp", settings={"command": command}, chosen=True
        )
    return bindings


def _binding(argument: str, kind: str, settings: str | None) -> Binding | None:
    if kind == PERSON:
        return None
    if kind not in KINDS:
        raise Trouble(f"--tool {argument!r}: there is no kind {kind!r} here.", hint=f"{_kinds()}.")
    try:
        read = json.loads(settings) if settings else {}
    except ValueError:
        raise Trouble(f"--tool {argument!r}: the settings are not a JSON object.") from None
    _check(argument, kind, read)
    return Binding(kind=kind, settings=read, chosen=True)


def _check(argument: str, kind: str, settings: Mapping[str, Any]) -> None:
    from jsonschema import Draft202012Validator

    from workflows.runner.tools import schema_of

    tool = tool_named(kind)
    for error in Draft202012Validator(schema_of(tool)).iter_errors(dict(settings)):
        raise Trouble(f"--tool {argument!r}: {error.message[:200]}.")
    problem = tool.problem(settings, False)
    if problem:
        raise Trouble(f"--tool {argument!r}: {problem}")


def tool_named(kind: str) -> Tool:
    """A kind of tool. Only its own module is imported, since others need a database."""
    tool: Tool = import_module(f"workflows.runner.tools.{kind}").TOOL
    return tool


def _kinds() -> str:
    return ", ".join((*KINDS, PERSON))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTools:
    """The tools of one run. `bound`: bindings by tool, `mcp__server__` for all of a server;
    `declared`: parameters of the tools that the pack declares itself; `commands`: commands may
    run."""

    bound: Mapping[str, Binding | None]
    defaults: Mapping[str, Mapping[str, Any]]
    declared: Mapping[str, Mapping[str, Any]]
    commands: bool
    run_id: str
    options: Mapping[str, Any]
    open: OpenWorkspace
    journal: Callable[[str], EffectJournal]

    def binding(self, name: str) -> Binding | None:
        """The binding of a tool. None: a person answers its calls."""
        if name in self.bound:
            return self.bound[name]
        for prefix, server in self.bound.items():
            if server is not None and name.startswith(prefix) and prefix.startswith("mcp__"):
                tool = name.removeprefix(prefix)
                return Binding(kind="mcp", settings={**server.settings, "tool": tool}, chosen=True)
        own = self.defaults.get(name) or default_binding(name, self.declared.get(name))
        if own is None or own["kind"] not in KINDS:
            return None
        return Binding(kind=own["kind"], settings=own["settings"])

    def asks_a_person(self, name: str) -> str:
        """The option without which calls of this tool wait for a person, "" for none."""
        binding = self.binding(name)
        if binding is None:
            return f"--tool {name}=KIND" if name not in self.bound else ""
        starts = tool_named(binding.kind).starts_process(binding.settings)
        return "--allow-commands" if starts and not self._may_start(binding) else ""

    def is_unbound(self, name: str) -> bool:
        """True if nothing is bound to a tool, and it was not left to a person by name."""
        return name not in self.bound and self.binding(name) is None

    def performs(self, effect: CallTool) -> bool:
        """Return True if this call is made here, and not left to a person."""
        binding = self.binding(effect.name)
        return binding is not None and not self.asks_a_person(effect.name)

    async def call(self, effect: CallTool) -> ToolDone | None:
        """The result of a call. None: a person answers it."""
        binding = self.binding(effect.name)
        if binding is None:
            return None
        context = self._context(effect, binding)
        before = await self._snapshot() if effect.diff else None
        try:
            tool = tool_named(binding.kind)
            result, error = await call_tool(tool, effect.arguments, context)
        except NeedsPerson:
            return None
        diff = ""
        if before is not None:
            after = await self._snapshot()
            diff = await asyncio.to_thread(workspace_diff.unified_diff, before, after)
        return ToolDone(at=time.time(), key=effect.key, result=result, error=error, diff=diff)

    async def run(self, effect: RunCommand) -> CommandDone | None:
        """The result of a command. None: a person answers."""
        if not self.commands:
            return None
        place = await asyncio.to_thread(self.open)
        done = await sandbox.run(
            effect.command,
            folder=place.folder,
            timeout=effect.timeout,
            extra={**place.environment, **effect_environment(self.run_id, effect.key)},
            files=place.files,
        )
        return CommandDone(
            at=time.time(),
            key=effect.key,
            exit=done.exit,
            stdout=done.stdout,
            stderr=done.stderr,
        )

    def _may_start(self, binding: Binding) -> bool:
        """A server or a fixed command that the command line itself names may start."""
        fixed = binding.chosen and "command" in binding.settings
        return self.commands or fixed

    def _context(self, effect: CallTool, binding: Binding) -> Context:
        async def folder() -> Path:
            return (await asyncio.to_thread(self.open)).folder

        async def environment() -> Mapping[str, str]:
            return (await asyncio.to_thread(self.open)).environment

        async def files() -> sandbox.CommandFiles:
            return (await asyncio.to_thread(self.open)).files

        return Context(
            name=effect.name,
            pack=0,
            key=f"{self.run_id}:{effect.key}",
            settings=binding.settings,
            secrets={},
            commands=self._may_start(binding),
            private_hosts=private_hosts(),
            workspace=folder,
            environment=environment,
            files=files,
            planning=planning_mode.is_planning(self.options),
            within=planning_mode.writable_folders(self.options, effect.within),
            journal=self.journal(effect.key),
        )

    async def _snapshot(self) -> workspace_diff.Snapshot:
        place = await asyncio.to_thread(self.open)
        return await asyncio.to_thread(workspace_diff.take_snapshot, place.folder)


def private_hosts() -> tuple[str, ...]:
    """The private hosts that the operator allows."""
    words = os.environ.get("SIGNALBOX_PRIVATE_HOSTS", "").split(",")
    return tuple(word.strip() for word in words if word.strip())
