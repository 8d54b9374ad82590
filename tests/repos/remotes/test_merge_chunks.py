"""Merges in pieces: one side's choice for all conflicts keeps the other side's further changes."""

from __future__ import annotations

import random

import pytest

from workflows.actions.file_merge import merged
from workflows.repos.merge_chunks import Chunk, both, joined, pieces

OLD = b'{\n  "a": 1,\n  "b": [1, 2],\n  "c": "x",\n  "d": true\n}\n'


def take(old: bytes, mine: bytes, theirs: bytes, side: str) -> bytes:
    parts = pieces(old, mine, theirs)
    chunks = [part for part in parts if isinstance(part, Chunk)]
    texts = {n: both(one) if side == "both" else getattr(one, side) for n, one in enumerate(chunks)}
    return joined(parts, texts)


def test_neighbouring_changes_are_no_conflict() -> None:
    mine, theirs = OLD.replace(b"1,\n", b"7,\n"), OLD.replace(b"[1, 2]", b"[3]")
    assert pieces(OLD, mine, theirs) == [merged(OLD, mine, theirs)]


def test_a_conflict_is_shown_with_its_line_and_the_rest_is_merged() -> None:
    mine = OLD.replace(b'"x"', b'"mine"')
    theirs = OLD.replace(b'"x"', b'"theirs"').replace(b"true", b"false")
    (chunk,) = (part for part in pieces(OLD, mine, theirs) if isinstance(part, Chunk))
    assert (chunk.line, chunk.base, chunk.mine) == (4, b'  "c": "x",\n', b'  "c": "mine",\n')
    assert take(OLD, mine, theirs, "mine") == mine.replace(b"true", b"false")
    assert take(OLD, mine, theirs, "theirs") == theirs


def test_a_conflict_in_one_long_line_is_the_value_alone() -> None:
    old = b'{"a": 1, "b": "' + b"x" * 2000 + b'", "c": 2}'
    mine, theirs = old.replace(b"1,", b"5,"), old.replace(b"1,", b"6,").replace(b"2}", b"3}")
    (chunk,) = (part for part in pieces(old, mine, theirs) if isinstance(part, Chunk))
    assert len(chunk.base) < 20
    assert take(old, mine, theirs, "mine") == mine.replace(b"2}", b"3}")


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_ends_of_files_and_line_breaks_are_kept(end: bytes) -> None:
    old = b"one\r\ntwo\r\nlast" + end
    mine, theirs = old.replace(b"last", b"mine"), old.replace(b"last", b"theirs")
    assert take(old, mine, theirs, "theirs") == theirs
    assert take(old, mine, theirs, "mine") == mine


def test_random_edits_of_both_sides_keep_each_sides_text() -> None:
    for seed in range(300):
        rng = random.Random(seed)
        lines = [f'  "k{n}": {rng.randrange(4)},\n'.encode() for n in range(rng.randrange(1, 9))]
        old = b"{\n" + b"".join(lines) + b"}"
        mine, theirs = (_edited(old, rng) for _ in range(2))
        parts = pieces(old, mine, theirs)
        if not any(isinstance(part, Chunk) for part in parts):
            continue
        same = pieces(old, mine, mine)
        assert same == [mine]
        for mark in set(theirs.split(b"\n")) - set(old.split(b"\n")) - set(mine.split(b"\n")):
            assert mark.strip(b" ,") in take(old, mine, theirs, "theirs"), seed
        for mark in set(mine.split(b"\n")) - set(old.split(b"\n")) - set(theirs.split(b"\n")):
            assert mark.strip(b" ,") in take(old, mine, theirs, "mine"), seed


def _edited(text: bytes, rng: random.Random) -> bytes:
    lines = text.split(b"\n")
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(1, len(lines))
        match rng.randrange(3):
            case 0:
                lines.insert(at, b'  "n%d": %d,' % (rng.randrange(99), rng.randrange(99)))
            case 1 if len(lines) > 2:
                del lines[at]
            case _:
                lines[at] = b'  "c%d": %d,' % (rng.randrange(99), rng.randrange(99))
    return b"\n".join(lines)
