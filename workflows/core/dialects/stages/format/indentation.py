"""Front matter without its indentation, and its repair (stages.md section 3.1).

Some web pages drop leading spaces when a stage is copied; all keys are then at the top level, some
of them twice. The block of a line is found by the keys that may follow each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from workflows.core.dialects.stages.format.stage_file import OPTIONAL, REQUIRED, StageFile
from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.yaml.errors import YamlTextError

SCHEMA_KEYS = ("completionSchema", "inputsSchema")
RETRY_KEYS = ("maxAttempts", "backoff")
_STRAY = frozenset({*RETRY_KEYS, "type", "properties", "required", "items", "additionalProperties"})
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_INSIDE = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains"})
_WORDS = frozenset(
    {
        *_MAPS, *_INSIDE, "$schema", "$ref", "$id", "$comment", "type", "required", "enum", "const",
        "title", "description", "default", "examples", "format", "pattern", "minLength",
        "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames",
        "allOf", "anyOf", "oneOf", "prefixItems", "unevaluatedProperties", "unevaluatedItems",
    }
)  # fmt: skip
_TOP = frozenset({*REQUIRED, *OPTIONAL})
_NAME = re.compile(r"[^\s,\[\]\"']+")
_KEY = re.compile(r"""(?P<key>[^\s#:\[\]{}"'-][^:#]*|"[^"]*"|'[^']*'):(?:[ \t]+(?P<value>.*))?$""")


def is_flattened(file: StageFile) -> bool:
    """Return True if this front matter lost its indentation: a block is empty, and its keys are at
    the top level."""
    if file.form == "object" or file.front is None:
        return False
    values = file.values
    schema = "completionSchema" in values and values["completionSchema"] is None
    retry = "retryPolicy" in values and values["retryPolicy"] is None
    stray = _STRAY & values.keys()
    return (schema and bool(stray - set(RETRY_KEYS))) or (retry and bool(stray & set(RETRY_KEYS)))


@lru_cache(maxsize=512)
def restore_indentation(data: bytes) -> str | None:
    """The file with its indentation restored; None if it cannot be determined."""
    try:
        front = Frontmatter.parse(data)
        text = (front.head.data if front.head is not None else b"").decode("utf-8")
    except (YamlTextError, UnicodeDecodeError):
        return None
    head = "".join(_indent_lines(text.splitlines(keepends=True)))
    try:
        again = Frontmatter.parse(front.opening + head.encode() + front.closing + front.body)
        whole = again.data.decode("utf-8")
    except (YamlTextError, UnicodeDecodeError):
        return None
    if again.head is None or again.head.duplicates or _STRAY & again.head.value.keys():
        return None
    return whole


@dataclass(kw_only=True)
class _Block:
    """An open block: `schema` accepts keywords of JSON Schema, `map` accepts names, `plain` accepts
    `names`, `any` only accepts list items. Its keys are indented by `depth` steps. `names` of a
    schema are its required properties; the map of its properties has the same and expects them."""

    kind: Literal["top", "schema", "map", "plain", "any"]
    depth: int
    names: frozenset[str] = frozenset()
    keys: set[str] = field(default_factory=set)

    def expects(self, key: str) -> bool:
        return self.kind == "map" and key in self.names and key not in self.keys

    def accepts(self, key: str, value: str) -> bool:
        match self.kind:
            case "top":
                return True
            case "plain":
                return key in self.names
            case "map":
                return key not in self.keys and not (key == "required" and value.startswith("["))
            case "schema":
                return key in _WORDS and key not in self.keys
            case "any":
                return False


def _indent_lines(lines: list[str]) -> Iterator[str]:
    """The lines, indented to the depth of their block. Existing indentation is kept and added."""
    blocks = [_Block(kind="top", depth=0)]
    for line in lines:
        match = _KEY.match(line.rstrip("\r\n"))
        if match is None or line[:1] in " \t":
            yield "  " * blocks[-1].depth + line if line.strip() else line
            continue
        key, value = match["key"].strip("\"'"), _without_comment(match["value"] or "")
        while not _belongs(blocks, key, value):
            blocks.pop()
        here = blocks[-1]
        here.keys.add(key)
        if here.kind == "schema" and key == "required":
            here.names = frozenset(_NAME.findall(value))
        yield "  " * here.depth + line
        if not value:
            blocks.append(_open_block(here, key))


def _belongs(blocks: list[_Block], key: str, value: str) -> bool:
    """Return True if a key is part of the innermost block. A key of the contract that the top level
    does not have yet ends every block, except `description` and `tags`, which a schema may have."""
    top, here = blocks[0], blocks[-1]
    if here is top:
        return True
    if key in _TOP and key not in top.keys and key not in ("description", "tags"):
        return False
    if any(block.expects(key) for block in blocks[:-1]) and not here.expects(key):
        return False
    return here.accepts(key, value)


def _open_block(here: _Block, key: str) -> _Block:
    """The block that a key without a value opens."""
    depth = here.depth + 1
    if here.kind == "top":
        if key in SCHEMA_KEYS:
            return _Block(kind="schema", depth=depth)
        if key == "retryPolicy":
            return _Block(kind="plain", depth=depth, names=frozenset(RETRY_KEYS))
        return _Block(kind="any", depth=depth)
    if here.kind == "map" or key in _INSIDE:
        return _Block(kind="schema", depth=depth)
    if key in _MAPS:
        return _Block(kind="map", depth=depth, names=here.names)
    return _Block(kind="any", depth=depth)


def _without_comment(value: str) -> str:
    """A value without its comment; "" if there is only a comment."""
    return "" if value.lstrip().startswith("#") else value.strip()
