"""Three-way merges of a file in pieces, so that a person can decide about each conflict."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workflows.actions.file_merge import merged
from workflows.errors import RepositoryRefused
from workflows.repos.git import Git

_WIDTH = 31
_END = "\ue0f5\n"
"""A last line of all three versions, so that a missing line break at the end is text as well."""
_MARKERS = re.compile(
    rb"^(?P<sign><|\||=|>)(?P=sign){%d}(?: [^\r\n]*)?\r?\n" % (_WIDTH - 1), re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A place that both sides changed. `line` counts in the person's version, from 1."""

    line: int
    base: bytes
    mine: bytes
    theirs: bytes


Piece = bytes | Chunk
"""A merged part of a file, or a conflict."""


def pieces(old: bytes, mine: bytes, theirs: bytes) -> Sequence[Piece]:
    """The merged file in order. Without a conflict it is one piece of bytes."""
    whole = merged(old, mine, theirs)
    if whole is not None:
        return [whole]
    if b"\0" in old + mine + theirs:
        return [Chunk(line=1, base=old, mine=mine, theirs=theirs)]
    return _merged_pieces(_split(_merge_file(old, mine, theirs)))


def joined(parts: Sequence[Piece], choices: Mapping[int, bytes]) -> bytes:
    """The file with a text for each conflict by its number. Raises KeyError if one is missing."""
    made: list[bytes] = []
    number = 0
    for part in parts:
        if isinstance(part, Chunk):
            made.append(choices[number])
            number += 1
        else:
            made.append(part)
    return b"".join(made)


def both(chunk: Chunk) -> bytes:
    """Both sides' texts, the person's first."""
    gap = b"" if not chunk.mine or chunk.mine.endswith(b"\n") else b"\n"
    return chunk.mine + gap + chunk.theirs


def _merge_file(old: bytes, mine: bytes, theirs: bytes) -> bytes:
    end = _END.encode()
    with tempfile.TemporaryDirectory(prefix="signalbox-git-") as name:
        folder = Path(name)
        for part, data in (("mine", mine), ("old", old), ("theirs", theirs)):
            (folder / part).write_bytes(data + end)
        done = Git(folder=folder).attempt(
            "merge-file", "--stdout", "--diff3", f"--marker-size={_WIDTH}", "mine", "old", "theirs"
        )
    if done.returncode > 127:
        reason = done.stderr.decode(errors="replace")[:300]
        raise RepositoryRefused(f"The versions of a file cannot be merged: {reason}")
    return done.stdout


def _split(text: bytes) -> list[Piece]:
    """The pieces of git's output with conflict markers."""
    parts: list[Piece] = []
    open_parts: dict[bytes, bytes] = {}
    side = b""
    at, line = 0, 1
    for marker in _MARKERS.finditer(text):
        before, sign = text[at : marker.start()], marker["sign"]
        at = marker.end()
        if sign == b"<" and not side:
            parts.append(before)
            line += before.count(b"\n")
        else:
            open_parts[side] = before
        side = sign
        if sign == b">":
            mine = open_parts[b"<"]
            parts.append(
                Chunk(line=line, base=open_parts[b"|"], mine=mine, theirs=open_parts[b"="])
            )
            line += mine.count(b"\n")
            side, open_parts = b"", {}
    parts.append(text[at:])
    return [_without_end(part) for part in parts]


def _without_end(part: Piece) -> Piece:
    end = _END.encode()
    if isinstance(part, bytes):
        return part.removesuffix(end)
    return Chunk(
        line=part.line,
        base=part.base.removesuffix(end),
        mine=part.mine.removesuffix(end),
        theirs=part.theirs.removesuffix(end),
    )


def _merged_pieces(parts: Sequence[Piece]) -> list[Piece]:
    """Conflicts of lines that are none of values are merged."""
    made: list[Piece] = []
    for part in parts:
        one: Piece = part
        if isinstance(part, Chunk):
            text = merged(part.base, part.mine, part.theirs)
            one = part if text is None else text
        if isinstance(one, bytes) and made and isinstance(made[-1], bytes):
            made[-1] = made[-1] + one
        elif one != b"":
            made.append(one)
    return made
