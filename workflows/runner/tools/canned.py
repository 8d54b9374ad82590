"""The tool kind with a fixed answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.runner.tools.base import Context, ToolFailed


class Canned:
    """Settings: `result`, or `error` for a tool that always fails."""

    name = "canned"
    label = "Fixed answer"
    touches = "Nothing."
    settings: Mapping[str, Any] = {
        "result": {
            "type": "string",
            "x-widget": "text",
            "description": "The result of every call.",
        },
        "error": {
            "type": "string",
            "description": "Instead of a result: the error of every call.",
        },
    }
    required: tuple[str, ...] = ()

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        if secrets:
            return "A fixed answer takes no secrets."
        if ("result" in settings) == ("error" in settings):
            return "A fixed answer needs either a `result` or an `error`."
        return ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return False

    async def check_rights(self, arguments: Mapping[str, Any], context: Context) -> None:
        return None

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        if "error" in context.settings:
            raise ToolFailed(context.settings["error"])
        return str(context.settings["result"])


TOOL = Canned()
