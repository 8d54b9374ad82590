"""Tool calls in the text of a reply, as lines of JSON (spec page 5.2).

A call is one line with one JSON object and nothing else: `{"tool_call": {"id": "t1", "name":
"send_handoff", "args": {…}}}`. The strict profile applies to every provider. Lines inside code
fences are text. A line that looks like a call but is invalid is rejected with a message to the
model; the line stays in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from workflows.core.dialects.agent_graph.format.vocabulary import TOOLS
from workflows.core.text.json.loads import reject_constant

_FENCE = re.compile(r"\s*(?P<run>`{3,}|~{3,})(?P<rest>.*)$")
_LOOKS_LIKE_A_CALL = re.compile(r'"(?:tool_call|toolCall)"\s*:')
_ALONE = "The call has to be one JSON object alone on its line, with no text before or after it."


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A valid call. `id` is the model's, "" if it has none; the caller of this module assigns one.
    `line` counts from 1; `warnings` are messages about a valid call."""

    id: str
    name: str
    args: Mapping[str, Any]
    line: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A line that looks like a call but is invalid. `code`: `fenced`, `not_alone`, `not_json`,
    `no_wrapper`, `no_name`, `no_args`, `unknown_tool`."""

    line: int
    code: str
    message: str
    text: str
    """The line, truncated."""


class Extracted(NamedTuple):
    """A parsed reply. Without calls, `text` is the unchanged message."""

    text: str
    calls: tuple[ToolCall, ...]
    rejections: tuple[Rejection, ...]


def extract(message: str) -> Extracted:
    """The calls of a reply in order, and the remaining text."""
    kept: list[str] = []
    calls: list[ToolCall] = []
    rejections: list[Rejection] = []
    fence = ""
    for number, line in enumerate(message.split("\n"), start=1):
        was_inside, fence = bool(fence), _fence_after(fence, line)
        if was_inside or fence:
            rejections += _fenced(line, number) if was_inside and fence else ()
            kept.append(line)
            continue
        result = parse_line(line, number)
        if isinstance(result, ToolCall):
            calls.append(result)
            continue
        if result is not None:
            rejections.append(result)
        kept.append(line)
    text = "\n".join(kept).strip() if calls else message
    return Extracted(text, tuple(calls), tuple(rejections))


def parse_line(line: str, number: int = 1) -> ToolCall | Rejection | None:
    """One line outside of fences: a call, a rejection, or None for plain text."""
    bare = line.strip()
    if not (bare.startswith("{") and bare.endswith("}")):
        return _rejected(line, number, "not_alone", _ALONE) if _attempt(bare) else None
    try:
        value = json.loads(bare, parse_constant=reject_constant)
    except (ValueError, RecursionError):
        if not _attempt(bare):
            return None
        why = "This line is not one JSON object, so it was not carried out."
        return _rejected(line, number, "not_json", why)
    wrapper = next(
        (value[key] for key in ("tool_call", "toolCall") if isinstance(value.get(key), dict)), None
    )
    if wrapper is None:
        return _unwrapped(value, line, number)
    return _wrapped(wrapper, line, number)


def _wrapped(wrapper: Mapping[str, Any], line: str, number: int) -> ToolCall | Rejection:
    value = wrapper.get("name")
    name = value.strip() if isinstance(value, str) else ""
    if not name:
        return _rejected(line, number, "no_name", "The tool_call has no tool name.")
    args, warnings = wrapper.get("args"), tuple[str, ...]()
    if not isinstance(args, dict):
        args = wrapper.get("params")
        warnings = (f"The arguments of {name} are in `params`; use `args`.",)
    if not isinstance(args, dict):
        why = f"The call of {name[:60]} has no object `args`; write {{}} for no arguments."
        return _rejected(line, number, "no_args", why)
    if name not in TOOLS:
        why = f"Unknown tool {name[:60]!r}. Tools: {', '.join(TOOLS)}."
        return _rejected(line, number, "unknown_tool", why)
    id = wrapper.get("id")
    return ToolCall(
        id=id.strip() if isinstance(id, str) else "",
        name=name,
        args=args,
        line=number,
        warnings=warnings,
    )


def _unwrapped(value: Mapping[str, Any], line: str, number: int) -> Rejection | None:
    """An object without a wrapper is text, unless it names a tool."""
    named = value.get("tool", value.get("name"))
    has_arguments = any(isinstance(value.get(key), dict) for key in ("args", "params"))
    if "tool_call" in value or "toolCall" in value or (named in TOOLS and has_arguments):
        why = 'A call must be inside {"tool_call": {"name": …, "args": {…}}}.'
        return _rejected(line, number, "no_wrapper", why)
    return None


def _fenced(line: str, number: int) -> tuple[Rejection, ...]:
    if not _attempt(line):
        return ()
    why = "Lines inside a code fence are not carried out; write the call outside of it."
    return (_rejected(line, number, "fenced", why),)


def _fence_after(fence: str, line: str) -> str:
    """The characters that opened the current fence after this line; "" outside of a fence."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    run, rest = match["run"], match["rest"]
    if not fence:
        inline = run[0] == "`" and "`" in rest
        return "" if inline else run
    closes = run[0] == fence[0] and len(run) >= len(fence) and not rest.strip()
    return "" if closes else fence


def _attempt(line: str) -> bool:
    return _LOOKS_LIKE_A_CALL.search(line) is not None


def _rejected(line: str, number: int, code: str, message: str) -> Rejection:
    bare = line.strip()
    shown = bare if len(bare) <= 200 else f"{bare[:199]}…"
    return Rejection(line=number, code=code, message=message, text=shown)
