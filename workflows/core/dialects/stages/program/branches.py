"""Transitions after a stage: to one stage, to a fork, to a queue of stages, and to a join
(stages.md section 10).

Keys of a position's memory: `kind` is `parallel` for a branch of a fork and `sequence` for one of
several queued stages. A parallel branch has `branch` (`sibling`, its `result`, and `written`, its
slot values), and the stages after it name its position as `owner`. `compound` is the fork's turn. A
position that waits for branches has `group` (parallel), with an entry for each ended branch
(endings.py), or `queue` (sequential).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.stages.format.parts import Plan
from workflows.core.dialects.stages.graph.labels import FAILURE, JOIN
from workflows.core.dialects.stages.program.context import ExecutionContext, outer_fork, owner_of
from workflows.core.dialects.stages.program.endings import done_key, fail, failed_key, finish
from workflows.core.dialects.stages.program.faults import Fault, host_fault
from workflows.core.dialects.stages.program.stage_context import workflow_run_id
from workflows.core.dialects.stages.program.state_slot import write_slot
from workflows.core.engine.program import Again, End, Fork, Outcome, Take

# -- one successor ---------------------------------------------------------------------------


def follow(context: ExecutionContext, plan: Plan, label: str, result: Mapping[str, Any]) -> Outcome:
    """Take a plan that has stages. `result` is the result of this stage, as they get it."""
    if plan.parallel:
        return _fork(context, plan, label, result)
    if len(plan.siblings) > 1:
        queue = {"left": list(plan.siblings), "label": label, "result": result, "verdict": "ok"}
        context.emit("queue", {"stages": list(plan.siblings)}, phase="queue", queue=queue)
        return context.out(Again())
    (target,) = plan.siblings
    if _visits_exhausted(context, target):
        return _end_exhausted(context, target)
    memory = {**_inherited_memory(context.memory), "upstream": [result]}
    return context.out(Take(target=target, label=label, memory=tuple(memory.items())))


def _inherited_memory(memory: Mapping[str, Any]) -> dict[str, Any]:
    """Memory that the next visit of the same branch keeps."""
    kept = {name: memory[name] for name in ("kind", "owner", "branch") if name in memory}
    compound = outer_fork(memory)
    return {**kept, "compound": compound} if compound else kept


def _visits_exhausted(context: ExecutionContext, target: str) -> bool:
    most = context.pipeline.stages[target].max_visits
    return most is not None and context.run.visits.get(target, 0) >= most


def _end_exhausted(context: ExecutionContext, target: str) -> Outcome:
    most = context.pipeline.stages[target].max_visits
    reason = (
        f"{target!r} was entered {most} times, the maximum that its maxVisits allows, and no case "
        f"of {context.stage.id!r} leads to another stage."
    )
    return context.out(End(status="budget_exhausted", reason=reason))


# -- several successors in sequence ----------------------------------------------------------


def next_in_queue(context: ExecutionContext) -> Outcome:
    """Start the next of several successors when the previous one and its own successors have
    ended."""
    queue = context.memory["queue"]
    if "failed" in queue:
        return fail(context, Fault.from_json(queue["failed"]))
    if not queue["left"]:
        return finish(context, queue["verdict"])
    target, *left = queue["left"]
    if _visits_exhausted(context, target):
        return _end_exhausted(context, target)
    context.emit("queue", {"stages": left}, queue={**queue, "left": left})
    memory: dict[str, Any] = {"kind": "sequence", "upstream": [queue["result"]]}
    if owner := owner_of(context.position):
        memory["owner"] = owner
    if compound := outer_fork(context.memory):
        memory["compound"] = compound
    take = Take(target=target, label=queue["label"], memory=tuple(memory.items()))
    return context.out(Fork(takes=(take,)))


# -- several successors in parallel ----------------------------------------------------------


def _fork(context: ExecutionContext, plan: Plan, label: str, result: Mapping[str, Any]) -> Outcome:
    """Start all siblings from one snapshot. They get no results of the forking stage (section
    10.4)."""
    full = next((target for target in plan.siblings if _visits_exhausted(context, target)), None)
    if full is not None:
        return _end_exhausted(context, full)
    number = f"{context.position.visit}-{context.run.branches.get(context.position.id, 0) + 1}"
    compound = f"{workflow_run_id(context.run)}:{context.stage.id}:compound:{number}"
    group = {
        "compound": compound,
        "siblings": list(plan.siblings),
        "join": plan.join,
        "slot": dict(context.slot),
        "result": result,
    }
    about = {"siblings": group["siblings"], "join": plan.join, "compoundTurnId": compound}
    context.emit("fork", about, phase="group", group=group)
    _emit_turn(context, "start", compound)
    takes = tuple(
        Take(target=sibling, label=label, memory=tuple(_sibling(sibling, compound).items()))
        for sibling in plan.siblings
    )
    return context.out(Fork(takes=takes))


def _emit_turn(context: ExecutionContext, edge: str, compound: str) -> None:
    """Report a session turn for an outermost fork and its join."""
    if not outer_fork(context.memory):
        name = "SessionTurnStart" if edge == "start" else "SessionTurnEnd"
        context.emit("turn", {"edge": edge, "audit": name, "parentCompoundTurnId": compound})


def _sibling(stage: str, compound: str) -> dict[str, Any]:
    branch: dict[str, Any] = {"sibling": stage, "result": None, "written": {}}
    return {"kind": "parallel", "branch": branch, "compound": compound, "upstream": []}


def continue_group(context: ExecutionContext) -> Outcome:
    """Continue after all branches have ended, or after the first failure."""
    group = context.memory["group"]
    compound, siblings = group["compound"], group["siblings"]
    failed = context.memory.get(failed_key(compound))
    if failed is not None:
        _emit_turn(context, "end", compound)
        return _after_failure(context, group, Fault.from_json(failed))
    notes = {name: context.memory.get(done_key(compound, name)) for name in siblings}
    done = {name: note for name, note in notes.items() if note is not None}
    for note in done.values():  # In the order of nextStages, not in that of completion.
        write_slot(context, note["written"])
    if group["join"] is None:
        _emit_turn(context, "end", compound)
        return finish(context, "ok")
    return _enter_join(context, group, {name: note["result"] for name, note in done.items()})


def _after_failure(context: ExecutionContext, group: Mapping[str, Any], failed: Fault) -> Outcome:
    plan = context.stage.failure
    if plan is None or plan.ends:
        return fail(context, failed)
    return follow(context, plan, FAILURE, group["result"])


def _enter_join(
    context: ExecutionContext, group: Mapping[str, Any], results: Mapping[str, Any]
) -> Outcome:
    target, siblings = group["join"], group["siblings"]
    problem = join_problem(siblings, dict.fromkeys(results, "ok"))
    if problem is not None:
        return fail(context, problem)
    if _visits_exhausted(context, target):
        return _end_exhausted(context, target)
    memory = {
        **_inherited_memory(context.memory),
        "compound": group["compound"],
        "outer": outer_fork(context.memory),
        "joining": True,
        "turn": "" if outer_fork(context.memory) else "open",
        "siblings": siblings,
        "upstream": [results[sibling] for sibling in siblings],
    }
    sources = tuple(siblings)
    return context.out(
        Take(target=target, label=JOIN, memory=tuple(memory.items()), sources=sources)
    )


def join_problem(siblings: list[str], verdicts: Mapping[str, str]) -> Fault | None:
    """A fault if a branch is not ok: a join only runs if all branches are."""
    bad = [name for name in siblings if verdicts.get(name) != "ok"]
    if not bad:
        return None
    names = ", ".join(map(repr, bad))
    return host_fault("JoinPreconditionViolated", f"The branches {names} are not ok.", siblings=bad)
