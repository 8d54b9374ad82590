"""The form in which a provider gets the schema of an answer.

Every provider takes the schema of an object at the top, so any other becomes the single property of
one. A schema outside the subset of a provider is sent as the parameters of a tool that the model
calls with its answer: those may have any shape, because the provider only describes them to the
model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workflows.core.conversation.providers import OWN_SUBSET, Provider, named
from workflows.core.conversation.schema_subsets import TYPES, Unsupported, types_of, unsupported
from workflows.core.json_schemas.document import DATA
from workflows.core.json_schemas.loops import DEFINITIONS
from workflows.core.text.tolerant import as_object

WRAPPED = "value"
AT_TOP = ("allOf", "anyOf", "oneOf", "not", "if", "enum", "const", "$ref")
"""Keywords that providers refuse at the top of a schema."""
MAX_LISTED = 20
OF_TYPE = {
    "object": ("properties", "required", "additionalProperties", "minProperties", "maxProperties"),
    "array": ("items", "minItems", "maxItems", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""Type → the keywords that only concern its values."""
NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", *DEFINITIONS})
"""Keywords whose values map names to subschemas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerForm:
    """`schema`: the object to send. `wrapped`: the answer is its property `value`. `unsupported`:
    the parts of which the provider cannot hold a model to the schema."""

    schema: Mapping[str, Any]
    wrapped: bool
    unsupported: tuple[Unsupported, ...]

    def unwrap(self, value: Any) -> Any:
        """The answer in a value that the model gave."""
        if self.wrapped and isinstance(value, dict) and list(value) == [WRAPPED]:
            return value[WRAPPED]
        return value


def not_enforced(schema: Mapping[str, Any]) -> tuple[str, str] | None:
    """The providers that cannot hold a model to this schema, as the start of a message ("OpenAI and
    Anthropic do not enforce"), and the first reason. None if every provider can."""
    text = json.dumps(schema)
    forms = {provider: _answer_form(text, provider) for provider in OWN_SUBSET}
    reasons = {name: form.unsupported[0] for name, form in forms.items() if form.unsupported}
    if not reasons:
        return None
    verb = "does" if len(reasons) == 1 else "do"
    return f"{named(reasons)} {verb} not enforce", str(next(iter(reasons.values())))


def answer_form(schema: Mapping[str, Any], provider: Provider) -> AnswerForm:
    """The form of this schema for a provider. Equal schemas share one."""
    return _answer_form(json.dumps(schema), provider)


@lru_cache(maxsize=256)
def _answer_form(text: str, provider: Provider) -> AnswerForm:
    plain = _with_types(_with_one_place_for_definitions(json.loads(text)))
    plain = _with_single_types(plain, TYPES if provider == "anthropic" else ("object", "array"))
    if provider == "google":
        plain = _with_bare_references(plain)
    notes = []
    for part in unsupported(plain, provider):
        notes.append(part)
        if len(notes) == MAX_LISTED:
            break
    wrapped = types_of(plain) != ("object",) or any(word in plain for word in AT_TOP)
    return AnswerForm(
        schema=_wrap(plain) if wrapped else plain, wrapped=wrapped, unsupported=tuple(notes)
    )


def _wrap(schema: Mapping[str, Any]) -> dict[str, Any]:
    inner = {name: value for name, value in schema.items() if name not in DEFINITIONS}
    shared = {name: schema[name] for name in DEFINITIONS if name in schema}
    moved: dict[str, Any] = _with_references(
        {"type": "object", "properties": {WRAPPED: inner}, **shared}, _below_the_wrapper
    )
    return {**moved, "required": [WRAPPED], "additionalProperties": False}


def _below_the_wrapper(reference: str) -> str:
    if reference == "#" or (reference.startswith("#/") and not reference.startswith("#/$defs/")):
        return f"#/properties/{WRAPPED}{reference[1:]}"
    return reference


def _with_one_place_for_definitions(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`definitions` of older drafts as `$defs`, which every provider reads."""
    older = schema.get("definitions")
    if not isinstance(older, dict):
        return dict(schema)
    taken = as_object(schema.get("$defs"))
    names = {name: f"older.{name}" if name in taken else name for name in older}

    def moved(reference: str) -> str:
        name, slash, rest = reference.removeprefix("#/definitions/").partition("/")
        if reference.startswith("#/definitions/") and name in names:
            return f"#/$defs/{names[name]}{slash}{rest}"
        return reference

    rest = {name: value for name, value in schema.items() if name not in DEFINITIONS}
    together = {**taken, **{names[name]: value for name, value in older.items()}}
    result: dict[str, Any] = _with_references({**rest, "$defs": together}, moved)
    return result


def _with_references(schema: Any, change: Callable[[str], str]) -> Any:
    def changed(node: dict[str, Any]) -> dict[str, Any]:
        if isinstance(node.get("$ref"), str):
            return {**node, "$ref": change(node["$ref"])}
        return node

    return _mapped(schema, changed)


def _with_types(schema: Any) -> Any:
    """The type 'object' where a subschema only has properties, which is what its author means."""

    def typed(node: dict[str, Any]) -> dict[str, Any]:
        if isinstance(node.get("properties"), dict) and not any(
            word in node for word in ("type", *AT_TOP)
        ):
            return {"type": "object", **node}
        return node

    return _mapped(schema, typed)


def _with_single_types(schema: Any, kinds: Collection[str]) -> Any:
    """A choice of schemas with one type each where a subschema lists one of these kinds with
    others. Anthropic's library cannot send such a list, and OpenAI's does not close its objects."""

    def split(node: dict[str, Any]) -> dict[str, Any]:
        types = node.get("type")
        if not isinstance(types, list) or any(word in node for word in AT_TOP):
            return node
        if not any(kind in kinds for kind in types):
            return node
        if len(types) == 1:
            return {**node, "type": types[0]}
        about = {word: node[word] for word in (*DEFINITIONS, "description") if word in node}
        rest = {word: value for word, value in node.items() if word not in about}
        return {**about, "anyOf": [_of_type(rest, str(kind)) for kind in types]}

    return _mapped(schema, split)


def _of_type(node: Mapping[str, Any], kind: str) -> dict[str, Any]:
    own = "number" if kind == "integer" else kind
    others = {word for name, words in OF_TYPE.items() if name != own for word in words}
    return {**{word: value for word, value in node.items() if word not in others}, "type": kind}


def _with_bare_references(schema: Any) -> Any:
    """References alone: Google takes no other keywords with them."""

    def bare(node: dict[str, Any]) -> dict[str, Any]:
        if isinstance(node.get("$ref"), str):
            return {word: value for word, value in node.items() if word.startswith("$")}
        return node

    return _mapped(schema, bare)


def _mapped(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A copy of a schema with each of its subschemas changed. Values that are data stay."""
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    inner: dict[str, Any] = {}
    for name, item in value.items():
        if name in DATA:
            inner[name] = item
        elif name in NAMED and isinstance(item, dict):
            inner[name] = {key: _mapped(one, change) for key, one in item.items()}
        else:
            inner[name] = _mapped(item, change)
    return change(inner)
