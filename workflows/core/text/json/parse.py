"""JSON bytes → the root of a tree. Values come from the standard library, all in one go."""

from __future__ import annotations

import json
from typing import Any

from workflows.core.limits import TEXT_DEPTH
from workflows.core.text.json.errors import depth_error, explained, unreadable
from workflows.core.text.json.node import Node
from workflows.core.text.json.scan import decoder, mark_repeats, space_end

BOM = b"\xef\xbb\xbf"


def parse(data: bytes) -> tuple[int, Node]:
    """The offset of the root value and its node.

    Raises JsonTextError for anything that is not exactly one UTF-8 JSON value of at most TEXT_DEPTH
    nested containers.
    """
    skipped = len(BOM) if data.startswith(BOM) else 0
    try:
        text = data[skipped:].decode("utf-8")
    except UnicodeDecodeError as error:
        raise unreadable(data, error.start + skipped) from None
    if "\0" in text[:4]:
        raise unreadable(data, data.index(b"\0"))
    value, repeated, begin, end = _loaded(data, skipped, text)
    start = skipped + begin
    root = Node(len(data) - (len(text) - end) - start, value)
    if repeated:
        mark_repeats(root, data, start, repeated)
    return start, root


def _loaded(data: bytes, skipped: int, text: str) -> tuple[Any, list[dict[str, Any]], int, int]:
    begin = space_end(text, 0)
    repeated: list[dict[str, Any]] = []
    try:
        value, end = decoder(repeated).raw_decode(text, begin)
        after = space_end(text, end)
        if after != len(text):
            raise json.JSONDecodeError("Extra data", text, after)
    except RecursionError:
        problem = depth_error(data, skipped, text, TEXT_DEPTH)
        if problem is None:
            raise
        raise problem from None
    except ValueError as error:
        raise explained(data, skipped, text, error) from None
    if repeated or data.count(b"{") + data.count(b"[") > TEXT_DEPTH:
        deep = bool(repeated) or depth(value) > TEXT_DEPTH
        problem = depth_error(data, skipped, text, TEXT_DEPTH) if deep else None
        if problem is not None:
            raise problem
    return value, repeated, begin, end


def depth(value: Any) -> int:
    """The nesting depth of containers; 0 for a scalar. Stops counting past TEXT_DEPTH."""
    level, count = [value], 0
    while True:
        level = [each for each in level if type(each) is dict or type(each) is list]
        if not level or count > TEXT_DEPTH:
            return count
        count += 1
        level = [
            child for each in level for child in (each.values() if type(each) is dict else each)
        ]
