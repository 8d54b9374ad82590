"""One call of a tool kind, within its time limit, and its result as the model gets it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from workflows.core.text.excerpt import excerpt
from workflows.db.text import to_storable
from workflows.runner.tools.base import MAX_RESULT, Context, Tool, ToolFailed

MIN_SECRET = 6
"""Characters of the shortest secret that is redacted in results; shorter ones match by chance."""


async def call_tool(tool: Tool, arguments: Mapping[str, Any], context: Context) -> tuple[str, str]:
    """The result and the error of one call, one of them "", as sent to the model. Raises
    NeedsPerson."""
    result = error = ""
    try:
        async with asyncio.timeout(context.timeout):
            result = await tool.call(arguments, context)
    except ToolFailed as failure:
        error = str(failure) or "The tool failed."
    except TimeoutError:
        error = f"{context.name} did not answer within {context.timeout:g} seconds."
    return _clean_result(result, context.secrets), _clean_result(error, context.secrets)


def _clean_result(text: str, secrets: Mapping[str, str]) -> str:
    """The text within the model's limit, storable, and with secrets redacted."""
    for secret in secrets.values():
        if len(secret) >= MIN_SECRET:
            text = text.replace(secret, "•••")
    return to_storable(excerpt(text, MAX_RESULT))
