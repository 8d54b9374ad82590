"""What a step's schema asks for, apart from the intent, the deciding field and plain slots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from workflows.core.dialects.steps_registry.convert.plans import ANSWER, INTENT_FIELD, plan_of
from workflows.core.dialects.steps_registry.convert.writing import answer_fields
from workflows.core.dialects.steps_registry.schemas_ref import (
    SchemaProblem,
    Spot,
    definition,
    resolve,
    target_of,
    value_at,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import Step, text_of
from workflows.core.facts import way_key
from workflows.core.ledger import Ledger
from workflows.core.neutral import Machine, Slot, State, without_fields

DEEPEST = 24


@dataclass(kw_only=False)
class Answers:
    """The schemas of one agent's steps, resolved once."""

    source: RegistrySource
    ledger: Ledger
    known: dict[str, Any] = field(default_factory=dict)
    waiting: list[tuple[Spot, tuple[str, str]]] = field(default_factory=list)

    def schema(self, step: Step) -> Any:
        """The step's schema with every `$ref` put in place; None where there is none."""
        if step.id not in self.known:
            try:
                spot = definition(self.source, step)
                self.known[step.id] = spot and resolve(self.source, spot, strict=False)
            except SchemaProblem:
                self.known[step.id] = None
        return self.known[step.id]

    def property(self, step: Step, path: str) -> Any:
        """What the schema says of a field."""
        node = self.schema(step)
        for part in path.split("."):
            properties = node.get("properties") if isinstance(node, dict) else None
            node = properties.get(part) if isinstance(properties, dict) else None
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
        if spot is None or not isinstance(schema, dict):
            return state
        for place in self._parts(spot):
            self.waiting.append((place, (f"state:{state.id}", "answer")))
        plan = plan_of(state, step.kind or "work")
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
                self.ledger.say(spot.path, here, (f"state:{state.id}", f"keeps {name}"))
                self.ledger.say(spot.path, (*here, "description"), (f"slot:{name}", "description"))
            else:
                keys = [way_key(state.id, way.label) for way in state.ways]
                self.ledger.say(spot.path, here, *keys or [(f"state:{state.id}", "end")])

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
        """Mark the places of all schemas, last, so that what is inside them may say more."""
        for spot, key in self.waiting:
            pointer = tuple(int(part) if part.isdigit() else part for part in spot.pointer)
            if spot.path in self.ledger.trees:
                self.ledger.say(spot.path, pointer, key)
