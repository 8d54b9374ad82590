"""Settings and inputs of a run that a dialect offers at its start."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOption:
    """An input with a meaning of its own. `values`: the values to choose from; empty for any text.
    `required`: a run without it cannot start."""

    name: str
    title: str
    help: str = ""
    values: tuple[str, ...] = ()
    required: bool = False

    def to_json(self) -> dict[str, Any]:
        """The shape of an element of `GET packs/{id}/options/`."""
        return {**asdict(self), "values": list(self.values)}


TYPES = ("string", "number", "integer", "boolean", "object", "array")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInput:
    """An input that a pack declares or uses. Its values are texts; those of other types are JSON.

    `default`: the value of the pack if the run has none. `examples`: values from the pack.
    `values`: the only values that fit. `prompts`: only runs of these prompts use it; empty for
    every run.
    """

    name: str
    help: str = ""
    type: str = "string"
    required: bool = False
    default: str = ""
    examples: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        lists = {name: list(getattr(self, name)) for name in ("examples", "values", "prompts")}
        return {**asdict(self), **lists}


def declared_input(
    name: str, schema: Mapping[str, Any], *, required: bool, prompts: Sequence[str] = ()
) -> RunInput:
    """An input from a declaration with the words of JSON Schema. Words of wrong types are ignored:
    the declaration is untrusted."""
    type, help = schema.get("type"), schema.get("description")
    limits = schema.get("validation")
    values = schema.get("enum") or (limits.get("enum") if isinstance(limits, Mapping) else None)
    examples = schema.get("examples")
    examples = examples if isinstance(examples, list) else []
    if schema.get("example") not in (None, ""):
        examples = [schema["example"], *examples]
    return RunInput(
        name=name,
        help=help if isinstance(help, str) else "",
        type=type if isinstance(type, str) and type in TYPES else "string",
        required=required,
        default="" if schema.get("default") is None else as_text(schema["default"]),
        examples=tuple(dict.fromkeys(as_text(one) for one in examples[:3])),
        values=tuple(as_text(one) for one in values) if isinstance(values, list) else (),
        prompts=tuple(prompts),
    )


def as_text(value: Any) -> str:
    """A value of an input as text: JSON unless it is a string."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
