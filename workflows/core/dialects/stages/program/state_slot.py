"""Writes to the state slot, and results of branches for their join.

Outside forks the slot is the run's artifacts. A branch keeps its own values until all branches
reach the join; a failed fork writes nothing (stages.md sections 8.1 and 10.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.stages.program.context import ExecutionContext, owner_of
from workflows.core.engine.events import Draft


def record_result(context: ExecutionContext, result: Mapping[str, Any]) -> None:
    """Keep the sibling's own result for the join; later stages of its branch do not replace it."""
    branch = context.memory.get("branch")
    if branch is not None and branch["result"] is None:
        fields = {"sibling": branch["sibling"]}
        context.emit("sibling", fields, branch={**branch, "result": result})


def write_slot(context: ExecutionContext, written: Mapping[str, Any]) -> None:
    """Write values by name. Later stages of this branch see them at once."""
    if not written:
        return
    context.slot.update(written)
    if owner_of(context.position):
        _keep_in_branch(context, written)
        return
    for name, value in written.items():
        context.drafts.append(Draft(type="artifact.set", fields={"name": name, "value": value}))


def _keep_in_branch(context: ExecutionContext, written: Mapping[str, Any]) -> None:
    fields = {"names": sorted(written)}
    own = context.memory.get("branch")
    if own is not None:
        kept = {**own["written"], **written}
        context.emit("slot", fields, branch={**own, "written": kept})
        return
    owner = context.run.position(owner_of(context.position))
    branch = owner.memory["branch"]
    memory = {"branch": {**branch, "written": {**branch["written"], **written}}}
    context.emit_at(owner, "slot", {**fields, "memory": memory})
