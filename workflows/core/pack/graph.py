"""What the canvas draws of a revision: states, transitions, groups, entry. Knows no dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, TypeAlias

from workflows.core.pack.findings import Place

TransitionKind: TypeAlias = Literal[
    "event", "redirect", "fallback", "conditional", "delegate", "handoff", "report", "fork", "join"
]
"""event: the ordinary arrow. redirect: taken instead when a cap is reached (dashed). fallback: a
second choice (dashed). conditional: one of several targets picked by a value (they share a stem).
delegate: an agent that may call another. handoff: an arrow that carries values to its target.
report: an arrow that tells its target what came of something (dashed).
fork: one of several arrows that are all taken at once. join: where the branches of a fork meet; it
is taken once, when the last branch is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A box. `id` is what the author's file calls it; `kind` picks colour and icon.

    `counts` are the small figures on the card (tools, checks, artifacts, prompts…), `role` the chip
    (the prompt or role that does the work). `stateless` boxes (sections, fragments) take no arrows.

    `level` names the canvas the box stands on: "" for the pack's own, otherwise an element that is
    drawn as a graph of its own (`composition:triage`). A box with `inside` opens that level; arrows
    never cross levels.

    `most_calls` is how many model calls one visit can make at most and `most_tokens` how many
    tokens one call can write at most, where the files bound them. A run that ends has to have come
    through one of the `required` states of its pack. `answers` are the events that whoever works
    here may answer with, where the files list them; arrows handle them. `may_end` says that a run
    can be over here although arrows lead on, because one of several ways out is the end.
    """

    id: str
    kind: str
    name: str = ""
    terminal: bool = False
    stateless: bool = False
    group: str | None = None
    role: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    max_visits: int | None = None
    level: str = ""
    inside: str = ""
    most_calls: int | None = None
    most_tokens: int | None = None
    required: bool = False
    answers: tuple[str, ...] = ()
    may_end: bool = False
    place: Place

    @property
    def element(self) -> str:
        """What the inspector, edits and findings call it: `state:<id>`."""
        return f"state:{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """An arrow. `label` is the pill as written; (source, label, target) is its identity.

    `event` is what takes it (the event or intent name), `value` the answer that picks a conditional
    target. `target` may name a state that does not exist: a finding says so and the canvas draws a
    stub. `inert` arrows are in the file but the chosen profile never follows them.
    """

    source: str
    target: str
    label: str
    kind: TransitionKind = "event"
    event: str = ""
    value: str | None = None
    inert: bool = False
    place: Place

    @property
    def id(self) -> str:
        """`source|label|target`."""
        return f"{self.source}|{self.label}|{self.target}"

    @property
    def element(self) -> str:
        """What the inspector, edits and findings call it: `transition:<id>`."""
        return f"transition:{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A frame around states."""

    id: str
    name: str
    kind: str
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What may be drawn out of a state: shown on drag and on drop.

    `label` is the event offered, "" for "any new name" (then `pattern` is what a name must match).
    `targets` None means any state, otherwise the ids that may be hit; `reason` says why not others.
    """

    source: str
    label: str = ""
    kind: TransitionKind = "event"
    targets: tuple[str, ...] | None = None
    pattern: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A marked way in. `key` tells several entries apart ("" where a dialect has one); the way into
    a level other than the pack's own is called like the level."""

    state: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """The projection of one revision's bytes. Names only what is in the files.

    `most_visits` bounds how many states a run enters in all, where the files say so.
    """

    dialect: str
    profile: str
    name: str
    entries: tuple[Entry, ...]
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    groups: tuple[Group, ...] = ()
    most_visits: int | None = None

    @property
    def levels(self) -> tuple[str, ...]:
        """The canvases that boxes stand on, the pack's own ("") first."""
        return tuple(dict.fromkeys(("", *(state.level for state in self.states))))

    def on(self, level: str) -> Graph:
        """What one canvas shows: its boxes, the arrows out of them, its ways in and its frames."""
        if self.levels == (level,):
            return self
        where = {state.id: state.level for state in self.states}
        inner = set(self.levels)
        around = {state.group: state.level for state in self.states}
        return replace(
            self,
            entries=tuple(e for e in self.entries if (e.key if e.key in inner else "") == level),
            states=tuple(state for state in self.states if state.level == level),
            transitions=tuple(t for t in self.transitions if where.get(t.source, "") == level),
            groups=tuple(group for group in self.groups if around.get(group.id, "") == level),
        )

    def to_json(self) -> dict[str, object]:
        """The shape of `signalbox graph` and of the API."""
        return {
            "dialect": self.dialect,
            "profile": self.profile,
            "name": self.name,
            "entry": next((entry.state for entry in self.on("").entries), None),
            "entries": [asdict(entry) for entry in self.entries],
            "states": [state_json(state) for state in self.states],
            "transitions": [transition_json(arrow) for arrow in self.transitions],
            "groups": [asdict(group) for group in self.groups],
        }


def state_json(state: State) -> dict[str, object]:
    """One box on the wire."""
    return {
        "id": state.id,
        "kind": state.kind,
        "name": state.name,
        "terminal": state.terminal,
        "stateless": state.stateless,
        "group": state.group,
        "role": state.role,
        "counts": dict(state.counts),
        "max_visits": state.max_visits,
        "level": state.level,
        "inside": state.inside,
    }


def transition_json(arrow: Transition) -> dict[str, object]:
    """One arrow on the wire."""
    return {
        "id": arrow.id,
        "source": arrow.source,
        "target": arrow.target,
        "label": arrow.label,
        "kind": arrow.kind,
        "event": arrow.event,
        "value": arrow.value,
        "inert": arrow.inert,
    }
