"""The end of a branch: of the run, of one of several that run one by one, or of a parallel one:
where that failed, those beside it end too (stages.md sections 7.4 and 10.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.stages.program.cancellation import cancel_stage
from workflows.core.dialects.stages.program.context import Scene
from workflows.core.dialects.stages.program.faults import Fault, host
from workflows.core.engine.program import End, Join, Outcome
from workflows.core.engine.run import Position


def over(scene: Scene, result: Mapping[str, Any], *, routed: bool) -> Outcome:
    """Nothing follows this stage. `routed`: a rule says so; else a `fail` is the branch's own."""
    verdict, reason = result["verdict"], result.get("reason", "")
    in_fork = scene.memory.get("kind") == "parallel" and not scene.memory.get("joining")
    if verdict == "fail" and not routed and not in_fork:
        return fail(scene, _failure(scene, reason))
    return finish(scene, verdict, reason)


def _failure(scene: Scene, reason: str) -> Fault:
    why = f": {reason}" if reason else ""
    if scene.memory.get("joining"):
        message = f"The join {scene.stage.id!r} failed{why}."
        return host("LifecycleFailure", message, phase="Assert", stageId=scene.stage.id)
    return Fault(
        kind="ExtensionHost",
        code="SignalboxStageFailed",
        message=f"The stage {scene.stage.id!r} failed{why}, and no rule says what then.",
        context={"stageId": scene.stage.id},
    )


def finish(scene: Scene, verdict: str, reason: str = "") -> Outcome:
    """This branch is through. In a fork its last verdict counts, and only ok is ok."""
    match scene.memory.get("kind"):
        case "parallel" if verdict == "ok":
            return _report(scene)
        case "parallel":
            why = f": {reason}" if reason else ""
            message = f"The stage {scene.stage.id!r} ended with {verdict}{why}."
            context = {"stageId": scene.stage.id, "verdict": verdict}
            return fail(scene, host("SignalboxStageFailed", message, **context))
        case "sequence":
            return _step_done(scene, {"verdict": verdict})
        case _:
            return scene.out(End(status="completed", reason=reason))


def fail(scene: Scene, fault: Fault) -> Outcome:
    """This branch has failed: so has the fork that it belongs to, or the run."""
    match scene.memory.get("kind"):
        case "parallel":
            return _fail_group(scene, fault)
        case "sequence":
            return _step_done(scene, {"failed": fault.to_json()})
        case _:
            scene.tell("error", fault.to_json())
            return scene.out(End(status="failed", reason=fault.message))


def _parent(scene: Scene) -> Position:
    return scene.run.position(scene.position.id.rpartition(".")[0])


def _report(scene: Scene) -> Outcome:
    parent, branch = _parent(scene), scene.memory["branch"]
    name = done_note(parent.memory["group"]["compound"], branch["sibling"])
    note = {"result": branch["result"], "written": branch["written"]}
    about = {"sibling": branch["sibling"], "memory": {name: note}}
    scene.tell_at(parent, "branch_done", about)
    return scene.out(Join())


def done_note(compound: str, sibling: str) -> str:
    """Under which name the forking position notes what a branch came to."""
    return f"done:{compound}:{sibling}"


def failed_note(compound: str) -> str:
    """Under which name it notes that one has failed."""
    return f"failed:{compound}"


def _step_done(scene: Scene, news: Mapping[str, Any]) -> Outcome:
    parent = _parent(scene)
    queue = {**parent.memory["queue"], **news}
    scene.tell_at(parent, "queue", {"stages": queue["left"], "memory": {"queue": queue}})
    return scene.out(Join())


def _fail_group(scene: Scene, fault: Fault) -> Outcome:
    """The first sibling that is not ok cancels the others (fail-fast)."""
    parent, sibling = _parent(scene), scene.memory["branch"]["sibling"]
    compound = parent.memory["group"]["compound"]
    failure = host(
        "ParallelSiblingFailure",
        f"The parallel stage {sibling!r} did not succeed, so the others were cancelled. "
        f"{fault.message}",
        failedSibling=sibling,
        failedSiblingId=sibling,
        compoundTurnId=compound,
        joinReady=False,
        cause=fault.to_json(),
    )
    scene.tell_at(
        parent,
        "parallel_failure",
        {**failure.to_json(), "memory": {failed_note(compound): failure.to_json()}},
    )
    for other in scene.run.positions:
        mine = other.id == scene.position.id or other.id.startswith(f"{scene.position.id}.")
        if other.id.startswith(f"{parent.id}.") and not mine:
            scene.drafts.extend(cancel_stage(scene.run, other, f"{sibling!r} failed."))
    return scene.out(Join(cancel_others=True))
