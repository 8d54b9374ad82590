"""The graph of a revision: states, transitions, groups, entries. Independent of dialects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, TypeAlias

from workflows.core.pack.findings import Place

TransitionKind: TypeAlias = Literal[
    "event", "redirect", "fallback", "conditional", "delegate", "handoff", "report", "fork", "join"
]
"""- event: the ordinary transition.
- redirect: taken instead when a cap is reached (dashed).
- fallback: a second choice (dashed).
- conditional: one of several targets, selected by a value (drawn with a common stem).
- delegate: an agent may call another agent.
- handoff: passes values to its target.
- report: passes a result to its target (dashed).
- fork: one of several transitions that are all taken at once.
- join: the end of the branches of a fork; taken once, when the last branch is done."""


END = ""
"""The target of a transition that ends the run."""

DEFAULT = "default"
"""The `value` of a conditional transition for all values that no other one has."""

MAX_TRANSITIONS = 20_000
"""Maximum number of transitions that are drawn and stored. The files keep every transition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A state. `id` is its name in the author's file; `kind` selects colour and icon.

    `counts` are the numbers on the card (tools, checks, artifacts, prompts…), `role` is the chip
    (the prompt or role of the state). `prompt_users` is the number of states that share its prompt,
    0 if no other state uses it. `prompt` is the element that holds the prompt, "" for the state
    itself, and `prompt_line` the first line of it. `stateless` elements (sections, fragments) have
    no transitions.

    `level` is the canvas of the state: "" for the pack's own, otherwise an element that is drawn as
    a graph of its own (`composition:triage`). A state with `inside` opens that level; transitions
    never cross levels.

    `most_calls` is the maximum number of model calls in one visit and `most_tokens` the maximum
    number of tokens that one call writes; None if the files set no limit. A run must visit one of
    the `required` states before it ends. `answers` are the possible events of the state, if the
    files list them; transitions handle them. `may_end` is True if a run can end here although
    transitions lead on, because one of several outcomes is the end.
    """

    id: str
    kind: str
    name: str = ""
    terminal: bool = False
    stateless: bool = False
    group: str | None = None
    role: str = ""
    prompt_users: int = 0
    prompt: str = ""
    prompt_line: str = ""
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
        """The name in the inspector, in edits and in findings: `state:<id>`."""
        return f"state:{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A transition. `label` is the text as written; (source, label, target) is its identity.

    `event` is the event or intent that takes it, `value` the answer that selects a conditional
    target. `target` may name a missing state: a finding reports it and the canvas draws a stub.
    The target END is the end of the run. A run takes a transition with `after` only if it came from
    that state, and if a command fails.
    `inert` transitions are in the file but are never taken in the current profile.
    """

    source: str
    target: str
    label: str
    kind: TransitionKind = "event"
    event: str = ""
    value: str | None = None
    inert: bool = False
    after: str = ""
    place: Place

    @property
    def id(self) -> str:
        """`source|label|target`."""
        return f"{self.source}|{self.label}|{self.target}"

    @property
    def element(self) -> str:
        """The name in the inspector, in edits and in findings: `transition:<id>`."""
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
    """A transition that can be added to a state; the canvas shows it on drag and on drop.

    `label` is the event, "" for any new name, which must match `pattern`; `rule` describes it for
    people. `targets` are the ids of
    the possible targets, None for any state; `reason` explains why other targets are excluded.
    """

    source: str
    label: str = ""
    kind: TransitionKind = "event"
    targets: tuple[str, ...] | None = None
    pattern: str = ""
    rule: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry. `key` distinguishes several entries ("" in dialects with one entry); the entry of a
    level other than the pack's own has the name of the level as its key."""

    state: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """The projection of one revision's bytes. Names only what is in the files.

    `most_visits` is the maximum number of states that a run enters; None if the files set no
    limit. `more_transitions` is the number of transitions after the last one here: a dialect whose
    files imply far more transitions than bytes stops at `MAX_TRANSITIONS`.
    """

    dialect: str
    profile: str
    name: str
    entries: tuple[Entry, ...]
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    groups: tuple[Group, ...] = ()
    most_visits: int | None = None
    more_transitions: int = 0

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of the states, the pack's own ("") first."""
        return tuple(dict.fromkeys(("", *(state.level for state in self.states))))

    def on(self, level: str) -> Graph:
        """The graph of one level: its states, outgoing transitions, entries and groups."""
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
            "transitions": [transition_json(transition) for transition in self.transitions],
            "groups": [asdict(group) for group in self.groups],
        }


def state_json(state: State) -> dict[str, object]:
    """A state as JSON."""
    return {
        "id": state.id,
        "kind": state.kind,
        "name": state.name,
        "terminal": state.terminal,
        "stateless": state.stateless,
        "group": state.group,
        "role": state.role,
        "prompt_users": state.prompt_users,
        "prompt": state.prompt,
        "prompt_line": state.prompt_line,
        "counts": dict(state.counts),
        "max_visits": state.max_visits,
        "level": state.level,
        "inside": state.inside,
    }


def transition_json(transition: Transition) -> dict[str, object]:
    """A transition as JSON."""
    return {
        "id": transition.id,
        "source": transition.source,
        "target": transition.target,
        "label": transition.label,
        "kind": transition.kind,
        "event": transition.event,
        "value": transition.value,
        "inert": transition.inert,
    }
