"""The state of a run, as the fold over its events computes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Status: TypeAlias = Literal[
    "new", "running", "paused", "waiting", "completed", "failed", "budget_exhausted", "cancelled"
]
FINISHED = ("completed", "failed", "budget_exhausted", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """One place at which a run is. A fork makes several.

    `id` is unique in the run ("0" for the first, "0.1", "0.2"… for its branches). `visit` counts
    the entries of this state. `memory` has the program's notes of this visit; entering another
    state replaces it by the memory of that event.
    """

    id: str
    state: str
    visit: int = 1
    memory: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RunState:
    """The input of a program's decisions. Only `fold` makes it."""

    id: str = ""
    """The run's id outside the engine, "" if it has none. It stays the same after a restart."""
    n: int = 0
    status: Status = "new"
    reason: str = ""
    """The reason of the end or of the pause."""
    started_at: float = 0.0
    now: float = 0.0
    """Time of the newest signal."""
    idle_seconds: float = 0.0
    """Seconds of finished pauses, between a fork point and the event after it, without a worker
    after one stopped, and after the end."""
    idle_since: float | None = None
    """Time at which the present pause began; None if the run is not paused."""
    waited_seconds: float = 0.0
    """Seconds, among the active ones, in which the run only waited for people or their events."""
    fork_points: tuple[int, ...] = ()
    """Numbers of the events after which a fork continued its origin, and that its own one."""
    problem: str = ""
    """The fault of the newest answer of a model: the refused request, or an answer that
    cannot be read. "" if nothing was."""
    connection_at_fault: str = ""
    """The connection because of which the run is paused; "" for none."""
    failed_tools: Mapping[str, str] = field(default_factory=dict)
    """Tool → the error of its newest call, for tools whose newest call failed."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    started_by: str = ""
    """`person`, `api`, `ticket`, `chat`, `schedule` or `webhook`; "" if the log lacks it."""
    positions: tuple[Position, ...] = ()
    visits: Mapping[str, int] = field(default_factory=dict)
    taken: Mapping[str, int] = field(default_factory=dict)
    """Transition id → how often it was taken."""
    transitions: int = 0
    tool_requests: int = 0
    tool_calls: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    artifacts: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default_factory=dict)
    """The program's notes of the whole run."""
    asked: int = 0
    """Number of requested effects. It numbers their keys, `<position>:<count>`."""
    pending: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Requested and unanswered effects: key → effect as JSON. At most one per position."""
    left_to_people: tuple[str, ...] = ()
    """Keys in `run.waiting` events. Some of these effects are not questions to people: a command
    that may not run here, a model call that a person answers."""
    left_reasons: Mapping[str, str] = field(default_factory=dict)
    """Key in `left_to_people` → the reason why nothing performs it here, if one was given."""
    can_allow: tuple[str, ...] = ()
    """Keys in `left_to_people` that are performed here once a person allows it."""
    allowed: tuple[str, ...] = ()
    """Keys of the commands and calls that a person allowed."""
    allowed_tools: Mapping[str, str] = field(default_factory=dict)
    """Tool → the person who allowed all of its calls in this run, "" for the operator."""
    unanswered: tuple[str, ...] = ()
    """Keys in `run.paused` events, of effects that no driver could answer. They are not requested
    again before the run resumes."""
    answered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Type of the answer event → the states that it was for, in order. A script reads its position
    from this."""
    held: tuple[str, ...] = ()
    """Positions whose next request is held because the run is paused."""
    kept: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The effect that a held position will request, if an answer already decided it."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """State → its newest answer of a model, as text."""
    calling: frozenset[str] = frozenset()
    """The states whose newest output is a reply that calls tools."""
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Position → the states that its transitions left since it last entered a state."""
    previous: Mapping[str, str] = field(default_factory=dict)
    """Position → the output that it brought into its state: that of the states it came from, or of
    the last state before them with a model."""
    branches: Mapping[str, int] = field(default_factory=dict)
    """Number of branches that each position has forked. It numbers the ids of new ones."""
    breakpoints: tuple[str, ...] = ()
    """Ids of states and transitions at which the run pauses by itself."""
    until: str = ""
    """One more breakpoint, removed when it is reached."""
    stepping: bool = False
    """True if a request was let through since the last pause, so that no other may be."""

    @property
    def finished(self) -> bool:
        return self.status in FINISHED

    @property
    def active_seconds(self) -> float:
        """Seconds since the start, without the idle ones. `waited_seconds` are a part of them."""
        if not self.started_at:
            return 0.0
        until = self.now if self.idle_since is None else self.idle_since
        return max(0.0, until - self.started_at - self.idle_seconds)

    def forked(self, id: str) -> bool:
        """Return True if this position waits for its own branches."""
        return any(position.id.startswith(f"{id}.") for position in self.positions)

    def position(self, id: str) -> Position:
        """The position with this id. Raises KeyError if the run has none."""
        for position in self.positions:
            if position.id == id:
                return position
        raise KeyError(id)
