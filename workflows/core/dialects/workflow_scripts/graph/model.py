"""The plan of a script: its states, arrows, frames and upper bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from workflows.core.dialects.workflow_scripts.format.formula import (
    ONE,
    ZERO,
    Formula,
    Unknown,
    largest,
)
from workflows.core.dialects.workflow_scripts.format.syntax import Node
from workflows.core.dialects.workflow_scripts.format.values import Value
from workflows.core.pack.graph import TransitionKind

Kind = Literal["agent", "workflow", "unknown"]
SESSION = "(session)"
"""The model of a call that names none."""
STRENGTH: Mapping[TransitionKind, int] = {
    "event": 0,
    "fallback": 1,
    "conditional": 2,
    "fork": 3,
    "join": 4,
    "delegate": 5,
    "report": 6,
}


@dataclass(eq=False, kw_only=True)
class PlanState:
    """A use of a call. `node` is the call, `use` the call of a helper that contains it.

    `options` are the evaluated options; None if they are no object. `count` is the bound of its
    calls in one run. `parents` are the frames around it, outermost first.
    """

    id: str
    kind: Kind
    node: Node
    use: Node
    prompt: Value | None = None
    options: Mapping[str, Value] | None = field(default_factory=dict)
    open_options: bool = False
    phase: str | None = ""
    phase_option: bool = False
    frames: tuple[Frame, ...] = ()
    branches: tuple[int, ...] = ()
    repeated: bool = False
    concurrent: bool = False
    alive: bool = True
    count: Formula = ZERO
    iteration: frozenset[str] = frozenset()
    """The names that differ between the rounds of the innermost loop or fan-out."""
    function: str = ""
    order: int = 0


@dataclass(frozen=True, kw_only=True)
class Arrow:
    source: str
    target: str
    label: str
    kind: TransitionKind
    node: Node


@dataclass(eq=False, kw_only=True)
class Frame:
    """A fan-out or loop."""

    id: str
    kind: Literal["parallel", "pipeline", "loop"]
    name: str
    node: Node
    parent: Frame | None
    branches: tuple[int, ...] = ()
    order: int = 0


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """A fan-out or loop and the bound of its rounds. `calls`: something in it calls agents.
    `cut_at`: the number at which a `slice` cuts the list of a fan-out."""

    node: Node
    kind: str
    rounds: Formula
    calls: bool
    items: Node | None = None
    budget: bool = False
    unguarded: bool = False


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """A place at which the walk has seen a mistake, by the code of its rule."""

    code: str
    node: Node
    subject: str = ""
    state: str = ""


@dataclass(frozen=True)
class Cost:
    """Bounds of calls: all, by phase, by model, by state."""

    total: Formula = ZERO
    phases: Mapping[str, Formula] = field(default_factory=dict)
    models: Mapping[str, Formula] = field(default_factory=dict)
    states: Mapping[str, Formula] = field(default_factory=dict)

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.total + other.total,
            _merged(self.phases, other.phases),
            _merged(self.models, other.models),
            _merged(self.states, other.states),
        )

    def times(self, rounds: Formula) -> Cost:
        if rounds == ONE or not self.total.terms:
            return self
        return self.mapped(lambda one: one * rounds)

    def renamed(self, rename: Callable[[Unknown], Unknown]) -> Cost:
        return self.mapped(lambda one: one.renamed(rename))

    def mapped(self, change: Callable[[Formula], Formula]) -> Cost:
        """Every bound changed in the same way."""
        tables = (self.phases, self.models, self.states)
        return Cost(
            change(self.total),
            *({name: change(one) for name, one in table.items()} for table in tables),
        )


def _merged(one: Mapping[str, Formula], two: Mapping[str, Formula]) -> Mapping[str, Formula]:
    return {
        **one,
        **{name: one[name] + value if name in one else value for name, value in two.items()},
    }


def worst_of(costs: Iterable[Cost]) -> Cost:
    """The bound of one of several ways. Parts have their own bounds, so their sum can exceed the
    total."""
    kept = list(costs)
    if len(kept) == 1:
        return kept[0]
    names = ("phases", "models", "states")
    tables = [
        {
            key: largest(getattr(one, name).get(key, ZERO) for one in kept)
            for key in dict.fromkeys(key for one in kept for key in getattr(one, name))
        }
        for name in names
    ]
    return Cost(largest(one.total for one in kept), *tables)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The states, arrows, frames and bounds of a script."""

    states: tuple[PlanState, ...]
    entries: tuple[str, ...]
    arrows: tuple[Arrow, ...]
    frames: tuple[Frame, ...]
    cost: Cost
    repeats: tuple[Repeat, ...]
    troubles: tuple[Trouble, ...]
    cut: bool
    """True if the script has more than could be followed."""
