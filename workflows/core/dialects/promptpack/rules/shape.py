"""Rules about the shape of a pack: violations of the schema, described by element and field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from workflows.core.dialects.promptpack.format.elements import element_at, locate_element
from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.dialects.promptpack.schemas import definition_at, validator
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, Problem, schema_problems, short_list, type_step
from workflows.core.text.ascii_names import ascii_id, ascii_name

STARTS: dict[str, Any] = {
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "version": "1.0.0",
    "required": False,
    "type": "string",
    "trigger": "every_turn",
}
"""Initial values for missing fields."""
RANGES = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "minLength": "at least this many characters:",
    "maxLength": "at most this many characters:",
    "minItems": "at least this many elements:",
    "maxItems": "at most this many elements:",
    "minProperties": "at least this many members:",
    "maxProperties": "at most this many members:",
}


@lru_cache(maxsize=4)
def problems(parts: Parts) -> tuple[Problem, ...]:
    """The violations of the format's schema."""
    return schema_problems(validator(), parts.tree)


def _of_kind(parts: Parts, *kinds: str) -> Iterator[Problem]:
    return (problem for problem in problems(parts) if problem[1]["name"] in kinds)


def _value(parts: Parts, pointer: Pointer) -> Any:
    value: Any = parts.tree
    for key in pointer:
        value = value[key]
    return value


def describe_place(parts: Parts, pointer: Pointer) -> str:
    """Describe a place: "prompt 'review'", "variables/0/name of prompt 'review'"."""
    element = element_at(parts, pointer)
    if element.startswith("transition:"):
        return f"event {str(pointer[-1])!r} of state {str(pointer[2])!r}"
    kind, _, key = element.partition(":")
    location = locate_element(parts, element)
    inside = pointer[len(location.pointer) :] if location else pointer
    name = f"{kind} {key!r}" if key else f"the {kind}"
    return f"{'/'.join(map(str, inside))} of {name}" if inside else name


def _place_name(parts: Parts, pointer: Pointer) -> str:
    """`describe_place` at the beginning of a sentence. Keys keep their case."""
    text = describe_place(parts, pointer)
    return text if text.startswith(tuple(map(str, pointer))) else text[:1].upper() + text[1:]


@pack_rule("PP110", "error", "Field is missing", profiles=EVERY)
def missing_field(parts: Parts) -> Iterable[Note]:
    """The format requires this field, and other tools refuse the pack without it. Fill it in; where
    a value is obvious, the button adds it. A state needs a prompt, or, if it runs a composition,
    the name of that composition."""
    for pointer, problem in _of_kind(parts, "required"):
        field = problem["property"]
        here = (*pointer, field)
        value = _start(parts, pointer, field)
        yield Note(
            message=f"{_place_name(parts, pointer)} has no field {field!r}.",
            pointer=pointer,
            hint=definition_at(here, parts.tree).get("description", f"Add {field!r}."),
            fix=None if value is None else set_fix(parts, f"Add {field}", here, value),
        )


def _start(parts: Parts, pointer: Pointer, field: str) -> Any:
    """The initial value of a missing field; None if only the author can choose it."""
    key = str(pointer[-1]) if pointer else ""
    match pointer, field:
        case ("prompts", _), "id" if re.fullmatch("[a-z][a-z0-9_-]*", key):
            return key
        case ("tools", _), "name" if re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", key):
            return key
        case ("prompts", _), "name":
            return key
        case (), "version" | "template_engine":
            return STARTS[field]
        case ("prompts", _), "version":
            return STARTS[field]
        case ("prompts", _, "variables", _), "type" | "required":
            return STARTS[field]
        case ("workflow", "states", _), "prompt_task" if key in parts.prompts:
            return key
        case ("workflow",), "version":
            return 1
        case ("workflow",), "entry" if parts.states:
            return next(iter(parts.states))
        case ("agents",), "entry" if parts.members:
            return next(iter(parts.members))
        case ("evals", _) | ("prompts", _, "evals", _), "trigger":
            return STARTS[field]
    return None


@pack_rule("PP111", "error", "Unknown field", profiles=EVERY)
def unknown_field(parts: Parts) -> Iterable[Note]:
    """The format does not define this field here and allows no others, so other tools refuse the
    pack. The field may be misspelt, or belong one level higher or lower. Additional data can be put
    in `metadata`, or in `extensions` where the object has it."""
    for pointer, problem in _of_kind(parts, "additionalProperties"):
        properties = definition_at(pointer, parts.tree).get("properties", {})
        for field in problem["unexpected"]:
            near = closest_name(field, properties)
            hint = (
                f"Did you mean {near!r}?" if near else f"Known fields: {short_list(properties, 8)}."
            )
            here = (*pointer, field)
            yield Note(
                message=f"{_place_name(parts, pointer)} has the unknown field {field!r}.",
                pointer=here,
                hint=hint,
                fix=unset_fix(parts, f"Remove {field}", here),
            )


@pack_rule("PP112", "error", "Wrong value type", profiles=EVERY)
def wrong_type(parts: Parts) -> Iterable[Note]:
    """The value has another type than the format requires, such as a string instead of a number.
    Other tools refuse the pack."""
    for pointer, problem in _of_kind(parts, "type"):
        wanted = " or ".join(str(name) for name in problem["types"])
        yield Note(
            message=f"{_place_name(parts, pointer)} must be of type {wanted}.",
            pointer=pointer,
            hint=type_step(
                map(str, problem["types"]),
                definition_at(pointer, parts.tree).get("description", ""),
            ),
        )


@pack_rule("PP113", "error", "Value is not allowed", profiles=EVERY)
def wrong_choice(parts: Parts) -> Iterable[Note]:
    """Only certain values are allowed here. Choose one from the list in the inspector."""
    for pointer, problem in _of_kind(parts, "enum", "const"):
        value = _value(parts, pointer)
        options = problem.get("options", [problem.get("expected_value")])
        near = (
            closest_name(value, [str(item) for item in options]) if isinstance(value, str) else ""
        )
        yield Note(
            message=f"{_place_name(parts, pointer)} is {value!r}, which is not allowed.",
            pointer=pointer,
            hint=f"Allowed values: {', '.join(map(str, options))}.",
            fix=set_fix(parts, f"Change to {near}", pointer, near) if near else None,
        )


@pack_rule("PP114", "error", "Value does not match its pattern", profiles=EVERY)
def wrong_pattern(parts: Parts) -> Iterable[Note]:
    """The value does not follow the rules for names or versions at this place: the allowed
    characters, or three numbers with dots for a version. The field's description has the
    details."""
    for pointer, _ in _of_kind(parts, "pattern"):
        value = _value(parts, pointer)
        schema = definition_at(pointer, parts.tree)
        fixed = _repair(pointer, value)
        yield Note(
            message=f"{_place_name(parts, pointer)} cannot be {value!r}.",
            pointer=pointer,
            hint=schema.get("description") or f"It must match {schema.get('pattern')}.",
            fix=set_fix(parts, f"Change to {fixed}", pointer, fixed) if fixed else None,
        )


def _repair(pointer: Pointer, value: str) -> str:
    """The corrected name; "" if the correction is not obvious."""
    match pointer:
        case ("id",) | ("prompts", _, "id"):
            joint = "-" if pointer == ("id",) else "_"
            slug = ascii_id(value.strip()).lower()
            slug = slug.replace("_", "-") if joint == "-" else slug
            slug = slug.strip("-_")
            return slug if re.fullmatch(r"[a-z][a-z0-9_-]*", slug) else ""
        case ("tools", _, "name"):
            name = ascii_name(value.lower(), "_")
            return name if re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) else ""
        case ("version",) | ("prompts", _, "version"):
            plain = re.fullmatch(r"v?(\d+)(?:\.(\d+))?", value)
            return f"{int(plain[1])}.{int(plain[2] or 0)}.0" if plain else ""
    return ""


@pack_rule("PP115", "error", "Value is out of range", profiles=EVERY)
def out_of_range(parts: Parts) -> Iterable[Note]:
    """The number is too small or too large, or a string or list is too short or too long. A pack
    needs at least one prompt, a workflow at least one state."""
    for pointer, problem in _of_kind(parts, *RANGES):
        yield Note(
            message=f"{_place_name(parts, pointer)} must be "
            f"{RANGES[problem['name']]} {problem['limit']}.",
            pointer=pointer,
            hint=definition_at(pointer, parts.tree).get("description", ""),
        )


@pack_rule("PP116", "error", "Value matches none of the allowed forms", profiles=EVERY)
def wrong_shape(parts: Parts) -> Iterable[Note]:
    """Several forms are allowed at this place, and the value matches none of them, or more than
    one. The hint lists the forms."""
    for pointer, _ in _of_kind(parts, "oneOf", "anyOf", "uniqueItems", "not"):
        wanted = definition_at(pointer, parts.tree).get("x-wrong") or _expected_shape(
            parts, pointer
        )
        yield Note(
            message=f"{_place_name(parts, pointer)} matches none of the allowed forms.",
            pointer=pointer,
            hint=f"{wanted[:1].upper()}{wanted[1:]}." if wanted else "See the field's description.",
        )


def _expected_shape(parts: Parts, pointer: Pointer) -> str:
    """The expected form of a value whose own schema only describes its alternatives."""
    match pointer:
        case ("skills", _):
            return (
                "a skill is a path, an object with `path`, or an object with `name`, "
                "`description` and `instructions`"
            )
        case (*_, "predicate") | (*_, "all_of" | "any_of", _) | (*_, "not"):
            return (
                "a condition is exactly one of path + op + value, path + exists, all_of, any_of, "
                "not"
            )
        case (*_, "termination"):
            return "a termination needs `max_steps` or `tool_called`"
        case (*_, "input"):
            return 'an input is a string such as "${input}", or an object of such strings'
        case ("requires", "providers", _):
            return "a provider is a key on its own, or an object with `key` and `role`"
    return ""
