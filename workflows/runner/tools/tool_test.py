"""Does a binding work? One call, made as a run would make it, in a folder of its own."""

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
from workflows.runner import sandbox, tool_calls
from workflows.runner.tools import tools
from workflows.runner.tools.base import Context, NeedsPerson
from workflows.selectors.sources import opened
from workflows.selectors.tool_bindings import kept

MAX_SECONDS = 30.0
"""Seconds that somebody waits for a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTestResult:
    """`text`: the result, what the model would be told went wrong, or why a person is asked."""

    outcome: Literal["result", "error", "person"]
    text: str


def run_tool_test(
    pack: Pack, tool: str, arguments: Mapping[str, Any], *, commands: bool
) -> ToolTestResult:
    """Call a tool as it is bound. `commands`: whether a run that may run commands is meant. The
    call is real: what it does outside its folder is done. Blocks until it says."""
    binding = kept(pack, tool)
    if binding is None or binding.kind not in tools():
        return ToolTestResult(outcome="person", text="It is not bound, so a run asks a person.")
    files = opened(pack).files
    with tempfile.TemporaryDirectory(prefix="signalbox-trial-") as place:

        async def folder() -> Path:
            return await asyncio.to_thread(sandbox.workspace, Path(place), "trial", files)

        seconds = min(float(binding.settings.get("timeout", MAX_SECONDS)), MAX_SECONDS)
        context = Context(
            name=tool,
            pack=pack.pk,
            key=f"trial:{uuid4()}",
            settings={**binding.settings, "timeout": seconds},
            secrets=binding.secrets,
            commands=bool(settings.SIGNALBOX_COMMANDS and commands),
            private_hosts=tuple(settings.SIGNALBOX_PRIVATE_HOSTS),
            workspace=folder,
        )
        called = tool_calls.call_tool(tools()[binding.kind], arguments, context)
        try:
            result, error = asyncio.run(called)
        except NeedsPerson:
            return ToolTestResult(outcome="person", text=_why_a_person())
    return ToolTestResult(outcome="error" if error else "result", text=error or result)


def _why_a_person() -> str:
    if not settings.SIGNALBOX_COMMANDS:
        return (
            "It starts a program, and this server runs no commands: a run asks a person. The "
            "operator allows them with SIGNALBOX_COMMANDS=1."
        )
    return "It starts a program: a run that was not started with commands asks a person."
