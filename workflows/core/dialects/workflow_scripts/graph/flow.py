"""Arrows that wait for their target while a script is walked, and frames around states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from workflows.core.dialects.workflow_scripts.format.formula import ONE, Formula
from workflows.core.dialects.workflow_scripts.format.syntax import Node
from workflows.core.dialects.workflow_scripts.graph.model import (
    STRENGTH,
    Arrow,
    Cost,
    Frame,
    PlanState,
    Trouble,
    worst_of,
)
from workflows.core.pack.graph import END, TransitionKind

MOST_PENDING = 200
MOST_STATES = 2_000


@dataclass(frozen=True)
class Pending:
    """An arrow without a target. `otherwise`: it is taken after a guard that did not leave."""

    source: str | None
    parts: tuple[str, ...] = ()
    kind: TransitionKind = "event"
    otherwise: bool = False

    def plus(self, part: str, kind: TransitionKind = "event") -> Pending:
        strongest = max(self.kind, kind, key=STRENGTH.__getitem__)
        return Pending(self.source, (*self.parts, part), strongest, self.otherwise)

    def label(self, plain: str) -> str:
        return " · ".join(self.parts) or ("else" if self.otherwise else plain)

    @property
    def shown_kind(self) -> TransitionKind:
        if self.otherwise and not self.parts and self.kind == "event":
            return "conditional"
        return self.kind


def plus(arrows: Iterable[Pending], part: str, kind: TransitionKind = "event") -> list[Pending]:
    return [one.plus(part, kind) for one in arrows]


def unique(arrows: Iterable[Pending]) -> list[Pending]:
    return list(dict.fromkeys(arrows))[:MOST_PENDING]


@dataclass(eq=False)
class Exits:
    """Where the arrows of `break`, `continue`, `return` and `throw` go."""

    kind: Literal["loop", "switch", "function", "try", "branch"]
    label: str = ""
    breaks: list[Pending] | None = None
    continues: list[Pending] | None = None


class Flow:
    """The part of a walk that keeps arrows, frames and costs."""

    def __init__(self) -> None:
        self.pending = [Pending(None)]
        self.states: list[PlanState] = []
        self.arrows: dict[tuple[str, str, str], Arrow] = {}
        self.entries: dict[str, None] = {}
        self.frames: list[Frame] = []
        self.frame: Frame | None = None
        self.cost = Cost()
        self.rounds: list[Formula] = []
        self.concurrency: list[tuple[int, int]] = []
        """For each fan-out around: the depth of its rounds, and the number of states before it."""
        self.branches: tuple[int, ...] = ()
        self.branch_count = 0
        self.exits: list[Exits] = []
        self.leaves = 0
        self.level = 0
        self.troubles: dict[tuple[str, int, str], Trouble] = {}
        self.taken: dict[str, int] = {}
        self.order = 0

    @property
    def alive(self) -> bool:
        """False for code that no run reaches."""
        return bool(self.pending)

    @property
    def events(self) -> tuple[int, int]:
        """The numbers of states and of exits so far."""
        return len(self.states), self.leaves

    def trouble(self, code: str, node: Node, subject: str = "", state: str = "") -> None:
        if self.alive:
            key = (code, node.start_byte, subject)
            self.troubles.setdefault(
                key, Trouble(code=code, node=node, subject=subject, state=state)
            )

    def state_id(self, base: str) -> str:
        """The id for a name: a second use gets `-2`."""
        number = self.taken.get(base, 0) + 1
        while number > 1 and f"{base}-{number}" in self.taken:
            number += 1
        self.taken[base] = number
        id = base if number == 1 else f"{base}-{number}"
        self.taken.setdefault(id, 1)
        return id

    def enter(self, state: PlanState) -> None:
        """Lead all waiting arrows to a state."""
        state.alive = self.alive
        state.order = self.next_order()
        state.repeated = any(one != ONE for one in self.rounds)
        state.concurrent = bool(self.concurrency)
        state.branches = self.branches
        state.frames = tuple(reversed(list(self.frames_around())))
        self.states.append(state)
        for one in self.pending:
            if one.source is None:
                self.entries[state.id] = None
            else:
                self.connect(one, state.id, "then", state.use)
        if self.alive:
            self.pending = [Pending(state.id)]

    def next_order(self) -> int:
        self.order += 1
        return self.order

    def frames_around(self) -> Iterator[Frame]:
        frame = self.frame
        while frame is not None:
            yield frame
            frame = frame.parent

    def connect(self, one: Pending, target: str, plain: str, node: Node) -> None:
        assert one.source is not None
        label = one.label(plain)
        self.arrows.setdefault(
            (one.source, label, target),
            Arrow(source=one.source, target=target, label=label, kind=one.shown_kind, node=node),
        )

    def end(self, arrows: Iterable[Pending], part: str, node: Node) -> None:
        """The end of the run."""
        for one in arrows:
            if one.source is not None:
                self.connect(one, END, part, node)

    def framed(self, kind: Literal["parallel", "pipeline", "loop"], name: str, node: Node) -> Frame:
        """A new frame inside the present one."""
        frame = Frame(
            id="",
            kind=kind,
            name=name,
            node=node,
            parent=self.frame,
            branches=self.branches,
            order=self.next_order(),
        )
        self.frames.append(frame)
        return frame

    @contextmanager
    def within(self, frame: Frame | None, rounds: Formula, *, concurrent: bool) -> Iterator[None]:
        """The inside of a loop or fan-out: its cost counts for each round."""
        outer, before, cost = self.frame, self.branches, self.cost
        self.frame = frame or outer
        self.rounds.append(rounds)
        if concurrent:
            self.concurrency.append((len(self.rounds), len(self.states)))
        self.level += 1
        self.cost = Cost()
        if frame is not None:
            self.branches = ()
        yield
        self.level -= 1
        if concurrent:
            self.concurrency.pop()
        self.rounds.pop()
        self.frame, self.branches = outer, before
        self.cost = cost + self.cost.times(rounds)

    @contextmanager
    def branch(self) -> Iterator[None]:
        """One way of a condition."""
        before = self.branches
        self.branch_count += 1
        self.branches = (*before, self.branch_count)
        self.level += 1
        yield
        self.level -= 1
        self.branches = before

    def alternatives(self, ways: Iterable[tuple[list[Pending], Callable[[], None]]]) -> None:
        """Walk each way from its arrows; the worst one counts."""
        cost, costs, outs = self.cost, list[Cost](), list[Pending]()
        for arrows, walk in ways:
            self.pending, self.cost = arrows, Cost()
            with self.branch():
                walk()
            costs.append(self.cost)
            outs += self.pending
        self.cost = cost + worst_of(costs)
        self.pending = unique(outs)

    @staticmethod
    def otherwise(arrows: Iterable[Pending]) -> list[Pending]:
        return [replace(one, otherwise=True) for one in arrows]
