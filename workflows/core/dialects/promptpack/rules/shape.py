"""Rules over the shape of a pack: what the schema demands, said in terms of the pack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from workflows.core.dialects.promptpack.format.elements import element_at, spot
from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.dialects.promptpack.schemas import at, validator
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, short_list

Problem = tuple[Pointer, dict[str, Any]]
MOST = 500
"""How many problems of the schema are shown; a file with more of them is something else."""

STARTS: dict[str, Any] = {
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "version": "1.0.0",
    "required": False,
    "type": "string",
    "trigger": "every_turn",
}
"""What a missing field may begin with."""
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
    """Everything the schema objects to: the place, and the keyword with what it wanted."""
    if validator().is_valid(parts.tree):
        return ()
    found: list[Problem] = []
    for error in validator().iter_errors(parts.tree):
        found.append(
            (tuple(error.instance_path), {"name": error.kind.name, **error.kind.as_dict()})
        )
        if len(found) == MOST:
            break
    return tuple(found)


def _of(parts: Parts, *kinds: str) -> Iterator[Problem]:
    return (problem for problem in problems(parts) if problem[1]["name"] in kinds)


def _value(parts: Parts, pointer: Pointer) -> Any:
    value: Any = parts.tree
    for key in pointer:
        value = value[key]
    return value


def spoken(parts: Parts, pointer: Pointer) -> str:
    """A place in words: "the prompt 'review'", "variables/0/name of the prompt 'review'"."""
    element = element_at(parts, pointer)
    if element.startswith("transition:"):
        return f"the event {str(pointer[-1])!r} of the state {str(pointer[2])!r}"
    kind, _, key = element.partition(":")
    found = spot(parts, element)
    inside = pointer[len(found.pointer) :] if found else pointer
    name = f"the {kind} {key!r}" if key else f"the {kind}"
    return f"{'/'.join(map(str, inside))} of {name}" if inside else name


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


@pack_rule("PP110", "error", "Field is missing")
def missing_field(parts: Parts) -> Iterable[Note]:
    """The format demands this field, and without it other tools refuse the whole pack. Fill it in;
    where there is an obvious beginning, the button writes it. A state needs a prompt, unless it
    runs a composition, and then it needs the name of that."""
    for pointer, problem in _of(parts, "required"):
        field = problem["property"]
        here = (*pointer, field)
        value = _start(parts, pointer, field)
        yield Note(
            message=f"{_sentence(spoken(parts, pointer))} has no {field!r}.",
            pointer=pointer,
            hint=at(here, parts.tree).get("description", f"Add {field!r}."),
            fix=None if value is None else set_fix(parts, f"Add {field}", here, value),
        )


def _start(parts: Parts, pointer: Pointer, field: str) -> Any:
    """What to write for a missing field, None where only the author can know."""
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


@pack_rule("PP111", "error", "Field is not known")
def unknown_field(parts: Parts) -> Iterable[Note]:
    """The format has no such field here and allows no others, so other tools refuse the whole pack.
    Often it is a slip of the pen, or a field that belongs one level up or down. Own data may go
    into `metadata`, or into `extensions` where the object has it."""
    for pointer, problem in _of(parts, "additionalProperties"):
        known = at(pointer, parts.tree).get("properties", {})
        for field in problem["unexpected"]:
            near = closest(field, known)
            hint = f"Did you mean {near!r}?" if near else f"Known are {short_list(known, 8)}."
            here = (*pointer, field)
            yield Note(
                message=f"{_sentence(spoken(parts, pointer))} has an unknown field {field!r}.",
                pointer=here,
                hint=hint,
                fix=unset_fix(parts, f"Remove {field}", here),
            )


@pack_rule("PP112", "error", "Wrong type of value")
def wrong_type(parts: Parts) -> Iterable[Note]:
    """The value is of another kind than the format wants here, such as a text instead of a number.
    Other tools refuse the pack."""
    for pointer, problem in _of(parts, "type"):
        wanted = " or ".join(str(name) for name in problem["types"])
        yield Note(
            message=f"{_sentence(spoken(parts, pointer))} has to be of type {wanted}.",
            pointer=pointer,
            hint=at(pointer, parts.tree).get("description", ""),
        )


@pack_rule("PP113", "error", "Value is not among the choices")
def wrong_choice(parts: Parts) -> Iterable[Note]:
    """Only certain words are allowed here, and this is none of them. Choose one from the list in
    the inspector."""
    for pointer, problem in _of(parts, "enum", "const"):
        value = _value(parts, pointer)
        options = problem.get("options", [problem.get("expected_value")])
        near = closest(value, [str(item) for item in options]) if isinstance(value, str) else ""
        yield Note(
            message=f"{_sentence(spoken(parts, pointer))} is {value!r}, which is not allowed.",
            pointer=pointer,
            hint=f"Allowed: {', '.join(map(str, options))}.",
            fix=set_fix(parts, f"Change to {near}", pointer, near) if near else None,
        )


@pack_rule("PP114", "error", "Value is written in a wrong way")
def wrong_pattern(parts: Parts) -> Iterable[Note]:
    """The value does not follow the rules for names or versions at this place: which letters are
    allowed, or three numbers with dots for a version. The field's help says what is wanted."""
    for pointer, _ in _of(parts, "pattern"):
        value = _value(parts, pointer)
        schema = at(pointer, parts.tree)
        fixed = _repaired(pointer, value)
        yield Note(
            message=f"{_sentence(spoken(parts, pointer))} cannot be {value!r}.",
            pointer=pointer,
            hint=schema.get("description") or f"It has to match {schema.get('pattern')}.",
            fix=set_fix(parts, f"Change to {fixed}", pointer, fixed) if fixed else None,
        )


def _repaired(pointer: Pointer, value: str) -> str:
    """The name as it is allowed, where that is plain to see."""
    match pointer:
        case ("id",) | ("prompts", _, "id"):
            joint = "-" if pointer == ("id",) else "_"
            slug = re.sub(r"[^a-z0-9_-]+", "-", value.lower().strip())
            slug = slug.replace("_", "-") if joint == "-" else slug
            slug = slug.strip("-_")
            return slug if re.fullmatch(r"[a-z][a-z0-9_-]*", slug) else ""
        case ("tools", _, "name"):
            name = re.sub(r"\W+", "_", value.strip().lower(), flags=re.ASCII).strip("_")
            return name if re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) else ""
        case ("version",) | ("prompts", _, "version"):
            plain = re.fullmatch(r"v?(\d+)(?:\.(\d+))?", value)
            return f"{int(plain[1])}.{int(plain[2] or 0)}.0" if plain else ""
    return ""


@pack_rule("PP115", "error", "Value is out of range")
def out_of_range(parts: Parts) -> Iterable[Note]:
    """The number is too small or too large, or a text or list has too little or too much in it. A
    pack needs at least one prompt, a workflow at least one state."""
    for pointer, problem in _of(parts, *RANGES):
        yield Note(
            message=f"{_sentence(spoken(parts, pointer))} has to be "
            f"{RANGES[problem['name']]} {problem['limit']}.",
            pointer=pointer,
            hint=at(pointer, parts.tree).get("description", ""),
        )


@pack_rule("PP116", "error", "None of the allowed shapes")
def wrong_shape(parts: Parts) -> Iterable[Note]:
    """Several shapes are allowed at this place, and the value has none of them, or fits more than
    one at once. The message lists the shapes."""
    for pointer, _ in _of(parts, "oneOf", "anyOf", "uniqueItems", "not"):
        wanted = at(pointer, parts.tree).get("x-wrong") or _outer_wish(parts, pointer)
        yield Note(
            message=f"{_sentence(spoken(parts, pointer))} is in none of the allowed shapes.",
            pointer=pointer,
            hint=_sentence(f"{wanted}." if wanted else "look at its help."),
        )


def _outer_wish(parts: Parts, pointer: Pointer) -> str:
    """What is wanted of a value that stands where the schema only describes its neighbours."""
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
            return 'an input is a text such as "${input}", or an object of such texts'
        case ("requires", "providers", _):
            return "a provider is a key on its own, or an object with `key` and `role`"
    return ""
