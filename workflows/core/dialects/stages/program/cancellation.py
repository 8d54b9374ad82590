"""Events of a cancelled stage or run. Nothing is undone (stages.md section 14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.stages.program.context import execution_id, outer_fork
from workflows.core.dialects.stages.program.faults import cancellation_fault
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position, RunState

OPEN_PHASES = {"act": "Act"}
"""Phase in memory → the phase that is open while a visit waits for a signal. A parked gate is
closed."""

OVER = ("group", "queue", "left")
"""Phases of visits whose execution has ended and that wait for branches."""


def cancel_stage(run: RunState, position: Position, why: str) -> Iterator[Draft]:
    """Close the open phase and end the execution."""
    memory = position.memory
    if memory.get("phase") in OVER:
        return
    at: dict[str, Any] = {"position": position.id, "state": position.state}
    at |= {"stageId": position.state, "stageExecutionId": execution_id(run, position)}
    if memory.get("compound"):
        at["parentCompoundTurnId"] = memory["compound"]
    message = f"{position.state!r} was cancelled: {why}"
    fault = cancellation_fault("StageCancelled", message, stageId=position.state)
    phase = OPEN_PHASES.get(memory.get("phase", ""))
    if phase is not None:
        about = {"phase": phase, "edge": "post", "error": fault.to_json()}
        yield Draft(type="stages.phase", fields={**at, **about})
    yield Draft(type="stages.cancelled", fields={**at, **fault.to_json()})
    record = {"audit": "StageExecution", "outcome": "cancelled", "capHit": False}
    yield Draft(type="stages.execution", fields={**at, **record})


def cancel_run(run: RunState) -> Iterator[Draft]:
    """Cancel every execution, then the session turns that are open."""
    for position in run.positions:
        yield from cancel_stage(run, position, "the run was cancelled.")
    fault = cancellation_fault("TurnCancelled", "The run was cancelled.").to_json()
    yield Draft(type="stages.cancelled", fields=fault)
    turn = {"edge": "end", "audit": "SessionTurnEnd", "error": fault}
    for position in run.positions:
        if _has_turn(position):
            at = {"position": position.id, "state": position.state, "stageId": position.state}
            yield Draft(type="stages.turn", fields={**at, **turn})


def _has_turn(position: Position) -> bool:
    """Return True if a session turn started here and has not ended."""
    memory = position.memory
    match memory.get("phase", ""):
        case "" | "left" | "queue":
            return memory.get("turn") == "open"
        case "group":
            return not outer_fork(memory)
        case _:
            return not memory.get("compound") or memory.get("turn") == "open"
