"""On which line every value of a JSON text begins, found in one pass over its tokens."""

from __future__ import annotations

import json
import re

from workflows.core.text.json.pointer import Pointer

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"?|\r\n|[\n\r{}\[\],:]|[^\s{}\[\],:"]+')


def value_lines(data: bytes) -> dict[Pointer, int]:
    """Every value's pointer with its 1-based line. Of members with one key the last counts. The
    text has to be JSON."""
    lines: dict[Pointer, int] = {}
    line = 1
    here: Pointer = ()
    around: list[tuple[Pointer, bool]] = []  # containers that are open: their place, and if a list
    index: list[int] = []
    awaits_key = False
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token in (b"\n", b"\r\n", b"\r"):
            line += 1
        elif token in (b"{", b"["):
            lines[here] = line
            around.append((here, token == b"["))
            index.append(0)
            awaits_key = token == b"{"
            if token == b"[":
                here = (*here, 0)
        elif token in (b"}", b"]"):
            here, _ = around.pop()
            index.pop()
            awaits_key = False
        elif token == b",":
            outer, is_list = around[-1]
            index[-1] += 1
            awaits_key = not is_list
            here = (*outer, index[-1]) if is_list else outer
        elif token == b":":
            awaits_key = False
        elif awaits_key:
            here = (*around[-1][0], _key(token))
        else:
            lines[here] = line
    return lines


def _key(token: bytes) -> str:
    if b"\\" in token:
        return str(json.loads(token))
    return token[1:-1].decode("utf-8")
