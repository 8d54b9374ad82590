"""Where a run goes after a stage: on, several at once, one after another, and together again
(stages.md section 10).

In a position's memory: `kind` is `parallel` for a branch of a fork and `sequence` for one of
several stages that are run one by one; a parallel branch has `branch` (`sibling`, its `result`, and
what it has `written` to the slot), and the stages below it name its position as `owner`. `compound`
is the fork's turn. A position that waits for branches has `group` (parallel), with a note of its
own for each branch that is in (endings.py), or `queue` (one by one).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.stages.format.parts import Plan
from workflows.core.dialects.stages.graph.labels import FAILURE, JOIN
from workflows.core.dialects.stages.program.context import Scene, outer_fork, owner_of
from workflows.core.dialects.stages.program.endings import done_note, fail, failed_note, finish
from workflows.core.dialects.stages.program.faults import Fault, host
from workflows.core.dialects.stages.program.stage_context import workflow_run_id
from workflows.core.dialects.stages.program.state_slot import write_slot
from workflows.core.engine.program import Again, End, Fork, Outcome, Take

# -- on ---------------------------------------------------------------------------------------


def follow(scene: Scene, plan: Plan, label: str, result: Mapping[str, Any]) -> Outcome:
    """Take a plan that leads somewhere. `result` is what its stages see of this one."""
    if plan.parallel:
        return _fork(scene, plan, label, result)
    if len(plan.siblings) > 1:
        queue = {"left": list(plan.siblings), "label": label, "result": result, "verdict": "ok"}
        scene.tell("queue", {"stages": list(plan.siblings)}, phase="queue", queue=queue)
        return scene.out(Again())
    (target,) = plan.siblings
    if _full(scene, target):
        return _used_up(scene, target)
    memory = {**_carried(scene.memory), "upstream": [result]}
    return scene.out(Take(target=target, label=label, memory=tuple(memory.items())))


def _carried(memory: Mapping[str, Any]) -> dict[str, Any]:
    """What the next stay of the same branch goes on with."""
    kept = {name: memory[name] for name in ("kind", "owner", "branch") if name in memory}
    compound = outer_fork(memory)
    return {**kept, "compound": compound} if compound else kept


def _full(scene: Scene, target: str) -> bool:
    most = scene.play.stages[target].most_visits
    return most is not None and scene.run.visits.get(target, 0) >= most


def _used_up(scene: Scene, target: str) -> Outcome:
    most = scene.play.stages[target].most_visits
    reason = (
        f"{target!r} was entered {most} times, as often as its maxVisits allows, and no rule of "
        f"{scene.stage.id!r} leads anywhere else."
    )
    return scene.out(End(status="budget_exhausted", reason=reason))


# -- several, one by one ----------------------------------------------------------------------


def next_in_queue(scene: Scene) -> Outcome:
    """The next of several successors, once the one before it is through with all that follows."""
    queue = scene.memory["queue"]
    if "failed" in queue:
        return fail(scene, Fault.from_json(queue["failed"]))
    if not queue["left"]:
        return finish(scene, queue["verdict"])
    target, *left = queue["left"]
    if _full(scene, target):
        return _used_up(scene, target)
    scene.tell("queue", {"stages": left}, queue={**queue, "left": left})
    memory: dict[str, Any] = {"kind": "sequence", "upstream": [queue["result"]]}
    if owner := owner_of(scene.position):
        memory["owner"] = owner
    if compound := outer_fork(scene.memory):
        memory["compound"] = compound
    take = Take(target=target, label=queue["label"], memory=tuple(memory.items()))
    return scene.out(Fork(takes=(take,)))


# -- several at once --------------------------------------------------------------------------


def _fork(scene: Scene, plan: Plan, label: str, result: Mapping[str, Any]) -> Outcome:
    """All siblings from one snapshot. Each sees nothing of the forking stage (section 10.4)."""
    full = next((target for target in plan.siblings if _full(scene, target)), None)
    if full is not None:
        return _used_up(scene, full)
    number = f"{scene.position.visit}-{scene.run.branches.get(scene.position.id, 0) + 1}"
    compound = f"{workflow_run_id(scene.run)}:{scene.stage.id}:compound:{number}"
    group = {
        "compound": compound,
        "siblings": list(plan.siblings),
        "join": plan.join,
        "slot": dict(scene.slot),
        "result": result,
    }
    about = {"siblings": group["siblings"], "join": plan.join, "compoundTurnId": compound}
    scene.tell("fork", about, phase="group", group=group)
    _tell_turn(scene, "start", compound)
    takes = tuple(
        Take(target=sibling, label=label, memory=tuple(_sibling(sibling, compound).items()))
        for sibling in plan.siblings
    )
    return scene.out(Fork(takes=takes))


def _tell_turn(scene: Scene, edge: str, compound: str) -> None:
    """A fork that lies in no other is a session turn, its join included."""
    if not outer_fork(scene.memory):
        name = "SessionTurnStart" if edge == "start" else "SessionTurnEnd"
        scene.tell("turn", {"edge": edge, "audit": name, "parentCompoundTurnId": compound})


def _sibling(stage: str, compound: str) -> dict[str, Any]:
    branch: dict[str, Any] = {"sibling": stage, "result": None, "written": {}}
    return {"kind": "parallel", "branch": branch, "compound": compound, "upstream": []}


def group_goes_on(scene: Scene) -> Outcome:
    """Every branch is in, or one has failed."""
    group = scene.memory["group"]
    compound, siblings = group["compound"], group["siblings"]
    failed = scene.memory.get(failed_note(compound))
    if failed is not None:
        _tell_turn(scene, "end", compound)
        return _after_failure(scene, group, Fault.from_json(failed))
    notes = {name: scene.memory.get(done_note(compound, name)) for name in siblings}
    done = {name: note for name, note in notes.items() if note is not None}
    for note in done.values():  # in the order of nextStages, whichever branch was done first
        write_slot(scene, note["written"])
    if group["join"] is None:
        _tell_turn(scene, "end", compound)
        return finish(scene, "ok")
    return _meet(scene, group, {name: note["result"] for name, note in done.items()})


def _after_failure(scene: Scene, group: Mapping[str, Any], failed: Fault) -> Outcome:
    plan = scene.stage.failure
    if plan is None or plan.ends:
        return fail(scene, failed)
    return follow(scene, plan, FAILURE, group["result"])


def _meet(scene: Scene, group: Mapping[str, Any], results: Mapping[str, Any]) -> Outcome:
    target, siblings = group["join"], group["siblings"]
    lacking = join_problem(siblings, dict.fromkeys(results, "ok"))
    if lacking is not None:
        return fail(scene, lacking)
    if _full(scene, target):
        return _used_up(scene, target)
    memory = {
        **_carried(scene.memory),
        "compound": group["compound"],
        "outer": outer_fork(scene.memory),
        "joining": True,
        "turn": "" if outer_fork(scene.memory) else "open",
        "siblings": siblings,
        "upstream": [results[sibling] for sibling in siblings],
    }
    sources = tuple(siblings)
    return scene.out(Take(target=target, label=JOIN, memory=tuple(memory.items()), sources=sources))


def join_problem(siblings: list[str], verdicts: Mapping[str, str]) -> Fault | None:
    """A join never runs for branches that are not all ok."""
    bad = [name for name in siblings if verdicts.get(name) != "ok"]
    if not bad:
        return None
    names = ", ".join(map(repr, bad))
    return host("JoinPreconditionViolated", f"The branches {names} are not ok.", siblings=bad)
