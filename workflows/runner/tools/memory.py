"""The tool kind for notes: texts by key that are stored per pack and outlive a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workflows.actions import notes
from workflows.errors import CallerError
from workflows.runner.database_threads import in_thread
from workflows.runner.tools.base import Context, ToolFailed, text_argument


class Memory:
    """Arguments: `action` (read, write, list or delete), `key`, `content`."""

    name = "memory"
    label = "Notes of the pack"
    touches = "The notes of this pack, which all its runs share."
    settings: Mapping[str, Any] = {}
    required: tuple[str, ...] = ()

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        return "Notes take no secrets." if secrets else ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return False

    async def check_rights(self, arguments: Mapping[str, Any], context: Context) -> None:
        return None

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        try:
            return await in_thread(_call, arguments, context.pack)
        except CallerError as error:
            raise ToolFailed(error.message) from None


def _call(arguments: Mapping[str, Any], pack: int) -> str:
    action = text_argument(arguments, "action")
    match action:
        case "list":
            return json.dumps(notes.keys(pack), ensure_ascii=False)
        case "read":
            return notes.read(pack, text_argument(arguments, "key"))
        case "write":
            key = text_argument(arguments, "key")
            notes.write(pack, key, text_argument(arguments, "content", "value"))
            return f"Saved {key!r}."
        case "delete":
            key = text_argument(arguments, "key")
            notes.delete(pack, key)
            return f"Deleted {key!r}."
        case _:
            raise ToolFailed(f"There is no action {action!r}. Use read, write, list or delete.")


TOOL = Memory()
