"""A call of one of the pack's tools → what it is bound to → its result."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from roles.actions import memory
from roles.errors import MemoryRefused
from workflows.actions.role_prompts import MEMORY_TOOL_NAMES, project_of
from workflows.core.engine.effects import CallTool
from workflows.core.engine.signals import ToolDone
from workflows.db.text import to_storable
from workflows.models import Run
from workflows.runner import planning_mode, sandbox, workspace_diff
from workflows.runner.database_threads import in_thread
from workflows.runner.tools import tools
from workflows.runner.tools.base import MAX_RESULT, Context, NeedsPerson, Tool, ToolFailed
from workflows.selectors.sources import opened
from workflows.selectors.tool_bindings import Bound, bound

MIN_SECRET = 6
"""Characters of a secret that is looked for in results; shorter ones would be everywhere."""


async def call(row: Run, effect: CallTool) -> ToolDone | None:
    """None: the tool is not bound, or what it is bound to may not be done here, so a person is
    asked. What goes wrong is told to the model."""
    if is_memory_call(row, effect):
        return await in_thread(_call_memory, row, effect)
    binding = await in_thread(bound, row, effect.name)
    tool = tools().get(binding.kind) if binding else None
    if binding is None or tool is None:
        return None
    context = _context(row, effect, binding)
    before = await _snapshot(context) if effect.diff else None
    try:
        result, error = await call_tool(tool, effect.arguments, context)
    except NeedsPerson:
        return None
    return ToolDone(
        at=time.time(),
        key=effect.key,
        result=result,
        error=error,
        diff=await _diff(context, before) if before else "",
    )


async def call_tool(tool: Tool, arguments: Mapping[str, Any], context: Context) -> tuple[str, str]:
    """The result and the error of one call, one of them "", as the model hears them. Raises
    LeftToPerson."""
    result = error = ""
    try:
        async with asyncio.timeout(context.timeout):
            result = await tool.call(arguments, context)
    except ToolFailed as told:
        error = str(told) or "The tool failed."
    except TimeoutError:
        error = f"{context.name} gave no answer within {context.timeout:g} seconds."
    return _clean_result(result, context.secrets), _clean_result(error, context.secrets)


async def _snapshot(context: Context) -> workspace_diff.Snapshot:
    return await asyncio.to_thread(workspace_diff.take_snapshot, await context.workspace())


async def _diff(context: Context, before: workspace_diff.Snapshot) -> str:
    after = await _snapshot(context)
    return to_storable(await asyncio.to_thread(workspace_diff.unified_diff, before, after))


def is_memory_call(row: Run, effect: CallTool) -> bool:
    """Whether this is a call of the memory of the role that works in the state."""
    return effect.state in row.options.get("roles", {}) and effect.name in MEMORY_TOOL_NAMES


def _call_memory(row: Run, effect: CallTool) -> ToolDone:
    role = row.options["roles"][effect.state]["role"]
    profile = role["prompt_config"].get("memory_profile", {})
    result = error = ""
    try:
        answer = memory.call(
            effect.name,
            effect.arguments,
            role=role["id"],
            project=project_of(row.pack),
            priority=tuple(profile.get("priority_categories", ())),
        )
        result = json.dumps(answer, ensure_ascii=False)
    except MemoryRefused as refused:
        error = refused.message
    return ToolDone(at=time.time(), key=effect.key, result=result, error=error)


def may_run_commands(row: Run) -> bool:
    """Only where operator and starter both said so."""
    return bool(settings.SIGNALBOX_COMMANDS and row.options.get("commands") is True)


async def workspace(row: Run) -> Path:
    """The run's own folder, filled with the pack's files the first time."""
    files = (await in_thread(opened, row.pack, row.revision)).files
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
        planning=planning_mode.is_planning(row.options),
        within=planning_mode.writable_folders(row.options, effect.within),
    )


def _clean_result(text: str, secrets: Mapping[str, str]) -> str:
    """No longer than a model should hear, fit to be stored, and without the secrets."""
    for secret in secrets.values():
        if len(secret) >= MIN_SECRET:
            text = text.replace(secret, "•••")
    cut = len(text) - MAX_RESULT
    if cut > 0:
        text = f"{text[:MAX_RESULT]}\n… {cut:,} more characters"
    return to_storable(text)
