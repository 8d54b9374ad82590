"""Test of a binding: one call as in a run, in a temporary folder."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from django.conf import settings

from workflows.models import Pack
from workflows.runner import sandbox
from workflows.runner.permissions import NO_RIGHT_TO_BIND, authors_have_right
from workflows.runner.tools import tools
from workflows.runner.tools.base import Context, NeedsPerson
from workflows.runner.tools.execution import call_tool
from workflows.runner.tools.mcp_tool_list import MAX_SECONDS
from workflows.selectors.sources import opened
from workflows.selectors.tool_bindings import kept


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTestResult:
    """`text`: the result, the error for the model, or the reason why a person must answer."""

    outcome: Literal["result", "error", "person"]
    text: str


def run_tool_test(
    pack: Pack, tool: str, arguments: Mapping[str, Any], *, commands: bool
) -> ToolTestResult:
    """Call a tool through its binding. `commands`: as in a run that may execute commands. The call
    is real: its effects outside the folder remain. Blocks until it has ended."""
    binding = kept(pack, tool)
    if binding is None or binding.kind not in tools():
        return ToolTestResult(
            outcome="person", text="The tool is not bound, so a run asks a person."
        )
    files = opened(pack).files
    with tempfile.TemporaryDirectory(prefix="signalbox-trial-") as root:

        async def folder() -> Path:
            return await asyncio.to_thread(sandbox.workspace, Path(root), "trial", files)

        seconds = min(float(binding.settings.get("timeout", MAX_SECONDS)), MAX_SECONDS)
        context = Context(
            name=tool,
            pack=pack.pk,
            key=f"trial:{uuid4()}",
            settings={**binding.settings, "timeout": seconds},
            secrets=binding.secrets,
            commands=commands and settings.SIGNALBOX_COMMANDS and authors_have_right(binding),
            private_hosts=tuple(settings.SIGNALBOX_PRIVATE_HOSTS),
            workspace=folder,
        )
        pending = call_tool(tools()[binding.kind], arguments, context)
        try:
            result, error = asyncio.run(pending)
        except NeedsPerson:
            return ToolTestResult(outcome="person", text=_why_a_person(commands))
    return ToolTestResult(outcome="error" if error else "result", text=error or result)


def _why_a_person(commands: bool) -> str:
    if not settings.SIGNALBOX_COMMANDS:
        return (
            "The tool starts a program, and this server executes no commands, so a run asks a "
            "person. The operator can allow commands with SIGNALBOX_COMMANDS=1."
        )
    if commands:
        return f"The tool starts a program. {NO_RIGHT_TO_BIND}"
    return "The tool starts a program. A run that was started without commands asks a person."
