"""The tool kind that reads a pack of this server and proposes edits of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.contrib.auth.models import User

from workflows.actions.agent_tools import PackTools, pack_tools
from workflows.actions.proposals import keep
from workflows.agent_tools.calls import CallEnded, as_text
from workflows.agent_tools.packs import Answer, Report
from workflows.core.pack.edits import edits_from_json
from workflows.models import Proposal, RunEvent
from workflows.runner.database_threads import in_thread
from workflows.runner.tools.base import Context, ToolFailed

REPAIRS = 3
"""Proposals with new errors or warnings that a model may replace before a person sees one."""
REPAIR = (
    "These edits are not shown yet, because they bring new findings. Repair them and propose the "
    "whole again ({} left), or propose the same edits again to show them as they are."
)
SHOWN = "The person sees the proposal and decides about its parts. End with a short answer."
ONCE = {
    "error": "This run has shown its proposal already.",
    "next": "End with a short answer. The person decides.",
}
ONE_AT_A_TIME = {
    "error": "Another proposal of this run is being computed.",
    "next": "Wait for its result.",
}


class PackTool:
    """A tool of `pack_tools` by its name, with the rights of the run's owner. The first edits
    without new errors or warnings are kept as a proposal, else the fourth ones."""

    name = "pack"
    label = "Pack of this server"
    touches = "Reads one pack and proposes edits, with the rights of the run's owner."
    settings: Mapping[str, Any] = {
        "pack": {"type": "integer", "minimum": 1, "description": "The id of the pack."},
        "note": {"type": "string", "maxLength": 500, "description": "The note of proposals."},
    }
    required: tuple[str, ...] = ("pack",)

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        return "The tools of a pack take no secrets." if secrets else ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return False

    async def check_rights(self, arguments: Mapping[str, Any], context: Context) -> None:
        return None

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        ended = threading.Event()

        def report(stage: str) -> None:
            if ended.is_set():
                raise CallEnded

        try:
            answer = await in_thread(partial(_answer, arguments, context, report))
        finally:
            ended.set()
        if "error" in answer:
            raise ToolFailed(as_text(answer))
        return as_text(answer)


def _answer(arguments: Mapping[str, Any], context: Context, report: Report) -> Answer:
    owner = User.objects.filter(pk=context.owner or 0).first()
    if owner is None:
        raise ToolFailed("This run has no owner, so it may read no pack.")
    tools = pack_tools(owner, context.settings["pack"])
    if context.name == "propose":
        return _proposed(tools, arguments, context, report)
    return tools.call(context.name, arguments, report)


def _proposed(
    tools: PackTools, arguments: Mapping[str, Any], context: Context, report: Report
) -> Answer:
    """The consequences of edits. They are kept if they need no repair, were sent twice, or cannot
    be repaired again."""
    earlier = _earlier(context)
    if any(result is None for _, result in earlier):
        return dict(ONE_AT_A_TIME)
    if any("proposal" in (result or {}) for _, result in earlier):
        return dict(ONCE)
    answer = tools.call("propose", arguments, report)
    if "error" in answer:
        return answer
    left = REPAIRS - len(earlier)
    is_new = all(arguments["edits"] != sent for sent, _ in earlier)
    bad = [one for one in answer.get("findings_new", ()) if one["level"] in ("error", "warning")]
    if bad and left > 0 and is_new:
        return {**answer, "note": REPAIR.format(left)}
    return {**answer, "proposal": _kept(tools, arguments, answer, context), "note": SHOWN}


def _earlier(context: Context) -> list[tuple[Any, dict[str, Any] | None]]:
    """The edits and the result of each earlier call of this tool in the run; None for a call that
    is still performed, and {} for an error."""
    log = RunEvent.objects.filter(run_id=context.run, type__in=("tool.asked", "tool.returned"))
    calls: dict[str, tuple[Any, dict[str, Any] | None]] = {}
    for event in log.order_by("n"):
        key = event.fields.get("key", "")
        if event.type == "tool.returned" and key in calls:
            calls[key] = calls[key][0], _object(event.fields.get("result"))
        elif event.type == "tool.asked" and event.fields.get("name") == context.name:
            if context.key == f"{context.run}:{key}":
                break
            calls[key] = (event.fields.get("arguments") or {}).get("edits"), None
    return list(calls.values())


def _object(text: Any) -> dict[str, Any]:
    """The object in a result, {} for none. People may have answered instead of the tool."""
    try:
        value = json.loads(str(text))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _kept(tools: PackTools, arguments: Mapping[str, Any], answer: Answer, context: Context) -> int:
    """The id of the stored proposal. A repeated call finds the one that it stored before."""
    user, edits = tools.packs.user, edits_from_json(arguments["edits"])
    base, note = int(answer["revision"]), str(context.settings.get("note", ""))
    bodies = [one.to_json() for one in edits]
    for row in Proposal.objects.filter(pack=tools.pack, author=user, base=base, note=note):
        if row.edits == bodies and row.status == Proposal.Status.PENDING:
            return row.pk
    parts = answer.get("parts") or [list(range(len(edits)))]
    return keep(tools.pack, base, edits, parts, user, note).pk


TOOL = PackTool()
