"""Exit and Next: what a stage leaves behind, and which way the run goes on (stages.md 7, 8.2 and
10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.format.parts import Way
from workflows.core.dialects.stages.format.paths import MISSING, Path
from workflows.core.dialects.stages.format.predicates import holds
from workflows.core.dialects.stages.program.branches import follow
from workflows.core.dialects.stages.program.context import Scene
from workflows.core.dialects.stages.program.endings import over
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.program.state_slot import record_result, write_slot
from workflows.core.engine.program import Outcome

OUTCOMES = {"ok": "ok", "cancelled": "cancelled"}
"""Verdict → upstream's outcome of a StageExecution; every other verdict is `failed` there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a successor may know of a stage, the transcript never (section 8.2)."""

    verdict: str
    reason: str = ""
    parsed: Any = None

    def as_json(self, *, cap_hit: bool, attempts: int) -> dict[str, Any]:
        found: dict[str, Any] = {"verdict": self.verdict}
        if self.reason:
            found["reason"] = self.reason
        if self.parsed is not None:
            found["parsed"] = self.parsed
        return {**found, "capHit": cap_hit, "attemptCount": attempts}


def result_of(scene: Scene, verdict: str, reason: str) -> dict[str, Any]:
    """The result of a stage whose gate did not let it act."""
    attempts = len(scene.memory.get("attempts", ()))
    return Result(verdict=verdict, reason=reason).as_json(cap_hit=False, attempts=attempts)


def read_out(kept: tuple[tuple[str, Path], ...], scope: Mapping[str, Any]) -> dict[str, Any]:
    """Name → value, of the paths that lead somewhere."""
    found = ((name, path.within(scope)) for name, path in kept)
    return {name: value for name, value in found if value is not MISSING}


def chosen(stage: Stage, scope: Mapping[str, Any], verdict: str) -> Way | None:
    """The way on. After a `fail` only a case whose condition holds leads on: a plain `next` and
    `else` are for what succeeded (section 7.4)."""
    for way in stage.ways:
        if way.when is not None and holds(way.when, scope):
            return way
    if verdict == "fail":
        return None
    return next((way for way in stage.ways if way.when is None), None)


def leave(scene: Scene, result: dict[str, Any]) -> Outcome:
    """Exit, Next, and on."""
    result = exit_stage(scene, result)
    with scene.phase("Next"):
        way = chosen(scene.stage, scene.scope(result), result["verdict"])
        scene.tell("next", {"way": way.label if way else ""})
    scene.tell(
        "execution",
        {
            "audit": "StageExecution",
            "outcome": OUTCOMES.get(result["verdict"], "failed"),
            "capHit": result["capHit"],
        },
        phase="left",
    )
    end_turn(scene)
    if way is None or way.plan.ends:
        _tell_transition(scene, (), "end")
        return over(scene, result, routed=way is not None)
    _tell_transition(scene, way.plan.siblings, "parallel" if way.plan.parallel else "sequential")
    return follow(scene, way.plan, way.label, result)


def exit_stage(scene: Scene, result: dict[str, Any]) -> dict[str, Any]:
    """Write the slot and the output; grants and the completion channel go. Returns the result with
    its output."""
    with scene.phase("Exit"):
        scope = scene.scope(result)
        output = read_out(scene.stage.output, scope)
        written = read_out(scene.stage.slot, scope)
        result = {**result, "output": output} if scene.stage.output else result
        record_result(scene, result)
        write_slot(scene, written)
        fields = {"audit": "StageExited", "result": result, "slot": sorted(written)}
        scene.tell("exit", fields, tokens={}, calls=[])
    return result


def end_turn(scene: Scene) -> None:
    """Outside forks every execution is a session turn; a fork with its join is one (section 10)."""
    if not scene.memory.get("compound") or scene.memory.get("turn") == "open":
        scene.tell("turn", {"edge": "end", "audit": "SessionTurnEnd"})


def _tell_transition(scene: Scene, targets: tuple[str, ...], kind: str) -> None:
    fields = {"from": scene.stage.id, "to": list(targets), "nextKind": kind}
    scene.tell("transition", {"audit": "SMTransition", **fields})
