"""Edits of intents. An intent is in three places: `allowedIntents`, the enum of the schema, and
`transitions`.

These functions change the first two; edits of transitions change the third (specs of the format,
section 7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from workflows.core.dialects.steps_registry.edits.common import set_at, step_of
from workflows.core.dialects.steps_registry.edits.enum_shape import property_names, with_enum
from workflows.core.dialects.steps_registry.edits.schema import make_definition
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    definition,
    enum_location,
    enum_of,
    follow,
    intent_keys,
    reference_targets,
    schema_files,
    value_at,
    walk,
)
from workflows.core.dialects.steps_registry.schemas.resolve import resolve
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import EditRefused
from workflows.core.text.json.document import Pointer

MOST_INTENTS = 1_000  # in longer lists, a change compares place by place
FIELD = "next_action.action"
POINTER = "#/properties/next_action/properties/action"


def allow(source: RegistrySource, id: str, intent: str) -> RegistrySource:
    """Add an intent to the gate and to the enum. A step without a gate gets one."""
    source = ensure_gate(source, id)
    step = step_of(source, id)
    if intent not in step.allowed:
        source = _set_allowed(source, id, [*step.allowed, intent])
    enum = _enum(source, step)
    if enum is None:
        return align_enum(source, id)
    return source if intent in enum else set_enum(source, id, [*enum, intent])


def forbid(source: RegistrySource, id: str, intent: str) -> RegistrySource:
    """Remove an intent from the gate and from the enum."""
    step = step_of(source, id)
    if intent in step.allowed:
        source = _set_allowed(source, id, [item for item in step.allowed if item != intent])
    enum = _enum(source, step)
    if enum is None or intent not in enum:
        return source
    return set_enum(source, id, [item for item in enum if item != intent])


def own_enum_places(
    source: RegistrySource, id: str, intent: str
) -> tuple[str, tuple[Pointer, ...]] | None:
    """The schema file and the place of an intent that `forbid` only has to remove from a list that
    no other step shares. No place if the list lacks it; None if `forbid` does more."""
    step = step_of(source, id)
    enum = _enum(source, step)
    if intent in step.allowed:
        return None
    if enum is None or intent not in enum:
        return "", ()
    location = enum_location(source, step)
    if location is None or _shared(source, step, location):
        return None
    here = (*location.pointer, "enum")
    written = value_at(source, location)["enum"]
    if written != list(enum) or len(set(enum)) != len(enum) or len(enum) > MOST_INTENTS:
        return None
    return location.path, ((*here, enum.index(intent)),)


def replace_intent(source: RegistrySource, id: str, old: str, new: str) -> RegistrySource:
    """Replace one intent by another, in gate and enum."""
    step = step_of(source, id)
    if old in step.allowed:
        allowed = [new if item == old else item for item in step.allowed]
        source = _set_allowed(source, id, list(dict.fromkeys(allowed)))
    enum = _enum(source, step)
    if enum is None:
        return allow(source, id, new)
    if old in enum:
        values = [new if item == old else item for item in enum]
        return set_enum(source, id, list(dict.fromkeys(values)))
    return allow(source, id, new)


def align_enum(source: RegistrySource, id: str) -> RegistrySource:
    """Update the schema's enum to match `allowedIntents`, in its existing order.

    Does nothing if the schema or its file is missing, which a finding reports.
    """
    step = step_of(source, id)
    if step.gate is None or not step.allowed:
        return source
    try:
        location = enum_location(source, step)
        if location is None:
            return _write_missing_enum(source, step)
    except SchemaProblem:
        return source
    enum = enum_of(source, location)
    if set(enum) == set(step.allowed):
        return source
    kept = [item for item in enum if item in step.allowed]
    return set_enum(source, id, [*kept, *(item for item in step.allowed if item not in kept)])


def _enum(source: RegistrySource, step: Step) -> tuple[str, ...] | None:
    try:
        location = enum_location(source, step)
    except SchemaProblem:
        return None
    return None if location is None else enum_of(source, location)


def _set_allowed(source: RegistrySource, id: str, values: list[str]) -> RegistrySource:
    pointer = ("steps", id, "structuredGate", "allowedIntents")
    return source.registry_edit(lambda text: set_at(text, pointer, values))


def ensure_gate(source: RegistrySource, id: str) -> RegistrySource:
    """Add everything that a flow step needs to a step without a gate: gate, rules, answer
    schema."""
    step = step_of(source, id)
    if step.section:
        raise EditRefused(
            f"{id!r} is a section, a fragment of a prompt, and has no transitions.",
            where=step.element,
        )
    if step.gate is None:
        field, pointer = gate_style(source)
        gate: Any = {"allowedIntents": [], "intentSchemaRef": pointer, "intentField": field}
        place = ("steps", id, "structuredGate")
        source = source.registry_edit(lambda text: text.set(place, gate))
    if not isinstance(step.value.get("transitions"), dict):
        source = source.registry_edit(lambda text: text.set(("steps", id, "transitions"), {}))
    if step.reference is None:
        source = make_definition(source, id, before="structuredGate")
    return source


def gate_style(source: RegistrySource) -> tuple[str, str]:
    """(intentField, intentSchemaRef) as the other gates of this file have them."""
    for step in source.steps.values():
        keys = intent_keys(step)
        field = (step.gate or {}).get("intentField")
        if keys and isinstance(field, str) and property_names(keys) is not None:
            return field, str((step.gate or {})["intentSchemaRef"])
    return FIELD, POINTER


# -- the enum ------------------------------------------------------------------------------------


def set_enum(source: RegistrySource, id: str, values: Sequence[str]) -> RegistrySource:
    """Write the list of intents where this step's is written.

    Where other steps mean the same list (through `$ref`, `allOf` or one definition for several
    steps), changing it would break their contract. Then this step gets a list of its own: the
    property is written out in the step's definition, which wins over what it refers to.
    """
    step = step_of(source, id)
    location = enum_location(source, step)
    if location is None:
        return source
    if not _shared(source, step, location):
        return source.edit(
            location.path, lambda text: text.set((*location.pointer, "enum"), list(values))
        )
    return _narrow(source, step, list(values))


def _shared(source: RegistrySource, step: Step, location: SchemaLocation) -> bool:
    own = definition(source, step)
    if own is not None and location.under(own) and not _others_reach(source, step, own, location):
        return False
    # An edit of many steps gives them lists of their own in file order, so the last shares longest.
    for other in reversed(source.steps.values()):
        if other.id != step.id:
            try:
                if enum_location(source, other) == location:
                    return True
            except SchemaProblem:
                continue
    return False


def _others_reach(
    source: RegistrySource, step: Step, own: SchemaLocation, location: SchemaLocation
) -> bool:
    """True if anything besides this step could refer to its definition. Cheap: no lookups."""
    if _same_schema(source, step):
        return True
    return any(
        target.under(own) or location.under(target)
        for path in schema_files(source)
        for target in reference_targets(source, path)
    )


def _same_schema(source: RegistrySource, step: Step) -> bool:
    """True if another step names the same definition."""
    return _users(source)[step.reference] > 1


def _users(source: RegistrySource) -> Counter[tuple[str, str] | None]:
    """The number of steps that name each definition. Kept while the steps are the same."""
    held = source.memo.get("users")
    if held is None or held[0] is not source.steps:
        users = Counter(step.reference for step in source.steps.values())
        held = source.memo["users"] = (source.steps, users)
    counts: Counter[tuple[str, str] | None] = held[1]
    return counts


def _narrow(source: RegistrySource, step: Step, values: list[str]) -> RegistrySource:
    """Give the step an enum of its own, as near to the step as its schema allows."""
    own = definition(source, step)
    keys = intent_keys(step)
    names = property_names(keys) if keys else None
    if own is None or keys is None or names is None:
        raise EditRefused(
            f"The intents of {step.id!r} come from a list that other steps share.",
            where=step.element,
            hint="Give the step a schema of its own first.",
        )
    if _definition_shared(source, step, own):
        source = make_definition(source, step.id, onto=own)
        step = step_of(source, step.id)
        own = definition(source, step)
        assert own is not None
    own = follow(source, own)
    first = own.child("properties", names[0])
    full = walk(source, own, keys[:2])
    value = resolve(source, full, strict=False) if full is not None else {"type": "object"}
    value = with_enum(value, names[1:], values)
    return source.edit(own.path, lambda text: set_at(text, first.pointer, value))


def _definition_shared(source: RegistrySource, step: Step, own: SchemaLocation) -> bool:
    if _same_schema(source, step):
        return True
    if follow(source, own) != own:
        return True
    return any(
        own.under(target)
        for path in schema_files(source)
        for target in reference_targets(source, path)
    )


def _write_missing_enum(source: RegistrySource, step: Step) -> RegistrySource:
    """The definition is there but has no enum where the gate points: write it."""
    own = definition(source, step)
    keys = intent_keys(step)
    names = property_names(keys) if keys else None
    if own is None or names is None:
        return source
    if value_at(source, own) is None or _definition_shared(source, step, own):
        return source
    return _narrow(source, step, list(step.allowed))
