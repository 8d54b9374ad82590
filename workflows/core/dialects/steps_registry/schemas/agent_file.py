"""The JSON Schema of agent.json, and the places where a file does not fit it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

from workflows.core.text.json.document import Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """A place in agent.json that does not fit. `pointer` may name a key that is missing."""

    pointer: Pointer
    problem: str


@cache
def schema() -> Mapping[str, Any]:
    """The whole schema, as published."""
    text = files(__package__).joinpath("agent.schema.json").read_text("utf-8")
    value: dict[str, Any] = json.loads(text)
    return value


@cache
def validator() -> jsonschema_rs.Draft7Validator:
    return jsonschema_rs.Draft7Validator(dict(schema()))


def misfits(agent: dict[str, Any]) -> Iterator[Misfit]:
    """Every place that the schema refuses, in the order of the schema."""
    kinds = jsonschema_rs.ValidationErrorKind
    for error in validator().iter_errors(agent):
        here: Pointer = tuple(error.instance_path)
        match error.kind:
            case kinds.Required(property=name):
                yield Misfit(pointer=(*here, name), problem="is missing")
            case kinds.AdditionalProperties(unexpected=names):
                for name in names:
                    yield Misfit(pointer=(*here, name), problem="is not a key of the format")
            case kinds.Enum(options=options):
                listed = ", ".join(str(option) for option in options)
                yield Misfit(pointer=here, problem=f"is {error.instance!r} and not one of {listed}")
            case kinds.Pattern(pattern=pattern):
                problem = f"is {error.instance!r} and does not match {pattern}"
                yield Misfit(pointer=here, problem=problem)
            case kinds.Type(types=types):
                name = type(error.instance).__name__
                yield Misfit(pointer=here, problem=f"has the wrong type: {types} is needed")
            case _:
                yield Misfit(pointer=here, problem=f"is not valid: {error.message}")
