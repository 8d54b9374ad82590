"""Heads of stages that have lost their indentation, and how it was (stages.md section 3.1).

Pages that show a stage drop its indentation when they are copied; the keys then all stand at the
top, some of them twice. What a line was part of is told by which words may follow which.
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
    """Whether this head was pasted without its indentation: what should be a block is empty, and
    its words stand at the top."""
    if file.form == "object" or file.front is None:
        return False
    values = file.values
    schema = "completionSchema" in values and values["completionSchema"] is None
    retry = "retryPolicy" in values and values["retryPolicy"] is None
    stray = _STRAY & values.keys()
    return (schema and bool(stray - set(RETRY_KEYS))) or (retry and bool(stray & set(RETRY_KEYS)))


@lru_cache(maxsize=512)
def restore_indentation(data: bytes) -> str | None:
    """The file with its head indented again; None where that cannot be told."""
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
    """An open block: `schema` takes words of JSON Schema, `map` takes names, `plain` takes `names`,
    `any` takes list items alone. Its keys stand `depth` steps in. A schema knows in `names` what it
    requires, and so does the map of its properties: they are awaited there."""

    kind: Literal["top", "schema", "map", "plain", "any"]
    depth: int
    names: frozenset[str] = frozenset()
    seen: set[str] = field(default_factory=set)

    def expects(self, key: str) -> bool:
        return self.kind == "map" and key in self.names and key not in self.seen

    def accepts(self, key: str, value: str) -> bool:
        match self.kind:
            case "top":
                return True
            case "plain":
                return key in self.names
            case "map":
                return key not in self.seen and not (key == "required" and value.startswith("["))
            case "schema":
                return key in _WORDS and key not in self.seen
            case "any":
                return False


def _indent_lines(lines: list[str]) -> Iterator[str]:
    """The lines, each as far in as the block that takes it. Lines that are indented already keep
    that on top."""
    blocks = [_Block(kind="top", depth=0)]
    for line in lines:
        found = _KEY.match(line.rstrip("\r\n"))
        if found is None or line[:1] in " \t":
            yield "  " * blocks[-1].depth + line if line.strip() else line
            continue
        key, value = found["key"].strip("\"'"), _without_comment(found["value"] or "")
        while not _belongs(blocks, key, value):
            blocks.pop()
        here = blocks[-1]
        here.seen.add(key)
        if here.kind == "schema" and key == "required":
            here.names = frozenset(_NAME.findall(value))
        yield "  " * here.depth + line
        if not value:
            blocks.append(_open_block(here, key))


def _belongs(blocks: list[_Block], key: str, value: str) -> bool:
    """Whether a key is part of the innermost block. A word of the contract that the top has not
    seen ends every block, except `name`, `description` and the like inside a schema."""
    top, here = blocks[0], blocks[-1]
    if here is top:
        return True
    if key in _TOP and key not in top.seen and key not in ("description", "tags"):
        return False
    if any(block.expects(key) for block in blocks[:-1]) and not here.expects(key):
        return False
    return here.accepts(key, value)


def _open_block(here: _Block, key: str) -> _Block:
    """The block that a key without a value begins."""
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
    """A value without its comment; "" for one that is a comment alone."""
    return "" if value.lstrip().startswith("#") else value.strip()
