"""Answer schemas of states, with and without the fields that a dialect needs for slots and for the
choice of a transition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workflows.core.convert.neutral.machine import Machine, Slot, State
from workflows.core.pack.forms import Json
from workflows.core.text.tolerant import as_object

DECISION = "decision"
"""The field of an answer that names the outcome, in dialects whose authors choose its name."""


def with_fields(answer: Json, fields: Mapping[str, Json]) -> dict[str, Json]:
    """The schema of an answer with these fields added as required ones. A field that the answer has
    already is unchanged."""
    base: dict[str, Json] = dict(answer) if isinstance(answer, dict) else {"type": "object"}
    declared, listed = base.get("properties"), base.get("required")
    properties = dict(as_object(declared))
    required: list[Json] = list(listed) if isinstance(listed, list) else []
    for name, value in fields.items():
        if name not in properties:
            properties[name] = value
            if name not in required:
                required.append(name)
    if required or listed is not None:
        base["required"] = required
    return {**base, "properties": properties}


def without_fields(schema: Json, fields: Mapping[str, Json]) -> Json:
    """The schema without these fields; None if nothing else is left. A field that differs from
    `fields`, or that is optional, is kept."""
    if not isinstance(schema, dict):
        return schema
    declared, listed = schema.get("properties"), schema.get("required")
    properties = dict(as_object(declared))
    required = list(listed) if isinstance(listed, list) else []
    for name, value in fields.items():
        if properties.get(name) == value and name in required:
            del properties[name]
            required.remove(name)
    rest = {key: item for key, item in schema.items() if key not in ("properties", "required")}
    if not properties and not required and rest in ({"type": "object"}, PLAIN, {}):
        return None
    if required:
        rest["required"] = required
    return {**rest, "properties": properties}


PLAIN: dict[str, Json] = {"type": "object", "additionalProperties": False}


def slot_field(slot: Slot) -> dict[str, Json]:
    """The schema of a slot's value in an answer."""
    field: dict[str, Json] = {"type": "string"}
    return {**field, "description": slot.description} if slot.description else field


def choice_field(labels: Iterable[str]) -> dict[str, Json]:
    """The schema of the field that names the outcome."""
    return {"type": "string", "enum": list(labels)}


def plain_fields(machine: Machine, state: State) -> dict[str, Json]:
    """The fields of an answer that fill slots of the same name."""
    return {
        name: slot_field(machine.slot[name]) for name, path in state.writes.items() if path == name
    }
