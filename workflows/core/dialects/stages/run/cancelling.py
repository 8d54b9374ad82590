"""What is written down of an execution that is broken off. Nothing is cleaned up (section 14)."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.stages.run.faults import cancelled
from workflows.core.dialects.stages.run.scene import execution_id
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position, Run

OPEN_PHASES = {"act": "Act"}
"""The phase that is open while a stay waits for an answer; a parked gate was closed."""

WAITS_FOR_BRANCHES = ("group", "queue", "left")


def cancel(run: Run, position: Position, code: str, why: str) -> Iterator[Draft]:
    """The phase that was under way is closed, and the execution is over. Nothing for a stay that
    only waits for branches: its execution was over before."""
    if position.memory.get("phase") in WAITS_FOR_BRANCHES:
        return
    at = {
        "position": position.id,
        "state": position.state,
        "stageId": position.state,
        "stageExecutionId": execution_id(run, position),
    }
    if position.memory.get("compound"):
        at["parentCompoundTurnId"] = position.memory["compound"]
    fault = cancelled(code, f"{position.state!r} was cancelled: {why}", stageId=position.state)
    phase = OPEN_PHASES.get(position.memory.get("phase", ""))
    if phase is not None:
        about = {"phase": phase, "edge": "post", "error": fault.to_json()}
        yield Draft(type="stages.phase", fields={**at, **about})
    yield Draft(type="stages.cancelled", fields={**at, **fault.to_json()})
    record = {"audit": "StageExecution", "outcome": "cancelled", "capHit": False}
    yield Draft(type="stages.execution", fields={**at, **record})
