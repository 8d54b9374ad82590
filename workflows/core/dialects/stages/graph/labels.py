"""Labels of transitions, and conditions as short texts that can be typed.

`approved = true` is short for `{path: result.parsed.approved, op: equals, value: true}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

THEN = "then"
"""The only route, with one stage."""
PARALLEL = "parallel"
"""The only route, with several stages in parallel."""
ELSE = "else"
"""The route if no condition is true."""
JOIN = "join"
"""From a branch to the stage that waits for all branches."""
FAILURE = "on failure"
"""The step after a failed branch (`onParallelFailure`)."""
RESERVED_LABELS = (THEN, PARALLEL, ELSE, JOIN, FAILURE)

SIGNS = {"equals": "=", "notEquals": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_OPS = {sign: op for op, sign in SIGNS.items()} | {
    "==": "equals",
    "<>": "notEquals",
    "≠": "notEquals",
    "≤": "lte",
    "≥": "gte",
}
_SIGN = re.compile(r"==|!=|<>|<=|>=|[=≠<>≤≥]")
_IN = re.compile(r"\sin\s+(?=\[)")
_ROOTS = ("result", "ctx", "slot", "run")
MAX_LABEL = 120


def describe_condition(predicate: Any, depth: int = 0) -> str:
    """A condition as text; "" if it is not a condition."""
    if not isinstance(predicate, Mapping) or depth > 8:
        return ""
    for word, joint in (("all", " and "), ("any", " or ")):
        if isinstance(predicate.get(word), list):
            parts = [describe_condition(item, depth + 1) for item in predicate[word]]
            text = joint.join(part for part in parts if part)
            return f"({text})" if depth and len(parts) > 1 else text
    if "not" in predicate:
        inner = describe_condition(predicate["not"], depth + 1)
        return f"not {inner}" if inner.startswith("(") or not inner else f"not ({inner})"
    return _comparison(predicate)


def _comparison(predicate: Mapping[str, Any]) -> str:
    path, op = predicate.get("path"), predicate.get("op")
    if not isinstance(path, str) or not isinstance(op, str):
        return ""
    value = predicate.get("value")
    if op == "exists":
        return f"{short_path(path)} {'is missing' if value is False else 'exists'}"
    return f"{short_path(path)} {SIGNS.get(op, op)} {json.dumps(value, ensure_ascii=False)}"


def short_path(path: str) -> str:
    """`approved` for `result.parsed.approved`, `input.task` for `run.input.task`, others
    unchanged."""
    rest = path.removeprefix("result.parsed.")
    if rest != path and rest and rest.partition(".")[0].partition("[")[0] not in _TAKEN:
        return rest
    rest = path.removeprefix("result.")
    if rest != path and rest in _RESULT:
        return rest
    return path.removeprefix("run.") if path.startswith("run.input.") else path


_RESULT = ("verdict", "reason", "capHit", "attemptCount")
_TAKEN = (*_RESULT, *_ROOTS, "input", "parsed", "output", "not")


def full_path(path: str) -> str:
    """The inverse of `short_path`."""
    first = path.partition(".")[0].partition("[")[0]
    if first in _ROOTS:
        return path
    if path in _RESULT or first in ("parsed", "output"):
        return f"result.{path}"
    return f"run.{path}" if first == "input" else f"result.parsed.{path}"


def parse_condition(text: str) -> dict[str, Any] | None:
    """The condition of a text, or None. `and`, `or`, `not` and brackets are not parsed: the
    inspector edits them as an object."""
    text = text.strip()
    for ending, value in (("exists", True), ("is missing", False)):
        path = text.removesuffix(f" {ending}").strip()
        if path != text and path and not re.search(r"\s", path):
            return {"path": full_path(path), "op": "exists", "value": value}
    match = _IN.search(text) or _SIGN.search(text)
    if match is None or match.start() == 0:
        return None
    path, rest = text[: match.start()].strip(), text[match.end() :].strip()
    if not rest or re.search(r"[\s()]", path):
        return None
    op = "in" if match[0].strip() == "in" else _OPS[match[0]]
    return {"path": full_path(path), "op": op, "value": _parse_value(rest)}


def _parse_value(text: str) -> Any:
    """The parsed JSON, else the text itself, so that `status = done` needs no quotes."""
    try:
        return json.loads(text, parse_constant=lambda name: name)
    except (ValueError, RecursionError):
        return text
