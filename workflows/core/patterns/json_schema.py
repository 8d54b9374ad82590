"""`pattern` and `patternProperties` of JSON Schemas that a pack, a tool or a server sent.

Patterns are compiled by Rust's regex, which takes linear time; those with look-around or
backreferences by fancy-regex with few steps back. Both expand counted repeats, so the memory that
the patterns of a schema will need is estimated before any is compiled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import jsonschema_rs

from workflows.core.patterns.problems import MAX_PATTERN, PatternError, quoted
from workflows.core.text.json.pointer import Pointer

MAX_BYTES = 4_000_000
"""Estimated memory of all patterns of a schema."""
LIGHT_BYTES = 64_000
"""Schemas whose patterns need less are cheap enough to keep compiled."""
SIZE_LIMIT = 2 << 20
BACKTRACKS = 2_000

PATTERN, LITERAL, CLASS, WIDE_CLASS, PROPERTY = 2_000, 70, 200, 1_500, 50_000
"""Bytes of a compiled pattern, and in it of a character, an ASCII class, a class of most characters
and a Unicode property; measured with jsonschema-rs 0.60."""

_LINEAR = jsonschema_rs.RegexOptions(size_limit=SIZE_LIMIT, dfa_size_limit=SIZE_LIMIT)
_BACKTRACKING = jsonschema_rs.FancyRegexOptions(
    backtrack_limit=BACKTRACKS, size_limit=SIZE_LIMIT, dfa_size_limit=SIZE_LIMIT
)
_TOKEN = re.compile(
    r"\\[pP]\{[^{}]*\}|\\[pP].|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\."
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]?|\{(?P<low>\d+)(?P<comma>,(?P<high>\d*))?\}|.",
    re.DOTALL,
)
_MARK = '"pattern'
"""In the text of every schema with a pattern."""
_WIDE = re.compile(r"\A\[\^|\\[DWS]|[^\x00-\x7f]")


class SchemaPatternError(PatternError):
    """A pattern of a schema exceeds a limit. `instance_path` is its place in the schema."""

    def __init__(self, pointer: Pointer, pattern: str, problem: PatternError) -> None:
        super().__init__(problem.reason, f"the pattern {quoted(pattern)} {problem.message}")
        self.instance_path = pointer


def bounded_validator(text: str, *, retriever: Callable[[str], Any]) -> jsonschema_rs.Validator:
    """A validator with bounded patterns for a schema as JSON text.

    Raises SchemaPatternError for patterns over the limits, and what `jsonschema_rs.validator_for`
    raises.
    """
    if _MARK in text:
        check_patterns(json.loads(text))
    try:
        return jsonschema_rs.validator_for(text, retriever=retriever, pattern_options=_LINEAR)
    except jsonschema_rs.ValidationError:
        if _MARK not in text:
            raise
    return jsonschema_rs.validator_for(text, retriever=retriever, pattern_options=_BACKTRACKING)


def check_patterns(schema: Any) -> None:
    """Raise SchemaPatternError for the first pattern over the limits."""
    total = 0
    for pointer, pattern in patterns_of(schema):
        if len(pattern) > MAX_PATTERN:
            problem = PatternError("too large", f"is longer than {MAX_PATTERN:,} characters")
            raise SchemaPatternError(pointer, pattern, problem)
        total += compiled_bytes(pattern)
        if total > MAX_BYTES:
            problem = PatternError("too large", "is too large when its repeats are expanded")
            raise SchemaPatternError(pointer, pattern, problem)


def is_light(text: str) -> bool:
    """True if a compiled validator of a schema may be kept: its patterns need little memory."""
    if _MARK not in text:
        return True
    patterns = patterns_of(json.loads(text))
    return sum(compiled_bytes(pattern) for _, pattern in patterns) <= LIGHT_BYTES


_Link: TypeAlias = "tuple[_Link, str | int] | None"
"""A place in a schema: the link of its parent and its own key."""


def patterns_of(schema: Any) -> Iterator[tuple[Pointer, str]]:
    """Every pattern below a schema with its place. Values that only look like one count too."""
    waiting: list[tuple[_Link, Any]] = [(None, schema)]
    while waiting:
        link, value = waiting.pop()
        if isinstance(value, Mapping):
            pattern, named = value.get("pattern"), value.get("patternProperties")
            if isinstance(pattern, str):
                yield _pointer((link, "pattern")), pattern
            if isinstance(named, Mapping):
                here: _Link = (link, "patternProperties")
                yield from ((_pointer((here, key)), key) for key in named)
            waiting += [((link, key), child) for key, child in value.items()]
        elif isinstance(value, list):
            waiting += [((link, index), child) for index, child in enumerate(value)]


def _pointer(link: _Link) -> Pointer:
    keys: list[str | int] = []
    while link is not None:
        link, key = link
        keys.append(key)
    return tuple(reversed(keys))


def compiled_bytes(pattern: str) -> int:
    """The estimated size of a compiled pattern in bytes, its counted repeats expanded."""
    open_groups: list[int] = []
    total, last = 0, 0
    for match in _TOKEN.finditer(pattern):
        token = match[0]
        if match["low"] is not None:
            times = _times(match["low"], match["comma"], match["high"])
            total += last * (times - 1)
            last *= times
        elif token == "(":
            open_groups.append(total)
            total, last = 0, 0
        elif token == ")" and open_groups:
            last = total + LITERAL
            total = open_groups.pop() + last
        elif token not in "*+?|":
            last = _token_bytes(token)
            total += last
    return PATTERN + total + sum(open_groups)


def _times(low: str, comma: str | None, high: str | None) -> int:
    """The copies of a repeat; numbers over six digits count as a million."""
    numbers = [10**6 if len(text) > 6 else int(text) for text in (low, high) if text]
    return max([*numbers, 1]) + (1 if comma and not high else 0)


def _token_bytes(token: str) -> int:
    if "\\p" in token or "\\P" in token:
        return PROPERTY * max(token.count("\\p") + token.count("\\P"), 1)
    if token == "." or _WIDE.search(token):
        return WIDE_CLASS
    return CLASS if token[0] == "[" or token in ("\\d", "\\w", "\\s", "\\b", "\\B") else LITERAL
