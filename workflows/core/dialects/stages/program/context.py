"""The run context: one execution of a stage during one step of the run.

Keys of a visit in its position's memory:

`upstream`: the value of ctx.upstream; `kind`, `owner`, `branch`, `compound`, `outer`, `joining`,
`siblings`, `turn`: the place of the visit in forks (branches.py); `phase`: "" before Setup, `gate`,
`act`, `judged`, `backoff`, `left`, `group` and `queue` (both wait for branches); `ctx`, `prompt`;
`messages`, `attempts`, `turns`, `calls` (pending tool calls) and `tokens` (granted calls) of Act;
`parked`, `gateTries` and `released` of the gate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from workflows.core.dialects.stages.program.faults import Fault, StageFault, wrap_error
from workflows.core.dialects.stages.program.pipeline import Pipeline
from workflows.core.dialects.stages.program.stage_context import (
    PhaseContext,
    run_scope,
    workflow_run_id,
)
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Next, Outcome
from workflows.core.engine.run import Position, RunState


def execution_id(run: RunState, position: Position) -> str:
    """The id of one execution of a stage: stable across restarts, different for every visit."""
    return f"{workflow_run_id(run)}::{position.state}::{position.visit}"


class ExecutionContext:
    """State of one call of the engine; mutable. `memory` and `slot` already include the changes of
    `drafts`."""

    def __init__(self, pipeline: Pipeline, run: RunState, position: Position) -> None:
        self.pipeline = pipeline
        self.run = run
        self.position = position
        self.stage: Stage = pipeline.stages[position.state]
        self.memory: dict[str, Any] = dict(position.memory)
        self.slot: dict[str, Any] = slot_of(run, position)
        self.drafts: list[Draft] = []

    # -- events -------------------------------------------------------------------------------

    @property
    def ids(self) -> dict[str, Any]:
        """Fields of every event of an execution."""
        compound = self.memory.get("compound")
        return {
            "stageId": self.stage.id,
            "stageExecutionId": execution_id(self.run, self.position),
            "attempt": self.attempt,
            **({"parentCompoundTurnId": compound} if compound else {}),
        }

    @property
    def attempt(self) -> int:
        """The number of the current attempt, from 1."""
        return max(1, len(self.memory.get("attempts", ())))

    def emit(self, type: str, fields: Mapping[str, Any] | None = None, **memory: Any) -> None:
        """Add an event of this execution and store `memory` with it."""
        self.memory.update(memory)
        noted = {"memory": memory} if memory else {}
        self.drafts.append(
            Draft(type=f"stages.{type}", fields={**self.ids, **(fields or {}), **noted})
        )

    def check(self, name: str, problem: str = "") -> None:
        """Add the event for a check that all dialects share."""
        type = "check.failed" if problem else "check.passed"
        self.drafts.append(Draft(type=type, fields={"name": name, "message": problem}))

    def emit_at(self, position: Position, type: str, fields: Mapping[str, Any]) -> None:
        """Add an event at another position; its `memory` is stored there."""
        at = {"position": position.id, "state": position.state}
        self.drafts.append(Draft(type=f"stages.{type}", fields={**at, **fields}))

    def at(self, key: str) -> dict[str, Any]:
        """Fields of every effect."""
        return {"key": key, "position": self.position.id, "state": self.stage.id}

    def out(self, next: Next) -> Outcome:
        return Outcome(drafts=tuple(self.drafts), next=next)

    # -- phases -------------------------------------------------------------------------------

    def open(self, phase: str, /, **memory: Any) -> None:
        self.emit("phase", {"phase": phase, "edge": "pre"}, **memory)

    def close(self, phase: str, fault: Fault | None = None, /, **memory: Any) -> None:
        error = {"error": fault.to_json()} if fault else {}
        self.emit("phase", {"phase": phase, "edge": "post", **error}, **memory)

    @contextmanager
    def phase(self, name: str) -> Iterator[PhaseContext]:
        """Run a whole phase; it is closed after a failure too. Raises StageFault."""
        self.open(name)
        try:
            yield PhaseContext(self.memory.get("ctx", {}), name, self.stage.id)
        except Exception as error:
            fault = wrap_error(error, name, self.stage.id)
            self.close(name, fault)
            raise StageFault(fault) from error
        self.close(name)

    # -- scope --------------------------------------------------------------------------------

    def scope(self, result: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Values for conditions: `ctx`, `slot`, `run` and, if present, `result`."""
        ctx = {**self.memory.get("ctx", {}), "attempts": self.memory.get("attempts", [])}
        values = {"ctx": ctx, "slot": self.slot, "run": run_scope(self.run, self.pipeline.inputs)}
        return values if result is None else {**values, "result": result}


def outer_fork(memory: Mapping[str, Any]) -> str:
    """The fork around the whole branch. A join is not inside its own fork."""
    return str(memory.get("outer" if memory.get("joining") else "compound", ""))


def owner_of(position: Position) -> str:
    """The id of the branch position that owns the visit's slot, or "" for the run's own slot."""
    if "branch" in position.memory:
        return position.id
    return str(position.memory.get("owner", ""))


def slot_of(run: RunState, position: Position) -> dict[str, Any]:
    """The state slot at a position. A branch of a fork has the slot at the fork and its own values
    (section 8.1)."""
    owner = owner_of(position)
    if not owner:
        return dict(run.artifacts)
    branch = run.position(owner)
    fork = run.position(owner.rpartition(".")[0])
    return {**fork.memory["group"]["slot"], **branch.memory["branch"]["written"]}
