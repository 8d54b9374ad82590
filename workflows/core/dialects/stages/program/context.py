"""One stage execution during one step of the run: what is known, what is noted, what is told.

What a stay keeps in its position's memory:

`upstream` what ctx.upstream will be; `kind`, `owner`, `branch`, `compound`, `outer`, `joining`,
`siblings`, `turn`: where in forks the stay is (branches.py); `phase`: "" before Setup, `gate`,
`act`, `judged`, `backoff`, `left`, `group` and `queue` (waiting for branches); `ctx`, `prompt`;
`messages`, `attempts`, `turns`, `calls` (tool calls not made yet) and `tokens` (what was granted)
of Act; `parked`, `gateTries` and `released` of the gate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from workflows.core.dialects.stages.program.faults import Fault, StageFault, wrapped
from workflows.core.dialects.stages.program.pipeline import Pipeline
from workflows.core.dialects.stages.program.stage_context import Context, run_scope, workflow_run_id
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Next, Outcome
from workflows.core.engine.run import Position, RunState


def execution_id(run: RunState, position: Position) -> str:
    """One per execution of a stage: the same after a restart, another for every visit."""
    return f"{workflow_run_id(run)}::{position.state}::{position.visit}"


class Scene:
    """Mutable, lives for one question of the engine. `memory` and `slot` are as they will be once
    what was told is folded in."""

    def __init__(self, play: Pipeline, run: RunState, position: Position) -> None:
        self.play = play
        self.run = run
        self.position = position
        self.stage: Stage = play.stages[position.state]
        self.memory: dict[str, Any] = dict(position.memory)
        self.slot: dict[str, Any] = slot_of(run, position)
        self.drafts: list[Draft] = []

    # -- telling ------------------------------------------------------------------------------

    @property
    def ids(self) -> dict[str, Any]:
        """What every event of an execution says of itself."""
        compound = self.memory.get("compound")
        return {
            "stageId": self.stage.id,
            "stageExecutionId": execution_id(self.run, self.position),
            "attempt": self.attempt,
            **({"parentCompoundTurnId": compound} if compound else {}),
        }

    @property
    def attempt(self) -> int:
        """Which entry into Act this is, from 1."""
        return max(1, len(self.memory.get("attempts", ())))

    def tell(self, type: str, fields: Mapping[str, Any] | None = None, **memory: Any) -> None:
        """An event of this execution; `memory` is noted along with it."""
        self.memory.update(memory)
        noted = {"memory": memory} if memory else {}
        self.drafts.append(
            Draft(type=f"stages.{type}", fields={**self.ids, **(fields or {}), **noted})
        )

    def check(self, name: str, problem: str = "") -> None:
        """What every dialect tells of its checks, for whoever knows nothing of stages."""
        type = "check.failed" if problem else "check.passed"
        self.drafts.append(Draft(type=type, fields={"name": name, "message": problem}))

    def tell_at(self, position: Position, type: str, fields: Mapping[str, Any]) -> None:
        """An event at another position; its `memory` is noted there."""
        at = {"position": position.id, "state": position.state}
        self.drafts.append(Draft(type=f"stages.{type}", fields={**at, **fields}))

    def at(self, key: str) -> dict[str, Any]:
        """What every effect says of where it is wanted."""
        return {"key": key, "position": self.position.id, "state": self.stage.id}

    def out(self, next: Next) -> Outcome:
        return Outcome(drafts=tuple(self.drafts), next=next)

    # -- phases -------------------------------------------------------------------------------

    def open(self, phase: str, /, **memory: Any) -> None:
        self.tell("phase", {"phase": phase, "edge": "pre"}, **memory)

    def close(self, phase: str, fault: Fault | None = None, /, **memory: Any) -> None:
        error = {"error": fault.to_json()} if fault else {}
        self.tell("phase", {"phase": phase, "edge": "post", **error}, **memory)

    @contextmanager
    def phase(self, name: str) -> Iterator[Context]:
        """A whole phase; it is closed when it fails too. Raises StageFault."""
        self.open(name)
        try:
            yield Context(self.memory.get("ctx", {}), name, self.stage.id)
        except Exception as error:
            fault = wrapped(error, name, self.stage.id)
            self.close(name, fault)
            raise StageFault(fault) from error
        self.close(name)

    # -- what conditions see ------------------------------------------------------------------

    def scope(self, result: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """`ctx`, `slot`, `run` and, once there is one, `result`."""
        ctx = {**self.memory.get("ctx", {}), "attempts": self.memory.get("attempts", [])}
        seen = {"ctx": ctx, "slot": self.slot, "run": run_scope(self.run, self.play.inputs)}
        return seen if result is None else {**seen, "result": result}


def outer_fork(memory: Mapping[str, Any]) -> str:
    """The fork that the whole branch lies in: for a join that is not its own."""
    return str(memory.get("outer" if memory.get("joining") else "compound", ""))


def owner_of(position: Position) -> str:
    """The id of the branch position that this stay's slot belongs to, "" for the run's own."""
    if "branch" in position.memory:
        return position.id
    return str(position.memory.get("owner", ""))


def slot_of(run: RunState, position: Position) -> dict[str, Any]:
    """The state slot as this position sees it. A branch of a fork sees the slot as it was at the
    fork and what it wrote itself (section 8.1)."""
    owner = owner_of(position)
    if not owner:
        return dict(run.artifacts)
    branch = run.position(owner)
    fork = run.position(owner.rpartition(".")[0])
    return {**fork.memory["group"]["slot"], **branch.memory["branch"]["written"]}
