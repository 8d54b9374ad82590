"""The bytes of every value of a JSON text, with its key, found in one pass over its tokens."""

from __future__ import annotations

import json
import re

from workflows.core.text.json.pointer import Pointer

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')


def value_ranges(data: bytes) -> dict[Pointer, tuple[int, int]]:
    """Every value's pointer with the byte where its key begins (without a key: the value) and the
    byte after the value. Of members with one key the last counts. The text has to be JSON."""
    ranges: dict[Pointer, tuple[int, int]] = {}
    here: Pointer = ()
    begin = 0
    open_containers: list[tuple[Pointer, int, bool]] = []  # place, start, and if a list
    index: list[int] = []
    awaits_key = False
    has_key = False
    for match in _TOKEN.finditer(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0):
        token = match[0]
        if token in (b"{", b"["):
            start = begin if has_key else match.start()
            is_list = token == b"["
            open_containers.append((here, start, is_list))
            index.append(0)
            awaits_key, has_key = not is_list, False
            if is_list:
                here = (*here, 0)
        elif token in (b"}", b"]"):
            here, start, _ = open_containers.pop()
            index.pop()
            ranges[here] = (start, match.end())
            awaits_key = has_key = False
        elif token == b",":
            outer, _, is_list = open_containers[-1]
            index[-1] += 1
            awaits_key, has_key = not is_list, False
            here = (*outer, index[-1]) if is_list else outer
        elif token == b":":
            awaits_key = False
        elif awaits_key:
            begin, has_key = match.start(), True
            here = (*open_containers[-1][0], str(json.loads(token)))
        else:
            ranges[here] = (begin if has_key else match.start(), match.end())
            has_key = False
    return ranges
