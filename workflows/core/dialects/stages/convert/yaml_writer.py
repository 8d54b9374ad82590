"""Plain values as readable YAML: block style, and quotes only if required."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./(][A-Za-z0-9_./(),'-]*)*")
_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"])
_NUMBER = re.compile(r"[-+.]?[0-9]")
MAX_WIDTH = 78


def to_yaml(value: Mapping[str, Any]) -> str:
    """A mapping as lines, each with its break."""
    return "".join(f"{line}\n" for line in _mapping(value, ""))


def _mapping(value: Mapping[str, Any], lead: str) -> Iterator[str]:
    for key, item in value.items():
        yield from _entry_lines(f"{lead}{scalar(key)}:", item, lead)


def _entry_lines(head: str, item: Any, lead: str) -> Iterator[str]:
    flow = inline(item)
    if flow is not None and len(head) + len(flow) < MAX_WIDTH:
        yield f"{head} {flow}"
    elif isinstance(item, Mapping):
        yield head
        yield from _mapping(item, f"{lead}  ")
    elif isinstance(item, list):
        yield head
        for each in item:
            yield from _item_lines(each, f"{lead}  ")
    else:
        yield f"{head} {scalar(item)}"


def _item_lines(item: Any, lead: str) -> Iterator[str]:
    if isinstance(item, Mapping) and item:
        lines = list(_mapping(item, f"{lead}  "))
        yield f"{lead}- {lines[0].lstrip()}"
        yield from lines[1:]
    else:
        flow = inline(item)
        yield f"{lead}- {flow if flow is not None else json.dumps(item, ensure_ascii=False)}"


def inline(item: Any, depth: int = 0) -> str | None:
    """The value on one line; None if it is long or nested."""
    if isinstance(item, list):
        parts = [inline(each, depth + 1) for each in item]
        if depth > 1 or any(part is None for part in parts):
            return None
        return f"[{', '.join(part for part in parts if part is not None)}]"
    if isinstance(item, Mapping):
        if not item:
            return "{}"
        held = {key: inline(each, depth + 1) for key, each in item.items()}
        if depth > 1 or len(held) > 3 or any(each is None for each in held.values()):
            return None
        inner = ", ".join(f"{scalar(key)}: {each}" for key, each in held.items())
        return "{ " + inner + " }"
    return scalar(item)


def scalar(item: Any) -> str:
    """A string, quoted only if YAML would read it as something else; other values as JSON."""
    if not isinstance(item, str):
        return json.dumps(item, ensure_ascii=False)
    plain = _PLAIN.fullmatch(item) and item.lower() not in _WORDS and not _NUMBER.match(item)
    return item if plain and len(item) < MAX_WIDTH and "," not in item else _quoted(item)


def _quoted(text: str) -> str:
    """A JSON string is a YAML string, except for three ranges of characters that YAML requires to
    be escaped."""
    literal = json.dumps(text, ensure_ascii=False)
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]", _escaped, literal)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
