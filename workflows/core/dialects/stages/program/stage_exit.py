"""Exit and Next: the values that a stage keeps, and the choice of its route (stages.md 7, 8.2 and
10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.format.parts import Route
from workflows.core.dialects.stages.format.paths import MISSING, Path
from workflows.core.dialects.stages.format.predicates import holds
from workflows.core.dialects.stages.program.branches import follow
from workflows.core.dialects.stages.program.context import ExecutionContext
from workflows.core.dialects.stages.program.endings import end_stage
from workflows.core.dialects.stages.program.stage_context import check_size
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.program.state_slot import record_result, write_slot
from workflows.core.engine.program import Outcome

OUTCOMES = {"ok": "ok", "cancelled": "cancelled"}
"""Verdict → outcome of a StageExecution in stud-cli. Every other verdict is `failed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a stage for its successors. It never includes the transcript (section 8.2)."""

    verdict: str
    reason: str = ""
    parsed: Any = None

    def as_json(self, *, cap_hit: bool, attempts: int) -> dict[str, Any]:
        result: dict[str, Any] = {"verdict": self.verdict}
        if self.reason:
            result["reason"] = self.reason
        if self.parsed is not None:
            result["parsed"] = self.parsed
        return {**result, "capHit": cap_hit, "attemptCount": attempts}


def result_of(context: ExecutionContext, verdict: str, reason: str) -> dict[str, Any]:
    """The result of a stage that its gate ended before Act."""
    attempts = len(context.memory.get("attempts", ()))
    return Result(verdict=verdict, reason=reason).as_json(cap_hit=False, attempts=attempts)


def read_values(kept: tuple[tuple[str, Path], ...], scope: Mapping[str, Any]) -> dict[str, Any]:
    """Name → value, for the paths that have one."""
    pairs = ((name, path.within(scope)) for name, path in kept)
    return {name: value for name, value in pairs if value is not MISSING}


def choose_route(stage: Stage, scope: Mapping[str, Any], verdict: str) -> Route | None:
    """The route to take. After a `fail`, only a case whose condition is true applies: a plain
    `next` and `else` require success (section 7.4)."""
    for route in stage.routes:
        if route.when is not None and holds(route.when, scope):
            return route
    if verdict == "fail":
        return None
    return next((route for route in stage.routes if route.when is None), None)


def leave_stage(context: ExecutionContext, result: dict[str, Any]) -> Outcome:
    """Run Exit and Next, then follow the route."""
    result = exit_stage(context, result)
    with context.phase("Next"):
        route = choose_route(context.stage, context.scope(result), result["verdict"])
        context.emit("next", {"way": route.label if route else ""})
    context.emit(
        "execution",
        {
            "audit": "StageExecution",
            "outcome": OUTCOMES.get(result["verdict"], "failed"),
            "capHit": result["capHit"],
        },
        phase="left",
    )
    end_turn(context)
    if route is None or route.plan.ends:
        _emit_transition(context, (), "end")
        return end_stage(context, result, routed=route is not None)
    _emit_transition(
        context, route.plan.siblings, "parallel" if route.plan.parallel else "sequential"
    )
    return follow(context, route.plan, route.label, result)


def exit_stage(context: ExecutionContext, result: dict[str, Any]) -> dict[str, Any]:
    """Write the slot and the output, and drop grants and pending calls. Returns the result with its
    output."""
    with context.phase("Exit"):
        scope = context.scope(result)
        output = read_values(context.stage.output, scope)
        written = read_values(context.stage.slot, scope)
        check_size(output.values(), "exit.output", context.stage.id)
        check_size(written.values(), "exit.slot", context.stage.id)
        result = {**result, "output": output} if context.stage.output else result
        record_result(context, result)
        write_slot(context, written)
        fields = {"audit": "StageExited", "result": result, "slot": sorted(written)}
        context.emit("exit", fields, tokens={}, calls=[])
    return result


def end_turn(context: ExecutionContext) -> None:
    """End the session turn. Outside forks every execution is one; a fork with its join is one
    (section 10)."""
    if not context.memory.get("compound") or context.memory.get("turn") == "open":
        context.emit("turn", {"edge": "end", "audit": "SessionTurnEnd"})


def _emit_transition(context: ExecutionContext, targets: tuple[str, ...], kind: str) -> None:
    fields = {"from": context.stage.id, "to": list(targets), "nextKind": kind}
    context.emit("transition", {"audit": "SMTransition", **fields})
