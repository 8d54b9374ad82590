"""Plans for the transitions of a state: kind, intents, and the value that selects a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.convert.neutral import DECISION, Machine, State, Transition
from workflows.core.dialects.steps_registry.format.vocabulary import ALLOWED, BOUNDARY, KINDS
from workflows.core.pack.forms import Json

NEXT, REPEAT, CLOSING, HANDOFF = "next", "repeat", "closing", "handoff"
DEFAULT = "default"
INTENT_FIELD = "next_action.action"
ANSWER = "result.parsed."
"""Prefix of a neutral condition on the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The transitions of a state. `intents` have one target (None: the run ends). `values` are
    selected by the answer's field `condition`, under the intent `next`. `choices` are the values of
    that field if the conversion adds it. `lost` are the labels of transitions that a registry
    cannot express."""

    kind: str
    intents: dict[str, str | None]
    condition: str = ""
    values: dict[str, str] | None = None
    choices: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def allowed(self) -> tuple[str, ...]:
        return (*((NEXT,) if self.values and NEXT not in self.intents else ()), *self.intents)


def usual_kinds(machine: Machine) -> dict[str, str]:
    """The kind of every state without an explicit one: closure for an end, verification for a state
    that leads to an end other than by handoff, else work."""
    kinds: dict[str, str] = {}
    for state in machine.states:
        kinds[state.id] = "closure" if state.ends or may_close(state) else "work"
    closing = {id for id, kind in kinds.items() if kind == "closure"}
    for state in machine.states:
        leads = (
            transition for transition in state.transitions if _intent(transition, "work") != HANDOFF
        )
        to = {target for transition in leads for target in transition.targets}
        if kinds[state.id] == "work" and to & closing:
            kinds[state.id] = "verification"
    return kinds


def kinds(machine: Machine) -> dict[str, str]:
    """The kind of every state."""
    usual = usual_kinds(machine)
    return {
        state.id: state.kind if state.kind in KINDS else usual[state.id] for state in machine.states
    }


def may_close(state: State) -> bool:
    """True if a closure step can express this state: the run ends here, or continues in one way."""
    ending = [transition for transition in state.transitions if not transition.targets]
    onward = [transition for transition in state.transitions if transition.targets]
    return len(ending) == 1 and len(onward) == 1 and not onward[0].otherwise


def plan_of(state: State, kinds: Mapping[str, str]) -> Plan:
    """The plan of a state whose transitions have one target each."""
    kind = kinds.get(state.id) or "work"
    if kind == "closure":
        return _closure(state)
    intents: dict[str, str | None] = {}
    rest: list[Transition] = []
    for transition in state.transitions:
        intent = _permitted(transition, state.id, kinds)
        if intent and intent not in intents:
            intents[intent] = transition.targets[0] if transition.targets else None
        else:
            rest.append(transition)
    if NEXT in intents and rest:
        rest = [
            transition
            for transition in state.transitions
            if transition in rest or _intent(transition, kind) == NEXT
        ]
        del intents[NEXT]
    # Only a closing intent ends the run, so a value cannot select a transition that does.
    onward = [transition for transition in rest if transition.targets]
    if not onward:
        return Plan(kind=kind, intents=intents)
    field = _common_field(rest)
    if field:
        values = {_value(transition): transition.targets[0] for transition in onward}
        return Plan(kind=kind, intents=intents, condition=field, values=values)
    values = {
        transition.label: transition.targets[0] for transition in onward if not transition.otherwise
    }
    spare = [transition for transition in onward if transition.otherwise] or onward[-1:]
    return Plan(
        kind=kind,
        intents=intents,
        condition=DECISION,
        values={**values, DEFAULT: spare[-1].targets[0]},
        choices=tuple(transition.label for transition in onward),
        lost=tuple(transition.label for transition in rest if transition.when is not None),
    )


def _closure(state: State) -> Plan:
    """The plan of a closure step: closing, and optionally repeat."""
    intents: dict[str, str | None] = {CLOSING: None}
    lost = []
    for transition in state.transitions:
        if transition.targets:
            intents[REPEAT] = transition.targets[0]
            if _intent(transition, "closure") != REPEAT:
                lost.append(transition.label)
    return Plan(kind="closure", intents=intents, lost=tuple(lost))


def _permitted(transition: Transition, state: str, kinds: Mapping[str, str]) -> str:
    """The intent of a transition if its target is permitted, or if the answer itself has the
    intent; else ""."""
    kind = kinds.get(state) or "work"
    intent = _intent(transition, kind)
    if transition.when is not None:
        return intent
    onto = BOUNDARY.get((kind, intent))
    strange = [
        target
        for target in transition.targets
        if target != state and onto is not None and kinds.get(target, "") not in (*onto, "")
    ]
    return "" if strange else intent


def _intent(transition: Transition, kind: str) -> str:
    """The intent of a transition; "" for none of the kind's intents."""
    value = (
        equals(transition.when, INTENT_FIELD) if transition.when is not None else transition.label
    )
    fits = isinstance(value, str) and value in ALLOWED[kind] and value != "jump"
    return value if fits and isinstance(value, str) and not transition.otherwise else ""


def equals(when: Json, field: str = "") -> Any:
    """The value with which a plain condition compares a field of the answer; None for other
    conditions."""
    if (
        not isinstance(when, dict)
        or when.get("op") != "equals"
        or set(when) - {"path", "op", "value"}
    ):
        return None
    path = when.get("path")
    if not isinstance(path, str) or not path.startswith(ANSWER):
        return None
    return when.get("value") if not field or path == ANSWER + field else None


def _common_field(transitions: list[Transition]) -> str:
    """The one field that all these transitions read; "" if there is none."""
    fields = set()
    for transition in transitions:
        if transition.otherwise:
            continue
        value = equals(transition.when)
        if not isinstance(value, str | bool | int) or not isinstance(transition.when, dict):
            return ""
        fields.add(str(transition.when["path"]).removeprefix(ANSWER))
    return fields.pop() if len(fields) == 1 else ""


def _value(transition: Transition) -> str:
    if transition.otherwise:
        return DEFAULT
    value = equals(transition.when)
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
