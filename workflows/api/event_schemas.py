"""OpenAPI schemas of run events, generated from `workflows.core.engine.event_types`."""

from __future__ import annotations

from inspect import cleandoc
from types import NoneType
from typing import Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from workflows.core.engine.event_types import CoreEvent, DialectEvent

REFERENCE = "#/components/schemas/"
TYPES: dict[object, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    Any: {},
}
SECONDS = {"type": "number", "description": "Seconds since 1970."}


def event_schemas() -> dict[str, dict[str, Any]]:
    """`RunEvent`, its two parts and one component per event type, by component name."""
    kinds = {f"{kind.__name__}Event": kind for kind in get_args(CoreEvent)}
    names = {_type_of(kind): REFERENCE + name for name, kind in kinds.items()}
    return {
        "RunEvent": {
            "description": "One numbered event of a run; `type` decides the other fields.",
            "anyOf": [{"$ref": f"{REFERENCE}{name}"} for name in ("CoreEvent", "DialectEvent")],
        },
        "CoreEvent": {
            "oneOf": [{"$ref": name} for name in names.values()],
            "discriminator": {"propertyName": "type", "mapping": names},
        },
        "DialectEvent": _schema(DialectEvent),
        **{name: _schema(kind) for name, kind in kinds.items()},
    }


def _type_of(kind: type[Any]) -> str:
    (name,) = get_args(get_type_hints(kind)["type"])
    return str(name)


def _schema(kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {
        "type": "object",
        "description": cleandoc(kind.__doc__ or "").replace("\n", " "),
        "properties": {name: SECONDS if name == "at" else _shape(h) for name, h in hints.items()},
        # `__required_keys__` does not see `NotRequired` in postponed annotations.
        "required": [name for name, h in hints.items() if get_origin(h) is not NotRequired],
        "additionalProperties": {},
    }


def _shape(hint: Any) -> dict[str, Any]:
    """The JSON Schema of a field's type. Raises TypeError for one that no event has."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _shape(arguments[0])
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _shape(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _shape(arguments[1])}
    if is_typeddict(hint):
        return _schema(hint)
    if hint in TYPES:
        return TYPES[hint]
    raise TypeError(f"The OpenAPI document has no schema for {hint}.")
