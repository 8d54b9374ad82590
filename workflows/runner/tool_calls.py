"""Calls of a pack's tools through their bindings."""

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
from workflows.actions.unperformed_effects import LeftToPerson
from workflows.core.engine.effects import AskHuman, CallTool
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Approve, ToolDone
from workflows.db.text import to_storable
from workflows.errors import CallerError
from workflows.models import Run
from workflows.repos.repository import allowed_roots
from workflows.runner import permissions, planning_mode, workspace_diff
from workflows.runner.database_threads import in_thread
from workflows.runner.sandbox import CommandFiles
from workflows.runner.tools import tools
from workflows.runner.tools.base import Context, NeedsPerson, ToolFailed
from workflows.runner.tools.execution import call_tool
from workflows.runner.workspaces import (
    RunPlace,
    Workspace,
    WorkspaceChoice,
    WorkspaceUnavailable,
    journal_of,
    open_workspace,
)
from workflows.selectors.sources import opened
from workflows.selectors.tool_bindings import Bound, bound


async def call(row: Run, run: RunState, effect: CallTool) -> ToolDone | LeftToPerson:
    """The result of the call. Left to a person: the tool is not bound, its binding asks first, or
    it may not be used here. Errors are sent to the model."""
    if is_memory_call(row, effect):
        return await in_thread(_call_memory, row, effect)
    binding = await in_thread(bound, row, effect.name)
    tool = tools().get(binding.kind) if binding else None
    if binding is None or tool is None:
        return permissions.unbound(effect)
    context = await _context(row, run, effect, binding)
    if binding.settings.get("ask") and not permissions.is_allowed(run, effect):
        try:
            await tool.check_rights(effect.arguments, context)
        except ToolFailed as forbidden:
            return ToolDone(at=time.time(), key=effect.key, error=str(forbidden), called=False)
        return permissions.asks_first(effect, tool.label)
    before = await _snapshot(context) if effect.diff else None
    try:
        result, error = await call_tool(tool, effect.arguments, context)
    except NeedsPerson:
        return await in_thread(
            permissions.call_left_to_person, row, effect.name, tool.label, binding
        )
    return ToolDone(
        at=time.time(),
        key=effect.key,
        result=result,
        error=error,
        diff=await _diff(context, before) if before else "",
    )


async def decided_approval(row: Run, run: RunState, effect: AskHuman) -> Approve | None:
    """The denial of a call that this run's mode forbids, or the approval of one whose tool a person
    allowed for the rest of the run; None if a person decides."""
    if effect.kind != "approve" or not effect.call:
        return None
    denial = await _forbidden_approval(row, run, effect, effect.call)
    if denial is None and str(effect.call.get("name", "")) in run.allowed_tools:
        return Approve(at=time.time(), key=effect.key)
    return denial


async def _forbidden_approval(
    row: Run, run: RunState, effect: AskHuman, call: Mapping[str, Any]
) -> Approve | None:
    if not planning_mode.is_planning(row.options):
        return None
    wanted = CallTool(
        key=effect.key,
        position=effect.position,
        state=effect.state,
        name=str(call.get("name", "")),
        arguments=call.get("arguments") or {},
    )
    binding = await in_thread(bound, row, wanted.name)
    tool = tools().get(binding.kind) if binding else None
    if binding is None or tool is None:
        return None
    try:
        context = await _context(row, run, wanted, binding)
        await tool.check_rights(wanted.arguments, context)
    except ToolFailed as forbidden:
        return Approve(at=time.time(), key=effect.key, approve=False, text=str(forbidden))
    return None


async def _snapshot(context: Context) -> workspace_diff.Snapshot:
    return await asyncio.to_thread(workspace_diff.take_snapshot, await context.workspace())


async def _diff(context: Context, before: workspace_diff.Snapshot) -> str:
    after = await _snapshot(context)
    return to_storable(await asyncio.to_thread(workspace_diff.unified_diff, before, after))


def is_memory_call(row: Run, effect: CallTool) -> bool:
    """Return True for a call of the memory of the role at this state."""
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
    except MemoryRefused as refusal:
        error = refusal.message
    return ToolDone(at=time.time(), key=effect.key, result=result, error=error)


async def workspace(row: Run) -> Workspace:
    """The run's workspace, made on the first call. Raises WorkspaceUnavailable."""
    files = (await in_thread(opened, row.pack, row.revision)).files
    try:
        return await asyncio.to_thread(open_workspace, place_of(row, files))
    except CallerError as refused:
        raise WorkspaceUnavailable(refused.message) from refused


def place_of(row: Run, files: Mapping[str, bytes]) -> RunPlace:
    """The place of this run's workspace."""
    root = settings.DATA / "workspaces"
    choice = WorkspaceChoice.of(row.options)
    return RunPlace(
        root=root, name=str(row.pk), choice=choice, files=files, allowed=allowed_roots()
    )


async def _context(row: Run, run: RunState, effect: CallTool, binding: Bound) -> Context:
    async def folder() -> Path:
        return (await workspace(row)).folder

    async def environment() -> Mapping[str, str]:
        return (await workspace(row)).environment

    async def files() -> CommandFiles:
        return (await workspace(row)).files

    return Context(
        name=effect.name,
        pack=row.pack_id,
        key=f"{row.pk}:{effect.key}",
        settings=binding.settings,
        secrets=binding.secrets,
        commands=await in_thread(permissions.may_perform_command, row, run, effect, binding),
        private_hosts=tuple(settings.SIGNALBOX_PRIVATE_HOSTS),
        workspace=folder,
        environment=environment,
        files=files,
        run=str(row.pk),
        owner=row.owner_id,
        planning=planning_mode.is_planning(row.options),
        within=planning_mode.writable_folders(row.options, effect.within),
        journal=journal_of(place_of(row, {}), effect.key),
    )
