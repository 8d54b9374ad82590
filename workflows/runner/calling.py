"""A call of one of the pack's tools → what it is bound to → its result."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from django.conf import settings

from workflows.core.engine.effects import CallTool
from workflows.core.engine.signals import ToolDone
from workflows.models import Run
from workflows.runner import sandbox
from workflows.runner.tools import tools
from workflows.runner.tools.base import LONGEST_RESULT, Context, LeftToPerson, ToolFailed
from workflows.selectors.bindings import Bound, bound
from workflows.selectors.sources import opened
from workflows.storable import storable

SHORTEST_SECRET = 6
"""Characters of a secret that is looked for in results; shorter ones would be everywhere."""


async def call(row: Run, effect: CallTool) -> ToolDone | None:
    """None: the tool is not bound, or what it is bound to may not be done here, so a person is
    asked. What goes wrong is told to the model."""
    binding = await asyncio.to_thread(bound, row, effect.name)
    tool = tools().get(binding.kind) if binding else None
    if binding is None or tool is None:
        return None
    context = _context(row, effect, binding)
    result = error = ""
    try:
        async with asyncio.timeout(context.timeout):
            result = await tool.call(effect.arguments, context)
    except LeftToPerson:
        return None
    except ToolFailed as told:
        error = str(told) or "The tool failed."
    except TimeoutError:
        error = f"{effect.name} gave no answer within {context.timeout:g} seconds."
    return ToolDone(
        at=time.time(),
        key=effect.key,
        result=_shown(result, binding),
        error=_shown(error, binding),
    )


def may_run_commands(row: Run) -> bool:
    """Only where operator and starter both said so."""
    return bool(settings.SIGNALBOX_COMMANDS and row.options.get("commands") is True)


async def workspace(row: Run) -> Path:
    """The run's own folder, filled with the pack's files the first time."""
    files = (await asyncio.to_thread(opened, row.pack, row.revision)).files
    return await asyncio.to_thread(sandbox.workspace, settings.DATA / "workspaces", row.pk, files)


def _context(row: Run, effect: CallTool, binding: Bound) -> Context:
    return Context(
        name=effect.name,
        pack=row.pack_id,
        key=f"{row.pk}:{effect.key}",
        settings=binding.settings,
        secrets=binding.secrets,
        commands=may_run_commands(row),
        private_hosts=tuple(settings.SIGNALBOX_PRIVATE_HOSTS),
        workspace=lambda: workspace(row),
    )


def _shown(text: str, binding: Bound) -> str:
    """No longer than a model should hear, fit to be stored, and without the secrets."""
    for secret in binding.secrets.values():
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "•••")
    cut = len(text) - LONGEST_RESULT
    if cut > 0:
        text = f"{text[:LONGEST_RESULT]}\n… {cut:,} more characters"
    return storable(text)
