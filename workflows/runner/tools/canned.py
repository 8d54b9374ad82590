"""A fixed answer."""

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
            "description": "What every call is answered with.",
        },
        "error": {
            "type": "string",
            "description": "Instead of a result: what every call fails with.",
        },
    }
    required: tuple[str, ...] = ()

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        if secrets:
            return "A fixed answer has no use for secrets."
        if ("result" in settings) == ("error" in settings):
            return "A fixed answer is either a `result` or an `error`."
        return ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return False

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        if "error" in context.settings:
            raise ToolFailed(context.settings["error"])
        return str(context.settings["result"])


TOOL = Canned()
