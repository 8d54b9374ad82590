"""Conversion of answer schemas, without the intent, the deciding field and plain slots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from workflows.core.convert.coverage import CoverageReport, leaves
from workflows.core.convert.facts import transition_key
from workflows.core.convert.neutral import Machine, Slot, State, without_fields
from workflows.core.dialects.steps_registry.convert.from_neutral import answer_fields
from workflows.core.dialects.steps_registry.convert.plans import ANSWER, INTENT_FIELD, plan_of
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    definition,
    follow,
    target_of,
    value_at,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.limits import VALUE_DEPTH
from workflows.core.text.tolerant import as_object, as_str

INLINED = "Replaced by the referenced schema."
OVERRIDDEN = "Overridden by another part of the schema."


def whole_schema(
    source: RegistrySource, location: SchemaLocation, above: tuple[SchemaLocation, ...] = ()
) -> Any:
    """The schema with every `$ref` resolved. Members of `allOf` are merged if nothing is lost.
    Raises SchemaProblem for a missing or circular reference."""
    location = follow(source, location)
    if location in above or len(above) > VALUE_DEPTH:
        raise SchemaProblem(f"The schema at {'/'.join(location.pointer)} contains itself")
    inner = (*above, location)
    node = value_at(source, location)
    if isinstance(node, list):
        return [whole_schema(source, location.child(str(at)), inner) for at in range(len(node))]
    if not isinstance(node, dict):
        return node
    own = {key: whole_schema(source, location.child(key), inner) for key in node}
    members = own.pop("allOf", None)
    if members is None:
        return own
    together = _together([*members, own]) if isinstance(members, list) else None
    return together if together is not None else {**own, "allOf": members}


def _together(parts: list[Any]) -> dict[str, Any] | None:
    """Several schemas merged, with later properties first; None if they contradict each other."""
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
    """The schema of a property, from `properties` or from an `allOf` member."""
    if not isinstance(schema, dict):
        return None
    properties, members = schema.get("properties"), schema.get("allOf")
    if isinstance(properties, dict) and name in properties:
        return properties[name]
    matches = (_property(member, name) for member in members) if isinstance(members, list) else ()
    return next((each for each in matches if each is not None), None)


@dataclass(kw_only=False)
class Answers:
    """The schemas of one agent's steps, resolved once."""

    source: RegistrySource
    coverage: CoverageReport
    schemas: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    """The kind of every state."""
    spoken: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """The values of the whole schema."""
    waiting: list[tuple[SchemaLocation, tuple[str, str]]] = field(default_factory=list)

    def schema(self, step: Step) -> Any:
        """The step's schema with every `$ref` put in place; None where there is none."""
        if step.id not in self.schemas:
            try:
                location = definition(self.source, step)
                self.schemas[step.id] = location and whole_schema(self.source, location)
            except SchemaProblem:
                self.schemas[step.id] = None
        return self.schemas[step.id]

    def property(self, step: Step, path: str) -> Any:
        """The schema of an answer's field."""
        node = self.schema(step)
        for part in path.split("."):
            node = _property(node, part)
        return node

    def description(self, step: Step, key: str, slot: str) -> str:
        """The description of a value that a step writes under its own name."""
        field = self.property(step, key) if key in step.handoff_fields else None
        return as_str(field.get("description")) if isinstance(field, dict) else ""

    def asks_for_intent(self, step: Step) -> bool:
        """True if the schema of the intent has more than the enum of allowed intents. Then the
        intent stays part of the answer, and transitions read it."""
        field = self.property(step, INTENT_FIELD.partition(".")[0])
        action = {"type": "string", "enum": list(step.allowed)}
        usual = {"type": "object", "required": ["action"], "properties": {"action": action}}
        return field is not None and field != usual

    def when(self, step: Step, intent: str) -> dict[str, Any]:
        """The condition under which an answer names this intent."""
        path = as_str((step.gate or {}).get("intentField")) or INTENT_FIELD
        return {"path": ANSWER + path, "op": "equals", "value": intent}

    def with_answer(self, state: State, step: Step) -> State:
        """The state with what is left of its schema. Marks every place that the schema is made
        of: it may be spread over several files."""
        try:
            location = definition(self.source, step)
        except SchemaProblem:
            location = None
        schema = self.schema(step)
        self.spoken[f"state:{state.id}", "answer"] = {repr(value) for _, value in leaves(schema)}
        if location is None or not isinstance(schema, dict):
            return state
        for place in self._parts(location):
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
        self._say_fields(state, location, fields, as_object(left))
        return replace(state, answer=answer)

    def _slots_of(self, state: State, step: Step) -> Iterator[Slot]:
        for name, path in state.writes.items():
            yield Slot(name=name, description=self.description(step, path, name))

    def _say_fields(
        self, state: State, location: SchemaLocation, fields: dict[str, Any], left: dict[str, Any]
    ) -> None:
        """Mark fields that express slots and transitions and are not part of the answer."""
        for name in fields:
            if name in left:
                continue
            here = (*location.pointer, "properties", name)
            if name in state.writes:
                self.coverage.mark(location.path, here, (f"state:{state.id}", f"keeps {name}"))
                self.coverage.mark(
                    location.path, (*here, "description"), (f"slot:{name}", "description")
                )
            else:
                keys = [
                    transition_key(state.id, transition.label) for transition in state.transitions
                ]
                self.coverage.mark(location.path, here, *keys or [(f"state:{state.id}", "end")])

    def _parts(self, location: SchemaLocation) -> Iterator[SchemaLocation]:
        """Every place that the schema at a spot is made of, itself first."""
        visited: set[SchemaLocation] = set()
        waiting = [location]
        while waiting:
            place = waiting.pop()
            if place in visited or len(visited) > 500:
                continue
            visited.add(place)
            yield place
            waiting += self._named_in(place, value_at(self.source, place), 0)

    def _named_in(
        self, location: SchemaLocation, value: Any, depth: int
    ) -> Iterator[SchemaLocation]:
        if depth > VALUE_DEPTH:
            return
        if isinstance(value, dict):
            if isinstance(reference := value.get("$ref"), str):
                yield target_of(self.source, location, reference)
            for item in value.values():
                yield from self._named_in(location, item, depth + 1)
        elif isinstance(value, list):
            for item in value:
                yield from self._named_in(location, item, depth + 1)

    def finish(self) -> None:
        """Mark the locations of all schemas. This is last, because inner values may be marked
        separately. Overridden values are reported as dropped."""
        users: dict[SchemaLocation, list[tuple[str, str]]] = {}
        for location, key in self.waiting:
            users.setdefault(location, []).append(key)
        for location, keys in users.items():
            if location.path not in self.coverage.trees:
                continue
            pointer = tuple(int(part) if part.isdigit() else part for part in location.pointer)
            self.coverage.mark(location.path, pointer, *keys)
            there = set().union(*(self.spoken.get(key, set()) for key in keys))
            for below, value in leaves(value_at(self.source, location)):
                place = (*pointer, *below)
                referring = below[-1:] == ("$ref",)
                if not below or (repr(value) in there and not referring):
                    continue
                if (location.path, place) not in self.coverage.marks:
                    why = INLINED if referring else OVERRIDDEN
                    self.coverage.skip(location.path, place, why)
