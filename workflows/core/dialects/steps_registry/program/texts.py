"""JSON objects in answers, dotted paths, and the placeholders of prompts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workflows.core.dialects.steps_registry.format.prompt_paths import PLACEHOLDER
from workflows.core.text.placeholders import MAX_TEXT, Filled, fill
from workflows.core.text.tolerant import as_list, as_object

FENCE = re.compile(r"```(?:[\w-]*)\s*\n(.*?)```", re.DOTALL)
JSON_FENCE = re.compile(r"```json\s*\n(.*?)```", re.DOTALL)
EACH = re.compile(r"\{\{#each\s+([\w.]+)\s*\}\}")
IF = re.compile(r"\{\{#if\s+([\w.]+)\s*\}\}")
NAME = re.compile(r"\{\{([\w.]+)\}\}")
MAX_BRACES = 200
ITEM = 20
"""Characters that an item of a list counts for at least."""
MAX_ARGUMENT = 131_072
"""Maximum length of an argument of a process, in characters. Linux starts none with a longer one.
"""


def extract_object(text: str, *, last: bool = False) -> dict[str, Any] | None:
    """The JSON object in an answer (section 4.3): the whole text, the first fenced block, or an
    object at the earliest brace. `last`: the last fenced block that has an object, because drafts
    come before the answer."""
    whole = _object(text)
    if whole is not None:
        return whole
    fences = FENCE.findall(text)
    for fence in reversed(fences) if last else fences[:1]:
        if (inner := _object(fence)) is not None:
            return inner
    decoder = json.JSONDecoder()
    start = text.find("{")
    for _ in range(MAX_BRACES):
        if start < 0:
            return None
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        start = text.find("{", start + 1)
    return None


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_block(text: str) -> Any:
    """The first ```json block of a text; None without a valid one."""
    fence = JSON_FENCE.search(text)
    return _object(fence[1]) if fence is not None else None


def value_at(value: Any, path: str) -> Any:
    """The value at a dotted path; numeric parts index lists. None if any part is missing."""
    for part in path.split("."):
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def nested(path: str, value: Any, onto: dict[str, Any] | None = None) -> dict[str, Any]:
    """The smallest answer with `value` at a dotted path, merged into `onto`."""
    result: Any = dict(onto or {})
    node = result
    parts = path.split(".")
    for part in parts[:-1]:
        node[part] = dict(as_object(node.get(part)))
        node = node[part]
    node[parts[-1]] = value
    outer: dict[str, Any] = result
    return outer


def as_text(value: Any) -> str:
    """A value as a prompt variable: booleans in lower case, objects as in Climpt."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case dict():
            return "[object Object]"
        case list():
            return ",".join(as_text(item) for item in value)
        case _:
            return str(value)


def fill_template(text: str, variables: dict[str, str]) -> Filled:
    """Replace `{uv-name}` once. Values are not scanned for placeholders."""
    filled = fill(PLACEHOLDER, text, lambda match: variables.get(match[1]))
    return replace(filled, text=filled.text.replace("{input_text}", ""))


def insert_argument(text: str, placeholder: str, value: str) -> str:
    """A command with a value in place of a placeholder. Raises ValueError if it is too long."""
    grows = text.count(placeholder) * (len(value) - len(placeholder))
    if grows > 0 and len(text) + grows > MAX_ARGUMENT:
        raise ValueError(
            f"The command has more than {MAX_ARGUMENT:,} characters with the value of "
            f"{placeholder}. Shorten the value."
        )
    return text.replace(placeholder, value)


def inject_values(text: str, params: dict[str, Any]) -> str:
    """Fill a retry prompt: `each`, then `if`, then names (section 4.8). Blocks and names from the
    first on that would make the text longer than MAX_TEXT stay in it."""
    lists = _Lists(params)
    text = _fill_blocks(text, EACH, "{{/each}}", lists.fill)
    text = _fill_blocks(text, IF, "{{/if}}", lambda name, body: _chosen(name, body, params))
    return fill(NAME, text, lambda match: _shown(value_at(params, match[1]))).text


def _fill_blocks(
    text: str, start: re.Pattern[str], end: str, text_of: Callable[[str, str], str | None]
) -> str:
    """Replace each block from a start to the next end by `text_of(name, body)`, up to the first
    without one."""
    parts: list[str] = []
    at = 0
    while match := start.search(text, at):
        close = text.find(end, match.end())
        if close < 0:
            break
        block = text_of(match[1], text[match.end() : close])
        if block is None:
            break
        parts += [text[at : match.start()], block]
        at = close + len(end)
    return "".join([*parts, text[at:]])


class _Lists:
    """The `each` blocks of one prompt, and the number of characters that they may still have."""

    def __init__(self, params: dict[str, Any]) -> None:
        self._params = params
        self._left = MAX_TEXT

    def fill(self, name: str, body: str) -> str | None:
        """The body for each item; None if that is too long."""
        items = value_at(self._params, name)
        parts: list[str] = []
        for item in as_list(items):
            part = _with_item(body, item)
            # An item without a text takes as long as one with a text.
            self._left -= max(len(part), len(body), ITEM)
            if self._left < 0:
                return None
            parts.append(part)
        return "".join(parts)


def _with_item(body: str, item: Any) -> str:
    def value_of(match: re.Match[str]) -> str | None:
        path = match[1]
        if path == "this":
            return _shown(item)
        if not path.startswith("this."):
            return None
        return _shown(value_at(item, path.removeprefix("this.")))

    return fill(NAME, body, value_of).text


def _chosen(name: str, body: str, params: dict[str, Any]) -> str:
    yes, _, no = body.partition("{{else}}")
    value = value_at(params, name)
    return yes if value not in (None, False, "", 0, []) else no


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(as_text(item) for item in value)
    return as_text(value)
