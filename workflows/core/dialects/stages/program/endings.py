"""Ends of branches: of the run, of a queued stage and of a parallel branch. A failed parallel
branch cancels its siblings (stages.md sections 7.4 and 10.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.stages.program.cancellation import cancel_stage
from workflows.core.dialects.stages.program.context import ExecutionContext
from workflows.core.dialects.stages.program.faults import Fault, host_fault
from workflows.core.engine.program import End, Join, Outcome
from workflows.core.engine.run import Position


def end_stage(context: ExecutionContext, result: Mapping[str, Any], *, routed: bool) -> Outcome:
    """End the branch after this stage. `routed`: a case or `next` matched; otherwise `fail` is a
    failure of the branch itself."""
    verdict, reason = result["verdict"], result.get("reason", "")
    in_fork = context.memory.get("kind") == "parallel" and not context.memory.get("joining")
    if verdict == "fail" and not routed and not in_fork:
        return fail(context, _failure(context, reason))
    return finish(context, verdict, reason)


def _failure(context: ExecutionContext, reason: str) -> Fault:
    why = f": {reason}" if reason else ""
    if context.memory.get("joining"):
        message = f"The join {context.stage.id!r} failed{why}."
        return host_fault("LifecycleFailure", message, phase="Assert", stageId=context.stage.id)
    return Fault(
        kind="ExtensionHost",
        code="SignalboxStageFailed",
        message=f"Stage {context.stage.id!r} failed{why}, and no case handles the failure.",
        context={"stageId": context.stage.id},
    )


def finish(context: ExecutionContext, verdict: str, reason: str = "") -> Outcome:
    """End this branch. In a fork, only a last verdict of ok counts as success."""
    match context.memory.get("kind"):
        case "parallel" if verdict == "ok":
            return _report_branch(context)
        case "parallel":
            why = f": {reason}" if reason else ""
            message = f"Stage {context.stage.id!r} ended with {verdict}{why}."
            details = {"stageId": context.stage.id, "verdict": verdict}
            return fail(context, host_fault("SignalboxStageFailed", message, **details))
        case "sequence":
            return _end_queued_stage(context, {"verdict": verdict})
        case _:
            return context.out(End(status="completed", reason=reason))


def fail(context: ExecutionContext, fault: Fault) -> Outcome:
    """End this branch, and its fork or the run, as failed."""
    match context.memory.get("kind"):
        case "parallel":
            return _fail_group(context, fault)
        case "sequence":
            return _end_queued_stage(context, {"failed": fault.to_json()})
        case _:
            context.emit("error", fault.to_json())
            return context.out(End(status="failed", reason=fault.message))


def _parent(context: ExecutionContext) -> Position:
    return context.run.position(context.position.id.rpartition(".")[0])


def _report_branch(context: ExecutionContext) -> Outcome:
    parent, branch = _parent(context), context.memory["branch"]
    name = done_key(parent.memory["group"]["compound"], branch["sibling"])
    note = {"result": branch["result"], "written": branch["written"]}
    about = {"sibling": branch["sibling"], "memory": {name: note}}
    context.emit_at(parent, "branch_done", about)
    return context.out(Join())


def done_key(compound: str, sibling: str) -> str:
    """The memory key of a forking position for the result of an ended branch."""
    return f"done:{compound}:{sibling}"


def failed_key(compound: str) -> str:
    """The memory key of a forking position for the fault of a failed branch."""
    return f"failed:{compound}"


def _end_queued_stage(context: ExecutionContext, changes: Mapping[str, Any]) -> Outcome:
    parent = _parent(context)
    queue = {**parent.memory["queue"], **changes}
    context.emit_at(parent, "queue", {"stages": queue["left"], "memory": {"queue": queue}})
    return context.out(Join())


def _fail_group(context: ExecutionContext, fault: Fault) -> Outcome:
    """Cancel the siblings after the first one that is not ok (fail-fast)."""
    parent, sibling = _parent(context), context.memory["branch"]["sibling"]
    compound = parent.memory["group"]["compound"]
    failure = host_fault(
        "ParallelSiblingFailure",
        f"The parallel stage {sibling!r} did not succeed, so its siblings were cancelled. "
        f"{fault.message}",
        failedSibling=sibling,
        failedSiblingId=sibling,
        compoundTurnId=compound,
        joinReady=False,
        cause=fault.to_json(),
    )
    context.emit_at(
        parent,
        "parallel_failure",
        {**failure.to_json(), "memory": {failed_key(compound): failure.to_json()}},
    )
    for other in context.run.positions:
        mine = other.id == context.position.id or other.id.startswith(f"{context.position.id}.")
        if other.id.startswith(f"{parent.id}.") and not mine:
            context.drafts.extend(cancel_stage(context.run, other, f"{sibling!r} failed."))
    return context.out(Join(cancel_others=True))
