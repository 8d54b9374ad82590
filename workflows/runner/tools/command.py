"""The tool kind that runs a command in the workspace, if operator and starter allow commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workflows.core.text.placeholders import MAX_TEXT, fill
from workflows.runner import sandbox
from workflows.runner.planning_mode import NOT_RUN
from workflows.runner.tools import workspace
from workflows.runner.tools.base import (
    MAX_RESULT,
    Context,
    NeedsPerson,
    ToolFailed,
    int_argument,
    text_argument,
)

KEPT = MAX_RESULT // 2 - 200
"""Bytes kept of each output, so that both fit into a result with the exit and their notes."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Command:
    """Settings: `command`, whose words may contain `{argument}`. Without it the model writes a
    shell command line, in `command` or `cmd`. `cwd` is a folder of the workspace."""

    name = "command"
    label = "Command"
    touches = (
        "Everything that a program can access. Only on servers and in runs that allow commands."
    )
    settings: Mapping[str, Any] = {
        "command": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "title": "Command",
            "description": "The program and its arguments, one per line; {name} is an argument "
            "of the call. If empty, the model writes a shell command line.",
        }
    }
    required: tuple[str, ...] = ()

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        return "A command takes no secrets, because it could print them." if secrets else ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return True

    async def check_rights(self, arguments: Mapping[str, Any], context: Context) -> None:
        if context.planning:
            raise ToolFailed(NOT_RUN)

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        await self.check_rights(arguments, context)
        if not context.commands:
            raise NeedsPerson
        command = command_words(context.settings.get("command"), arguments)
        root = await context.workspace()
        folder = workspace.inside(root, text_argument(arguments, "cwd", default="."))
        requested = int_argument(arguments, "timeout", 0) / 1000
        seconds = min(requested or context.timeout, context.timeout)
        extra = await context.command_environment()
        files = await context.files() or sandbox.CommandFiles(writable=(root,))
        result = await sandbox.run(
            command, folder=folder, timeout=seconds, extra=extra, files=files, keep=KEPT
        )
        if result.exit:
            raise ToolFailed(_joined(f"Exit {result.exit}.", result.stderr, result.stdout))
        return _joined(result.stdout, result.stderr)


def _joined(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def command_words(template: list[str] | None, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The command with its arguments filled in. Values are not expanded again, and no shell parses
    them. Raises ToolFailed."""
    if template is None:
        return ("sh", "-c", text_argument(arguments, "command", "cmd"))
    return tuple(_fill(word, arguments) for word in template)


def _fill(word: str, arguments: Mapping[str, Any]) -> str:
    def value(placeholder: re.Match[str]) -> str:
        argument = arguments.get(placeholder[1])
        if isinstance(argument, bool) or not isinstance(argument, str | int | float):
            raise ToolFailed(f"The call needs `{placeholder[1]}`, a text or a number.")
        return str(argument)

    filled = fill(_PLACEHOLDER, word, value)
    if filled.stop is not None:
        raise ToolFailed(f"A word of the command has more than {MAX_TEXT:,} characters. Send less.")
    if filled.text.startswith("-") and not word.startswith("-"):
        raise ToolFailed(f"{filled.text[:80]!r} would be parsed as an option of the command.")
    return filled.text


TOOL = Command()
