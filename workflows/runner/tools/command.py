"""A command in the run's own folder, where operator and starter both allow it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workflows.runner import sandbox
from workflows.runner.planning_mode import NOT_RUN
from workflows.runner.tools import workspace
from workflows.runner.tools.base import (
    Context,
    NeedsPerson,
    ToolFailed,
    int_argument,
    text_argument,
)

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Command:
    """Settings: `command`, whose words may hold `{argument}`. Without it the model itself writes
    the command line, in `command` or `cmd`, for a shell. `cwd` is a folder of the workspace."""

    name = "command"
    label = "Command"
    touches = "Whatever a program can: only on servers and in runs that allow commands."
    settings: Mapping[str, Any] = {
        "command": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "title": "Command",
            "description": "The program and its words, one a line; {name} is an argument of the "
            "call. Without any the model writes a line for the shell.",
        }
    }
    required: tuple[str, ...] = ()

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        return "A command gets no secrets: it could print them." if secrets else ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return True

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        if context.planning:
            raise ToolFailed(NOT_RUN)
        if not context.commands:
            raise NeedsPerson
        command = command_words(context.settings.get("command"), arguments)
        root = await context.workspace()
        folder = workspace.inside(root, text_argument(arguments, "cwd", default="."))
        asked = int_argument(arguments, "timeout", 0) / 1000
        seconds = min(asked or context.timeout, context.timeout)
        ended = await sandbox.run(command, folder=folder, timeout=seconds)
        said = "\n".join(part for part in (ended.stdout, ended.stderr) if part)
        if ended.exit:
            raise ToolFailed(f"Exit {ended.exit}.\n{said}")
        return said


def command_words(template: list[str] | None, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The command with its arguments filled in; what is filled in is never looked at again, and no
    shell reads it. Raises ToolFailed."""
    if template is None:
        return ("sh", "-c", text_argument(arguments, "command", "cmd"))
    return tuple(_fill(word, arguments) for word in template)


def _fill(word: str, arguments: Mapping[str, Any]) -> str:
    def value(found: re.Match[str]) -> str:
        given = arguments.get(found[1])
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise ToolFailed(f"The call needs `{found[1]}`, a text or a number.")
        return str(given)

    filled = _PLACEHOLDER.sub(value, word)
    if filled.startswith("-") and not word.startswith("-"):
        raise ToolFailed(f"{filled[:80]!r} would be read as an option of the command.")
    return filled


TOOL = Command()
