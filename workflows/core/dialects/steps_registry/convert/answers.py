"""What a step's schema asks for, apart from the intent, the deciding field and plain slots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from workflows.core.convert.coverage import CoverageReport, leaves
from workflows.core.convert.facts import transition_key
from workflows.core.convert.neutral import Machine, Slot, State, without_fields
from workflows.core.dialects.steps_registry.convert.from_neutral import answer_fields
from workflows.core.dialects.steps_registry.convert.plans import ANSWER, INTENT_FIELD, plan_of
from workflows.core.dialects.steps_registry.format.steps import Step, text_of
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaProblem,
    Spot,
    definition,
    follow,
    target_of,
    value_at,
)
from workflows.core.dialects.steps_registry.source import RegistrySource

DEEPEST = 24
PUT_IN_PLACE = "What it refers to stands in its place."
OVERRIDDEN = "Another part of the schema says something else in its place."


def whole_schema(source: RegistrySource, spot: Spot, above: tuple[Spot, ...] = ()) -> Any:
    """The schema with every `$ref` put in place. Members of `allOf` become one where that loses
    nothing. Raises SchemaProblem for a missing or endless reference."""
    spot = follow(source, spot)
    if spot in above or len(above) > DEEPEST:
        raise SchemaProblem(f"The schema at {'/'.join(spot.pointer)} contains itself")
    inner = (*above, spot)
    node = value_at(source, spot)
    if isinstance(node, list):
        return [whole_schema(source, spot.child(str(at)), inner) for at in range(len(node))]
    if not isinstance(node, dict):
        return node
    own = {key: whole_schema(source, spot.child(key), inner) for key in node}
    members = own.pop("allOf", None)
    if members is None:
        return own
    together = _together([*members, own]) if isinstance(members, list) else None
    return together if together is not None else {**own, "allOf": members}


def _together(parts: list[Any]) -> dict[str, Any] | None:
    """Several schemas as one, the last first where properties differ; None where they say other
    things that differ."""
    merged: dict[str, Any] = {}
    for part in parts:
        if not isinstance(part, dict):
            return None
        for key, value in part.items():
            held = merged.get(key)
            if key == "required" and isinstance(held, list) and isinstance(value, list):
                merged[key] = [*held, *(name for name in value if name not in held)]
            elif key == "properties" and isinstance(held, dict) and isinstance(value, dict):
                merged[key] = {**held, **value}
            elif key in merged and held != value and key not in ("description", "title"):
                return None
            else:
                merged[key] = value
    return merged


def _property(schema: Any, name: str) -> Any:
    """What a schema says of a property, in its own words or in those of an `allOf`."""
    if not isinstance(schema, dict):
        return None
    properties, members = schema.get("properties"), schema.get("allOf")
    if isinstance(properties, dict) and name in properties:
        return properties[name]
    found = (_property(member, name) for member in members) if isinstance(members, list) else ()
    return next((each for each in found if each is not None), None)


@dataclass(kw_only=False)
class Answers:
    """The schemas of one agent's steps, resolved once."""

    source: RegistrySource
    coverage: CoverageReport
    known: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    """The kind of every state."""
    spoken: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """What the whole schema says, value by value."""
    waiting: list[tuple[Spot, tuple[str, str]]] = field(default_factory=list)

    def schema(self, step: Step) -> Any:
        """The step's schema with every `$ref` put in place; None where there is none."""
        if step.id not in self.known:
            try:
                spot = definition(self.source, step)
                self.known[step.id] = spot and whole_schema(self.source, spot)
            except SchemaProblem:
                self.known[step.id] = None
        return self.known[step.id]

    def property(self, step: Step, path: str) -> Any:
        """What the schema says of a field."""
        node = self.schema(step)
        for part in path.split("."):
            node = _property(node, part)
        return node

    def description(self, step: Step, key: str, slot: str) -> str:
        """What a value is that a step leaves behind under its own name."""
        given = self.property(step, key) if key in step.handoff_fields else None
        return text_of(given.get("description")) if isinstance(given, dict) else ""

    def asks_for_intent(self, step: Step) -> bool:
        """Whether the schema says more of the intent than that it is one of those allowed; then it
        stays part of the answer, and the ways look at it."""
        given = self.property(step, INTENT_FIELD.partition(".")[0])
        action = {"type": "string", "enum": list(step.allowed)}
        usual = {"type": "object", "required": ["action"], "properties": {"action": action}}
        return given is not None and given != usual

    def when(self, step: Step, intent: str) -> dict[str, Any]:
        """The condition under which an answer names this intent."""
        path = text_of((step.gate or {}).get("intentField")) or INTENT_FIELD
        return {"path": ANSWER + path, "op": "equals", "value": intent}

    def with_answer(self, state: State, step: Step) -> State:
        """The state with what is left of its schema. Marks every place that the schema is made
        of: it may be spread over several files."""
        try:
            spot = definition(self.source, step)
        except SchemaProblem:
            spot = None
        schema = self.schema(step)
        self.spoken[f"state:{state.id}", "answer"] = {repr(value) for _, value in leaves(schema)}
        if spot is None or not isinstance(schema, dict):
            return state
        for place in self._parts(spot):
            self.waiting.append((place, (f"state:{state.id}", "answer")))
        plan = plan_of(state, self.kinds)
        slots = Machine(
            id="", states=(state,),
            slots=tuple(self._slots_of(state, step)),
        )  # fmt: skip
        fields = answer_fields(slots, state, plan)
        if self.asks_for_intent(step):
            fields.pop("next_action", None)
        answer = without_fields(schema, fields)
        left = answer.get("properties") if isinstance(answer, dict) else {}
        self._say_fields(state, spot, fields, left if isinstance(left, dict) else {})
        return replace(state, answer=answer)

    def _slots_of(self, state: State, step: Step) -> Iterator[Slot]:
        for name, path in state.writes.items():
            yield Slot(name=name, description=self.description(step, path, name))

    def _say_fields(
        self, state: State, spot: Spot, fields: dict[str, Any], left: dict[str, Any]
    ) -> None:
        """Fields that are not part of the answer say slots and ways."""
        for name in fields:
            if name in left:
                continue
            here = (*spot.pointer, "properties", name)
            if name in state.writes:
                self.coverage.mark(spot.path, here, (f"state:{state.id}", f"keeps {name}"))
                self.coverage.mark(
                    spot.path, (*here, "description"), (f"slot:{name}", "description")
                )
            else:
                keys = [transition_key(state.id, way.label) for way in state.transitions]
                self.coverage.mark(spot.path, here, *keys or [(f"state:{state.id}", "end")])

    def _parts(self, spot: Spot) -> Iterator[Spot]:
        """Every place that the schema at a spot is made of, itself first."""
        seen: set[Spot] = set()
        waiting = [spot]
        while waiting:
            place = waiting.pop()
            if place in seen or len(seen) > 500:
                continue
            seen.add(place)
            yield place
            waiting += self._named_in(place, value_at(self.source, place), 0)

    def _named_in(self, spot: Spot, value: Any, depth: int) -> Iterator[Spot]:
        if depth > DEEPEST:
            return
        if isinstance(value, dict):
            if isinstance(reference := value.get("$ref"), str):
                yield target_of(self.source, spot, reference)
            for item in value.values():
                yield from self._named_in(spot, item, depth + 1)
        elif isinstance(value, list):
            for item in value:
                yield from self._named_in(spot, item, depth + 1)

    def finish(self) -> None:
        """Mark the places of all schemas, last, so that what is inside them may say more. What
        another part of a schema says in its place is told as left out."""
        users: dict[Spot, list[tuple[str, str]]] = {}
        for spot, key in self.waiting:
            users.setdefault(spot, []).append(key)
        for spot, keys in users.items():
            if spot.path not in self.coverage.trees:
                continue
            pointer = tuple(int(part) if part.isdigit() else part for part in spot.pointer)
            self.coverage.mark(spot.path, pointer, *keys)
            there = set().union(*(self.spoken.get(key, set()) for key in keys))
            for below, value in leaves(value_at(self.source, spot)):
                place = (*pointer, *below)
                referring = below[-1:] == ("$ref",)
                if not below or (repr(value) in there and not referring):
                    continue
                if (spot.path, place) not in self.coverage.marks:
                    why = PUT_IN_PLACE if referring else OVERRIDDEN
                    self.coverage.skip(spot.path, place, why)
