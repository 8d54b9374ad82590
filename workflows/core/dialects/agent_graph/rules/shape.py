"""Rules on the shape of a pack: violations of the JSON Schema, described in terms of the pack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from workflows.core.dialects.agent_graph.format.vocabulary import MARK
from workflows.core.dialects.agent_graph.rules.kit import element_at, graph_rule, set_fix, unset_fix
from workflows.core.dialects.agent_graph.schemas import at, validator
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, Problem, schema_problems, type_step
from workflows.core.text.json.document import Pointer

RANGES = {"minimum": "at least", "maximum": "at most"}


@lru_cache(maxsize=4)
def _problems(source: GraphSource) -> tuple[Problem, ...]:
    return schema_problems(validator(), source.json.value)


def _of(source: GraphSource, *kinds: str) -> Iterator[Problem]:
    for problem in _problems(source):
        if problem[1]["name"] in kinds and problem[0] != (MARK,):
            yield problem


def describe_pointer(source: GraphSource, pointer: Pointer) -> str:
    """A readable place: "The agent 'lead'", "capabilities/writeCode of the agent 'lead'"."""
    element = element_at(source, pointer)
    kind, _, key = element.partition(":")
    match pointer:
        case ("nodes", int(index), *inside) if kind == "pack":
            name = f"the agent number {index + 1}"
        case ("edges", int(index), *inside) if kind == "pack":
            name = f"the edge number {index + 1}"
        case ("nodes" | "edges", int(), *inside):
            what = "agent" if kind == "state" else "edge"
            name = f"the {what} {key!r}"
        case _:
            name, inside = "the pack", list(pointer)
    if inside:
        return f"{'/'.join(map(str, inside))} of {name}"
    return name[:1].upper() + name[1:]


@graph_rule("AG110", "error", "Missing field", profiles=EVERY)
def missing_field(source: GraphSource) -> Iterable[Note]:
    """An agent needs an id and a role, an edge needs two ends, and a pack needs its list of agents.
    An incomplete agent or edge is not drawn or has no effect. Add the field."""
    extra = {
        pointer: problem["unexpected"] for pointer, problem in _of(source, "additionalProperties")
    }
    for pointer, problem in _of(source, "required"):
        field = problem["property"]
        if field == MARK:
            continue
        start = _start(source, pointer, field)
        here = (*pointer, field)
        other = extra.get(pointer, ())
        rename = f"Rename {other[0]!r} to {field!r}. " if len(other) == 1 else ""
        yield Note(
            message=f"{describe_pointer(source, pointer)} has no {field!r}.",
            pointer=pointer,
            hint=f"{rename}{at(here).get('description', '')}".strip(),
            fix=None if start is None else set_fix(f"Add {field}", here, start),
        )


def _start(source: GraphSource, pointer: Pointer, field: str) -> Any:
    """The initial value of a missing field; None if only the author can choose it."""
    match pointer, field:
        case (), "nodes":
            return []
        case ("nodes", int()), "role":
            leads = any(node.is_orchestrator for node in source.shape.nodes.values())
            return "implementer" if leads else "orchestrator"
        case ("nodes", int(index)), "id":
            number = index + 1
            while f"agent-{number}" in source.shape.nodes:
                number += 1
            return f"agent-{number}"
    return None


@graph_rule("AG111", "warning", "Unknown field", profiles=EVERY)
def unknown_field(source: GraphSource) -> Iterable[Note]:
    """The format has no such field here, so it has no effect. It may be misspelled, or belong one
    level up or down. It stays in the file until you remove it."""
    for pointer, problem in _of(source, "additionalProperties"):
        properties = at(pointer).get("properties", {})
        for field in problem["unexpected"]:
            near = closest_name(field, properties)
            here = (*pointer, field)
            yield Note(
                message=f"{describe_pointer(source, pointer)} has an unknown field {field!r}.",
                pointer=here,
                hint=f"Did you mean {near!r}?"
                if near
                else f"The fields are {', '.join(properties)}.",
                fix=unset_fix(f"Remove {field}", here),
            )


@graph_rule("AG112", "error", "Wrong type of value", profiles=EVERY)
def wrong_type(source: GraphSource) -> Iterable[Note]:
    """The value has another type than the format requires, such as a string instead of a number or
    a list instead of an object. It counts as missing, so the default applies."""
    for pointer, problem in _of(source, "type"):
        wanted = " or ".join(str(name) for name in problem["types"])
        removable = pointer and isinstance(pointer[-1], str) and pointer[-1] not in NEEDED
        yield Note(
            message=f"{describe_pointer(source, pointer)} must be of type {wanted}.",
            pointer=pointer,
            hint=type_step(map(str, problem["types"]), at(pointer).get("description", "")),
            fix=unset_fix(f"Remove {pointer[-1]}", pointer) if removable else None,
        )


NEEDED = ("id", "role", "from", "to", "nodes")


@graph_rule("AG113", "error", "Value outside its list", profiles=EVERY)
def wrong_choice(source: GraphSource) -> Iterable[Note]:
    """The format lists the allowed values of this field, such as handoff and report for the type of
    an edge. Any other value counts as missing, so the default applies."""
    for pointer, _ in _of(source, "enum", "const"):
        value = source.json.get(pointer)
        options = [str(item) for item in at(pointer).get("enum", ())]
        yield Note(
            message=f"{describe_pointer(source, pointer)} has the unknown value {value!r}.",
            pointer=pointer,
            hint=f"Allowed: {', '.join(options)}.",
            fix=_nearest(pointer, value, options),
        )


def _nearest(pointer: Pointer, value: object, options: list[str]) -> Fix:
    near = closest_name(value, options) if isinstance(value, str) else ""
    if near:
        return set_fix(f"Change to {near}", pointer, near)
    return unset_fix("Use the default", pointer)


@graph_rule("AG114", "error", "Value out of range", profiles=EVERY)
def out_of_range(source: GraphSource) -> Iterable[Note]:
    """A number is too small or too large, or a name is empty. The stall threshold and limits are
    whole numbers of at least 1."""
    for pointer, problem in _of(source, *RANGES, "minLength"):
        if problem["name"] == "minLength":
            yield Note(message=f"{describe_pointer(source, pointer)} is empty.", pointer=pointer)
            continue
        name = problem["name"]
        limit = at(pointer)[name]
        yield Note(
            message=f"{describe_pointer(source, pointer)} must be {RANGES[name]} {limit}.",
            pointer=pointer,
            fix=set_fix(f"Change to {limit}", pointer, limit),
        )
