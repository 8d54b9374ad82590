"""One step of any generation: its kind, gate, rules and transitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from workflows.core.dialects.steps_registry.format.vocabulary import (
    KIND_OF_C2,
    KINDS,
    TARGET_MODES,
)
from workflows.core.text.json.document import pointer_text

StepTransitionKind: TypeAlias = Literal["target", "fallback", "value"]


@dataclass(frozen=True, slots=True)
class StepTransition:
    """One target in a transition rule. `value` is the answer that selects a conditional target."""

    source: str
    intent: str
    target: str
    kind: StepTransitionKind
    value: str | None = None

    @property
    def label(self) -> str:
        if self.kind == "value":
            return f"{self.intent}: {self.value}"
        return self.intent if self.kind == "target" else f"{self.intent} (fallback)"

    @property
    def id(self) -> str:
        return f"{self.source}|{self.label}|{self.target}"

    @property
    def pointer(self) -> tuple[str, ...]:
        """The pointer of the target."""
        rule = ("steps", self.source, "transitions", self.intent)
        return (*rule, "targets", self.value or "") if self.kind == "value" else (*rule, self.kind)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step. `value` is the author's object; the other fields are read from it.

    `kind` is the explicit kind, else the kind inferred from `c2` (before 1.14), else None. `rules`
    and `inputs` only have members that are objects. `reference` is `outputSchemaRef` as (file,
    name), None if it is missing or not an object. A `section` is a fragment of a prompt outside the
    flow: it has neither gate nor rules. `chain` is `adaptationChain` or None; only the 1.14
    generation reads it.
    """

    id: str
    value: dict[str, Any]
    explicit: str | None
    kind: str | None
    c2: str
    c3: str
    edition: str
    adaptation: str
    gate: dict[str, Any] | None
    allowed: tuple[str, ...]
    rules: dict[str, dict[str, Any]]
    transitions: tuple[StepTransition, ...]
    variables: tuple[str, ...]
    handoff_fields: tuple[str, ...]
    inputs: dict[str, dict[str, Any]]
    reference: tuple[str, str] | None
    section: bool
    chain: tuple[str, ...] | None

    @property
    def exempt(self) -> bool:
        """True if the rules for flow steps do not apply. Like the loader, this only checks the
        id."""
        return self.id.startswith("section.")

    @property
    def element(self) -> str:
        return f"state:{self.id}"

    def intents(self) -> tuple[str, ...]:
        """Allowed intents, then intents that only have a rule."""
        return (*self.allowed, *(name for name in self.rules if name not in self.allowed))


def pointer_to(keys: tuple[str, ...]) -> str:
    """The text of a JSON pointer. Keys without `/` and `~`, the common case, are not escaped one by
    one."""
    text = "/" + "/".join(keys)
    if "~" not in text and text.count("/") == len(keys):
        return text
    return pointer_text(keys)


def strings(value: Any) -> tuple[str, ...]:
    """The strings of a list; empty for any other value."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def input_variables(step: Step) -> set[str]:
    """The variable names of a step's inputs in its prompt (section 4.6)."""
    names = set()
    for name, item in step.inputs.items():
        origin, dot, key = text_of(item.get("from")).rpartition(".")
        names.add(f"{origin.replace('.', '_')}_{key}" if dot else name)
    return names


def target_mode(step: Step, profile: str) -> str:
    """The target mode of a gate; "" for none. Climpt reads none (section 1.3).

    The document lists the values without their meaning. Climpt's reference for authors has it:
    explicit takes targets from `transitions`, dynamic from `targetField`, conditional from
    conditional rules.
    """
    mode = (step.gate or {}).get("targetMode")
    return mode if profile != "climpt" and mode in TARGET_MODES else ""


def read_step(id: str, value: dict[str, Any]) -> Step:
    """Read one step of any generation. Values of the wrong type count as missing."""
    place = address_of(value)
    inferred = KIND_OF_C2.get(text_of(place.get("c2"))) if "address" not in value else None
    explicit = value.get("stepKind", value.get("kind"))
    kind = explicit if explicit in KINDS else None
    gate = value.get("structuredGate")
    gate = gate if isinstance(gate, dict) else None
    rules = _objects(value.get("transitions"))
    c2 = text_of(place.get("c2"))
    named = c2 == "section" or id.startswith("section.")
    return Step(
        id,
        value,
        explicit if isinstance(explicit, str) else None,
        kind or inferred,
        c2,
        text_of(place.get("c3")),
        text_of(place.get("edition")) or "default",
        text_of(place.get("adaptation")),
        gate,
        strings(gate.get("allowedIntents")) if gate is not None else (),
        rules,
        tuple(_step_transitions(id, rules)),
        strings(value.get("uvVariables")),
        strings(gate.get("handoffFields")) if gate is not None else (),
        _objects(value.get("inputs")),
        _reference(value.get("outputSchemaRef")),
        named and gate is None and not rules,
        strings(value["adaptationChain"]) if "adaptationChain" in value else None,
    )


def address_of(value: dict[str, Any]) -> dict[str, Any]:
    """The object with the parts of the prompt's path: `address` since 1.14, else the step
    itself."""
    address = value.get("address")
    return address if isinstance(address, dict) else value


def _objects(value: Any) -> dict[str, dict[str, Any]]:
    """The members of a map that are objects."""
    if not isinstance(value, dict):
        return {}
    return {name: item for name, item in value.items() if isinstance(item, dict)}


def _reference(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, dict):
        return None
    file, name = value.get("file"), value.get("schema")
    return (file, name) if isinstance(file, str) and isinstance(name, str) else None


def _step_transitions(id: str, rules: dict[str, dict[str, Any]]) -> Iterator[StepTransition]:
    for intent, rule in rules.items():
        if isinstance(target := rule.get("target"), str) and target:
            yield StepTransition(id, intent, target, "target")
        targets = rule.get("targets")
        if isinstance(targets, dict):
            for value, target in targets.items():
                if isinstance(target, str) and target:
                    yield StepTransition(id, intent, target, "value", value)
        if isinstance(target := rule.get("fallback"), str) and target:
            yield StepTransition(id, intent, target, "fallback")
