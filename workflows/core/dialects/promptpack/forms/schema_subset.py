"""Schema definitions in the subset of JSON Schema that the inspector supports."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from workflows.core.dialects.promptpack.edits.objects import object_keys
from workflows.core.dialects.promptpack.format.elements import STEP
from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.schemas import definitions, kinds, resolve, with_kind

KEYWORDS = (
    "type", "title", "description", "default", "examples", "enum", "minimum", "maximum",
    "minLength", "maxLength", "pattern", "required", "x-widget", "x-choices", "x-element",
    "x-order", "x-group", "x-rare",
)  # fmt: skip
HIDDEN = {
    "Pack": (
        "prompts", "tools", "fragments", "evals", "workflow", "agents", "skills", "compositions",
    ),
    "Workflow": ("states",),
    "Agents": ("members",),
    STEP: ("id", "branches"),
}  # fmt: skip
"""Fields with elements, and so forms, of their own. A step is renamed like any state."""
OTHER_KIND = "A step of another kind"
MAX_CHOICES = 500
MAX_NESTED = 2
"""Maximum nesting of a definition in itself; deeper levels are shown as JSON."""

Path = tuple[str, ...]


def form_schema(parts: Parts, definition: str, kind: str = "") -> dict[str, Any]:
    """The form of one definition; `kind` is the kind of a step. Fields that refer to objects offer
    the names of this pack."""
    return _with_choices(_form(definition, kind), parts)


@cache
def _form(definition: str, kind: str) -> Mapping[str, Any]:
    whole = definitions()[definition]
    form = _simplify(
        _without_all_of(with_kind(whole, kind)) if definition == STEP else whole, (definition,)
    )
    for name in HIDDEN.get(definition, ()):
        form["properties"].pop(name, None)
    if "required" in form:
        form["required"] = [name for name in form["required"] if name in form["properties"]]
    return form


def _simplify(schema: Mapping[str, Any], inside: Path) -> dict[str, Any]:
    """A schema without references and without keywords that the inspector does not support."""
    reference = str(schema.get("$ref", "")).rsplit("/", 1)[-1]
    if reference:
        inside = (*inside, reference)
    whole = resolve(schema)
    form = {key: whole[key] for key in KEYWORDS if key in whole}
    if isinstance(form.get("type"), list):
        form["type"] = form["type"][0]
    if "const" in whole:
        form["enum"] = [whole["const"]]
    if form.get("x-widget") == "json" or inside.count(reference) > MAX_NESTED:
        return {**form, "x-widget": "json"}
    shapes = _alternatives(whole)
    if shapes and all("properties" in resolve(item) for item in shapes):
        form.pop("type", None)
        form.pop("required", None)
        return {**form, "oneOf": [_simplify(item, inside) for item in shapes]}
    return {**form, "x-widget": "json"} if shapes else {**form, **_members(whole, inside)}


def _alternatives(whole: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The alternatives of a value: those of a `oneOf`, or the kinds of a step."""
    if "oneOf" in whole:
        return list(whole["oneOf"])
    if "allOf" not in whole:
        return []
    steps = [_step(whole, kind) for kind in kinds(whole)]
    return [*steps, {**_without_all_of(with_kind(whole, "")), "title": OTHER_KIND}]


def _step(whole: Mapping[str, Any], kind: str) -> dict[str, Any]:
    step = _without_all_of(with_kind(whole, kind))
    fixed = {**step["properties"]["kind"], "enum": [kind]}
    return {**step, "title": kind, "properties": {**step["properties"], "kind": fixed}}


def _without_all_of(step: Mapping[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in step.items() if key != "allOf"}


def _members(whole: Mapping[str, Any], inside: Path) -> dict[str, Any]:
    """The properties, items and additional properties of a schema."""
    result: dict[str, Any] = {}
    if "properties" in whole:
        result["properties"] = {
            name: _simplify(item, inside) for name, item in whole["properties"].items()
        }
    for key in ("items", "additionalProperties"):
        if isinstance(whole.get(key), Mapping):
            result[key] = _simplify(whole[key], inside)
    return result


def _with_choices(schema: Mapping[str, Any], parts: Parts) -> dict[str, Any]:
    form = dict(schema)
    kind = form.get("x-element")
    if isinstance(kind, str):
        choices = list(parts.states) if kind == "state" else object_keys(parts, kind)
        form["x-choices"] = choices[:MAX_CHOICES]
    for key, inner in schema.items():
        if key == "properties":
            form[key] = {name: _with_choices(item, parts) for name, item in inner.items()}
        elif key in ("items", "additionalProperties"):
            form[key] = _with_choices(inner, parts)
        elif key == "oneOf":
            form[key] = [_with_choices(item, parts) for item in inner]
    return form
