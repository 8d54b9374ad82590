"""Merges of texts, compared with `git merge-file`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.support.git_program import GitRepository
from workflows.core.merge.files import merged

LINES = ["alpha", "beta", "", "x: 1", "y, z", '"k": "v",', "- item", "- item", "{", "}"]


def changed(lines: list[str], chance: random.Random, side: str) -> list[str]:
    """Some lines added, deleted or changed. Each new line is unique."""
    result = list(lines)
    for count in range(chance.randint(1, 3)):
        place = chance.randrange(len(result) + 1)
        kind = chance.choice(["add", "delete", "change"])
        if kind == "add" or place == len(result):
            result.insert(place, f"{side} {count}")
        elif kind == "delete":
            del result[place]
        else:
            result[place] += f" {side} {count}"
    return result


def joined(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize("seed", range(4))
def test_a_merge_is_the_one_of_git_or_keeps_every_new_line(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    here = GitRepository(tmp_path)
    agreed = finer = 0
    for _ in range(60):
        base = [chance.choice(LINES) for _ in range(chance.randint(3, 14))]
        sides = {name: changed(base, chance, name) for name in ("mine", "theirs")}
        texts = {"old": joined(base), **{name: joined(side) for name, side in sides.items()}}
        for name, text in texts.items():
            (tmp_path / name).write_bytes(text)
        clean = here.attempt("merge-file", "--stdout", "mine", "old", "theirs") == 0
        result = merged("notes.txt", texts["old"], texts["mine"], texts["theirs"])
        if clean:
            expected = here.run("merge-file", "--stdout", "mine", "old", "theirs")
            assert result in (None, expected)
            agreed += 1
        elif result is not None:
            merged_lines = result.decode().splitlines()
            new = [line for side in sides.values() for line in side if line not in base]
            for line in new:
                assert any(line in other for other in merged_lines), (texts, result)
            finer += 1
    assert agreed > 5
    assert finer > 0


def test_the_same_deletion_on_both_sides_happens_once() -> None:
    """Either of two line breaks can be the deleted one."""
    tail = b" 12\nx: 1 5\nx: 1 21\n"
    old = b'"k": "v", 23\nx: 1 11\n- item 14\ndelta 26\n\n' + tail
    mine = b'"k": "v", 23\nx: 1 11\ndelta 26\n' + tail
    theirs = b'"k": "v", 23\nx: 1 11\n- item 14\ndelta 26\n' + tail
    assert merged("notes.txt", old, mine, theirs) == mine


def test_a_long_repetition_is_merged_in_time() -> None:
    old = b"a" * 300_000
    assert merged("notes.txt", old, old + b"a" * 100_000, b"b" + old) is None
