"""Parts of the OpenAPI document beyond the serializers: edits, open JSON values, and errors."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from inspect import cleandoc
from typing import Any, Union, get_args, get_origin, get_type_hints

from workflows.api.event_schemas import event_schemas
from workflows.api.operation_descriptions import add_words
from workflows.api.property_descriptions import describe_properties
from workflows.core.pack.edits import TYPES
from workflows.responses.error_bodies import SENTENCES
from workflows.rights.operations import scope_of

REFERENCE = "#/components/schemas/"
ANY = {"$ref": f"{REFERENCE}Json"}
RESPONSE = "#/components/responses/"
WORDS = {"content": {"application/json": {"schema": {"$ref": f"{REFERENCE}Error"}}}}
SAID = (400, 401, 403, 404, 406, 413, 415)
METHODS = ("get", "post", "put", "patch", "delete")

SESSION = "A browser that signed in; what changes something also sends the `X-CSRFToken` header."
JSON_VALUE: dict[str, Any] = {
    "description": "Any JSON value.",
    "anyOf": [
        {"type": "null"},
        {"type": "boolean"},
        {"type": "number"},
        {"type": "string"},
        {"type": "array", "items": ANY},
        {"type": "object", "additionalProperties": ANY},
    ],
}
PENDING: dict[str, Any] = {
    "type": "object",
    "description": "A pending effect; `effect` is its kind, which defines the other fields.",
    "properties": {name: {"type": "string"} for name in ("effect", "key", "position", "state")},
    "required": ["effect", "key", "position", "state"],
    "additionalProperties": ANY,
}
POSITIONS: dict[str, Any] = {
    "type": "object",
    "description": "State id to [x, y].",
    "additionalProperties": {
        "type": "array",
        "prefixItems": [{"type": "number"}, {"type": "number"}],
        "minItems": 2,
        "maxItems": 2,
    },
}
ROUTES: dict[str, Any] = {
    "type": "object",
    "description": "State id to routes by transition id.",
    "additionalProperties": {
        "type": "object",
        "additionalProperties": {"$ref": f"{REFERENCE}Route"},
    },
}
BINDING: dict[str, Any] = {
    "type": "object",
    "description": "The bound role. Without it the state uses its own prompt.",
    "properties": {
        "role": {"type": "integer"},
        "name": {"type": "string", "description": "Not read: it is the role's."},
        "color": {"type": "string", "description": "Not read: it is the role's."},
        "override": {"type": "string"},
        "mode": {"type": ["integer", "null"]},
        "gate": {"oneOf": [{"$ref": f"{REFERENCE}GateTransitions"}, {"type": "null"}]},
    },
    "required": ["role"],
    "additionalProperties": False,
}
PLAIN: dict[object, dict[str, Any]] = {
    str: {"type": "string"},
    float: {"type": "number"},
    Mapping[str, Any]: POSITIONS,
    Mapping[str, object]: BINDING,
    Mapping[str, Mapping[str, Any]]: ROUTES,
}


def complete(result: dict[str, Any], **context: Any) -> dict[str, Any]:
    """Add to the document what serializers cannot express (a postprocessing hook of
    drf-spectacular)."""
    schemas = result["components"]["schemas"]
    schemas |= {"Json": JSON_VALUE, "Pending": PENDING, **event_schemas()}
    schemas["Edit"] = {"oneOf": [{"$ref": REFERENCE + kind.__name__} for kind in TYPES.values()]}
    schemas.update({kind.__name__: edit_shape(kind) for kind in TYPES.values()})
    describe_properties(schemas)
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    result["components"]["securitySchemes"]["cookieAuth"]["description"] = SESSION
    result["components"]["responses"] = {_name(status): _response(status) for status in SAID}
    for path, methods in result["paths"].items():
        for name in METHODS:
            if name in methods:
                add_words(path, methods[name])
                _may_fail(path, methods[name])
                _name_scope(path, name.upper(), methods[name])
    return result


def edit_shape(kind: type[Any]) -> dict[str, Any]:
    """The JSON Schema of one edit, from its dataclass."""
    hints = get_type_hints(kind)
    mine = [item for item in fields(kind) if item.name != "type"]
    needed = [item.name for item in mine if item.default is item.default_factory is MISSING]
    return {
        "type": "object",
        "description": cleandoc(kind.__doc__ or "").replace("\n", " "),
        "properties": {
            "type": {"type": "string", "enum": [kind.type]},
            **{item.name: _shape(hints[item.name]) for item in mine},
        },
        "required": ["type", *needed],
        "additionalProperties": False,
    }


def _shape(hint: Any) -> dict[str, Any]:
    if hint in PLAIN:
        return PLAIN[hint]
    if get_origin(hint) in (Union, types.UnionType):
        arms = [arm for arm in get_args(hint) if arm is not type(None)]
        return _shape(arms[0]) if len(arms) == 1 else ANY
    raise TypeError(f"The OpenAPI document has no shape for {hint}.")


def _name_scope(path: str, method: str, operation: dict[str, Any]) -> None:
    """Add the scope that a token needs to the operation's security requirement."""
    for requirement in operation.get("security", ()):
        if "bearerToken" in requirement:
            requirement["bearerToken"] = [scope_of(method, path)]


def _may_fail(path: str, operation: dict[str, Any]) -> None:
    """Add the error responses that every operation of this kind can return, and `default` for
    server errors."""
    responses = operation["responses"]
    for status in _expected(path, operation):
        responses.setdefault(str(status), {"$ref": f"{RESPONSE}{_name(status)}"})
    responses.setdefault("default", {"description": "An error body.", **WORDS})
    operation["responses"] = dict(sorted(responses.items()))


def _expected(path: str, operation: dict[str, Any]) -> Iterator[int]:
    """Statuses from 400 that every operation of this kind can return."""
    yield 400
    if "security" in operation:
        yield from (401, 403)
    if "{" in path:
        yield 404
    yield 406
    if "requestBody" in operation:
        yield from (413, 415)


def _name(status: int) -> str:
    return f"Error{status}"


def _response(status: int) -> dict[str, Any]:
    return {"description": SENTENCES[status][1], **WORDS}
