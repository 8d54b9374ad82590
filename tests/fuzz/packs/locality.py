"""The byte-locality oracle: a value that an edit keeps is spelled as before.

It has no false alarms, because it compares only what both files have: members with the same key,
elements with the same meaning, and the bytes between members where no member came or went. Bytes
that an edit may choose are not compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.fuzz.packs.parts import NoParts, Part, head_parts, json_parts
from workflows.core.pack.files import Files
from workflows.core.text import spans


class BytesChanged(AssertionError):
    """An edit changed bytes outside its place."""


def check_locality(before: Files, after: Files) -> None:
    """Raises BytesChanged with the file and the place."""
    for path, data in before.difference(after).items():
        if data is None or path not in before:
            continue
        check_inverse(path, before[path], data)
        for place, old, new in changed_elsewhere(before[path], data):
            raise BytesChanged(f"{path} {place}: {old[:80]!r} became {new[:80]!r}")


def check_inverse(path: str, old: bytes, new: bytes) -> None:
    """The recorded change leads to the new bytes, and its inverse back to the old ones."""
    changes = spans.difference(old, new)
    if spans.apply(old, changes) != new or spans.apply(new, spans.inverse(old, changes)) != old:
        raise BytesChanged(f"{path}: the inverse of the change does not restore the bytes")


def changed_elsewhere(old: bytes, new: bytes) -> Iterator[tuple[str, bytes, bytes]]:
    """Places whose value stayed and whose bytes did not, in JSON and in front matter."""
    before_head, after_head = head_parts(old), head_parts(new)
    for key in before_head.keys() & after_head.keys():
        (meaning, lines), (other, new_lines) = before_head[key], after_head[key]
        if repr(meaning) == repr(other) and lines != new_lines:
            yield key, lines, new_lines
    try:
        lead, before, tail = json_parts(old)
        new_lead, after, new_tail = json_parts(new)
    except NoParts:
        return
    if (lead, tail) != (new_lead, new_tail):
        yield "outside the value", lead + tail, new_lead + new_tail
    yield from _compared("", before, after)


def _compared(place: str, old: Part, new: Part) -> Iterator[tuple[str, bytes, bytes]]:
    if old.meaning == new.meaning:
        if old.raw != new.raw:
            yield place, old.raw, new.raw
    elif old.container and new.container:
        if old.keys is not None and new.keys is not None:
            yield from _objects(place, old, new, old.keys, new.keys)
        elif old.keys is None and new.keys is None:
            yield from _arrays(place, old, new)


def _objects(
    place: str, old: Part, new: Part, old_keys: list[str], new_keys: list[str]
) -> Iterator[tuple[str, bytes, bytes]]:
    if old_keys == new_keys and old.frame != new.frame:
        yield place, b"|".join(old.frame), b"|".join(new.frame)
    for index, key in enumerate(old_keys):
        if old_keys.count(key) == new_keys.count(key) == 1:
            other = new.members[new_keys.index(key)]
            yield from _compared(f"{place}/{key}", old.members[index], other)


def _arrays(place: str, old: Part, new: Part) -> Iterator[tuple[str, bytes, bytes]]:
    """Spellings per meaning. With fewer elements of a meaning no spelling is new, else none is
    lost. A list in which one element changed is compared inside that element too."""
    before, after = _spellings(old), _spellings(new)
    for meaning in before.keys() & after.keys():
        mine, other = before[meaning], after[meaning]
        fewer, more = (mine, other) if len(mine) <= len(other) else (other, mine)
        rest = list(more)
        for raw in fewer:
            if raw not in rest:
                yield place, b" ".join(mine), b" ".join(other)
                break
            rest.remove(raw)
    if len(old.members) == len(new.members):
        if old.frame != new.frame:
            yield place, b"|".join(old.frame), b"|".join(new.frame)
        differing = [
            (index, *pair)
            for index, pair in enumerate(zip(old.members, new.members, strict=True))
            if pair[0].meaning != pair[1].meaning
        ]
        if len(differing) == 1:
            ((index, left, right),) = differing
            yield from _compared(f"{place}/{index}", left, right)


def _spellings(part: Part) -> dict[Any, list[bytes]]:
    found: dict[Any, list[bytes]] = defaultdict(list)
    for member in part.members:
        found[member.meaning].append(member.raw)
    return found
