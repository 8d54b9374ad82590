"""What a stage leaves in the state slot, and a branch for the stage where branches meet.

Outside forks the slot is the run's artifacts. A branch keeps what it writes to itself until all of
them meet; a fork that fails leaves nothing of it (stages.md sections 8.1 and 10.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.stages.program.context import ExecutionContext, owner_of
from workflows.core.engine.events import Draft


def record_result(context: ExecutionContext, result: Mapping[str, Any]) -> None:
    """The join sees the sibling's own result, whatever its branch goes on to do."""
    branch = context.memory.get("branch")
    if branch is not None and branch["result"] is None:
        fields = {"sibling": branch["sibling"]}
        context.tell("sibling", fields, branch={**branch, "result": result})


def write_slot(context: ExecutionContext, written: Mapping[str, Any]) -> None:
    """Values by name; whoever comes next on this branch sees them at once."""
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
        context.tell("slot", fields, branch={**own, "written": kept})
        return
    owner = context.run.position(owner_of(context.position))
    branch = owner.memory["branch"]
    memory = {"branch": {**branch, "written": {**branch["written"], **written}}}
    context.tell_at(owner, "slot", {**fields, "memory": memory})
