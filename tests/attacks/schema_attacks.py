"""Schemas that make a validator exponential, and what the product answers to each.

Each function runs in a process with limits (`limited`), so that a failure harms no other test.
"""

from __future__ import annotations

import json
from typing import Any

from tests.support.doubling_schemas import doubling
from workflows.core.dialects import dialects
from workflows.core.json_schemas.size import TooLarge
from workflows.core.json_schemas.validation import pack_schema
from workflows.core.pack.files import Files
from workflows.core.rules.check import check


def by(keyword: str, levels: int = 29) -> dict[str, Any]:
    defs = {f"d{n}": _twice(keyword, f"#/$defs/d{n + 1}") for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{levels}": {"type": "string"}}}


def _twice(keyword: str, target: str) -> dict[str, Any]:
    to = {"$ref": target}
    match keyword:
        case "anyOf" | "oneOf" | "allOf":
            return {keyword: [to, to]}
        case "if":
            return {"if": to, "then": to, "else": to}
        case "not":
            return {"not": {"not": to}, "allOf": [to]}
        case "dependentSchemas":
            return {keyword: {"a": to, "b": to}}
        case "properties":
            inner = {"properties": {"a": to}, "required": ["a"]}
            return {"anyOf": [inner, inner]}
        case "items":
            return {"anyOf": [{"items": to}, {"items": to}]}
        case "patternProperties":
            return {"patternProperties": {"a": to, "^a": to}}
        case "unevaluated":
            return {"allOf": [to], "unevaluatedProperties": False}
        case "anchor":
            return {"anyOf": [to, {"$ref": target}]}
    raise AssertionError(keyword)


def anchored(levels: int = 29) -> dict[str, Any]:
    defs: dict[str, Any] = {
        f"d{n}": {"$anchor": f"a{n}", "anyOf": [{"$ref": f"#a{n + 1}"}] * 2} for n in range(levels)
    }
    defs[f"d{levels}"] = {"$anchor": f"a{levels}", "type": "string"}
    return {"$ref": "#a0", "$defs": defs}


def with_ids(levels: int = 29) -> dict[str, Any]:
    defs: dict[str, Any] = {
        f"d{n}": {"$id": f"https://x.invalid/d{n}", "anyOf": [{"$ref": f"d{n + 1}"}] * 2}
        for n in range(levels)
    }
    defs[f"d{levels}"] = {"$id": f"https://x.invalid/d{levels}", "type": "string"}
    return {"$id": "https://x.invalid/all", "$ref": "d0", "$defs": defs}


def chain(levels: int = 50_000) -> dict[str, Any]:
    defs: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{levels}": {"type": "string"}}}


KEYWORDS = (
    "anyOf", "oneOf", "allOf", "if", "not", "dependentSchemas", "properties", "items",
    "patternProperties", "unevaluated",
)  # fmt: skip
SCHEMAS = {
    **{word: by(word) for word in KEYWORDS},
    "anchored": anchored(),
    "with_ids": with_ids(),
    "chain": chain(),
}


def refused() -> dict[str, str]:
    """The sentence for each schema, and "" for one that is accepted."""
    sentences = dict.fromkeys(SCHEMAS, "")
    for name, schema in SCHEMAS.items():
        try:
            pack_schema(schema)
        except TooLarge as large:
            sentences[name] = large.message
    return sentences


def recursive(*depths: str) -> list[list[str]]:
    """Errors of a schema that contains itself twice at one place: the value decides the cost."""
    again = {"properties": {"next": {"$ref": "#"}}}
    schema = {
        "anyOf": [
            {**again, "required": ["a"]},
            {**again, "required": ["b"]},
            {**again, "required": ["c"]},
        ]
    }
    compiled, messages = pack_schema(schema), []
    for depth in map(int, depths):
        value: dict[str, Any] = {}
        for _ in range(depth):
            value = {"next": value}
        assert not compiled.is_valid(value)
        messages.append([error.message for error in compiled.iter_errors(value)])
    return messages


def stage_pack() -> list[str]:
    """The findings of a pipeline whose completion schema doubles 29 times."""
    dialect = dialects()["stages"]
    blank = dict(dialect.samples()["blank"])
    name = next(path for path in blank if path.endswith(".md"))
    head, _, body = blank[name].decode().removeprefix("---\n").partition("\n---\n")
    lines = _without(head.split("\n"), "completionSchema")
    stage = "\n".join(["---", *lines, f"completionSchema: {json.dumps(doubling(29))}", "---", body])
    files = Files.of({**blank, name: stage.encode()})
    source = dialect.read(files)
    found = check(dialect, source, dialect.profiles[0])
    return [f"{one.code} {one.message} {one.place.pointer}" for one in found]


def _without(lines: list[str], key: str) -> list[str]:
    """The front matter without one key and its indented lines."""
    kept, inside = [], False
    for line in lines:
        inside = line.startswith(f"{key}:") or (inside and line.startswith((" ", "-")))
        if not inside:
            kept.append(line)
    return kept
