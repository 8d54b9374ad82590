"""Differences between two versions: small, exact, invertible, and movable over each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.checks import each_row
from workflows.core.text import spans

LINES = b"".join(b'  "key-%d": "value",\n' % number for number in range(50_000))

TEXTS = st.lists(
    st.sampled_from(
        [b"a", b"b", b"\n", b"\r\n", b"\r", "é".encode(), "ê".encode(), b'  "x": 1,\n']
    ),
    max_size=40,
).map(b"".join)


@each_row(
    [
        (b"", b"", ()),
        (b"same", b"same", ()),
        (b"", b"x", ((0, 0, b"x"),)),
        (b"x", b"", ((0, 1, b""),)),
        (b"abc", b"aXc", ((1, 2, b"X"),)),
        (b"aa", b"aaa", ((2, 2, b"a"),)),
        (b"a\nb\nc\n", b"a\nB\nc\n", ((2, 3, b"B"),)),
        ("é".encode(), "è".encode(), ((0, 2, "è".encode()),)),
        ("aé".encode(), "aéé".encode(), ((3, 3, "é".encode()),)),
        ("€".encode(), "₭".encode(), ((0, 3, "₭".encode()),)),
    ]
)
def test_a_difference_is_as_small_as_characters_allow(
    old: bytes, new: bytes, changes: tuple[spans.Change, ...]
) -> None:
    assert spans.difference(old, new) == changes


@each_row(
    [
        ((1_000, 1_004, b"longer"),),
        ((40, 40, b"inserted\n"), (1_000_000, 1_000_004, b"")),
        ((100, 205, b""), (500_000, 500_001, b"xx"), (999_999, 999_999, b"a\nb\n")),
    ]
)
def test_changes_far_apart_stay_apart(edits: tuple[spans.Change, ...]) -> None:
    new = spans.apply(LINES, edits)
    found = spans.difference(LINES, new)
    assert spans.apply(LINES, found) == new
    assert len(found) == len(edits)
    changed = sum(end - start + len(text) for start, end, text in found)
    assert changed <= sum(end - start + len(text) for start, end, text in edits)


def test_blocks_taken_out_from_among_their_like_are_one_change_each() -> None:
    blocks = [
        b'  "state-%d": {\n    "prompt": "task",\n    "description": "The same in every state.",\n'
        b'    "next": "state-%d"\n  },\n' % (number, number + 1)
        for number in range(2_000)
    ]
    kept = [block for number, block in enumerate(blocks) if number % 100 != 50]
    changes = spans.difference(b"".join(blocks), b"".join(kept))
    assert spans.apply(b"".join(blocks), changes) == b"".join(kept)
    assert len(changes) == 20
    assert all(text == b"" for _, _, text in changes)


def test_a_text_that_has_nothing_in_common_is_one_change() -> None:
    old, new = b"a\n" * 100_000, b"b\n" * 90_000
    assert spans.difference(old, new)[0][0] == 0
    assert spans.apply(old, spans.difference(old, new)) == new


def test_the_inverse_of_two_changes_restores_both_places() -> None:
    changes = ((0, 1, b"longer"), (3, 4, b""))
    new = spans.apply(b"abcdef", changes)
    assert spans.apply(new, spans.inverse(b"abcdef", changes)) == b"abcdef"


@given(TEXTS, TEXTS)
def test_a_difference_turns_old_into_new_and_its_inverse_back(old: bytes, new: bytes) -> None:
    changes = spans.difference(old, new)
    assert spans.apply(old, changes) == new
    assert spans.apply(new, spans.inverse(old, changes)) == old
    ends = [0, *(end for _, end, _ in changes)]
    assert all(start >= end for (start, _, _), end in zip(changes, ends, strict=False))
    for start, end, _ in changes:
        old[:start].decode(), old[end:].decode()


@given(TEXTS, TEXTS, TEXTS)
def test_a_moved_change_does_the_same_in_either_order(old: bytes, one: bytes, two: bytes) -> None:
    mine, theirs = spans.difference(old, one), spans.difference(old, two)
    over_theirs, over_mine = spans.shifted(mine, theirs), spans.shifted(theirs, mine)
    assert (over_theirs is None) == (over_mine is None)
    if over_theirs is not None and over_mine is not None:
        assert spans.apply(two, over_theirs) == spans.apply(one, over_mine)


@each_row(
    [
        (((5, 6, b"x"),), ((0, 2, b"longer"),), ((9, 10, b"x"),)),
        (((0, 2, b"x"),), ((5, 6, b""),), ((0, 2, b"x"),)),
        (((2, 4, b"x"),), ((4, 6, b"y"),), ((2, 4, b"x"),)),
        (((4, 6, b"x"),), ((2, 4, b""),), ((2, 4, b"x"),)),
        (((4, 4, b"x"),), ((2, 4, b""),), ((2, 2, b"x"),)),
        (((2, 5, b"x"),), ((4, 6, b"y"),), None),
        (((4, 4, b"x"),), ((4, 4, b"y"),), None),
        (((4, 4, b"x"),), ((3, 5, b""),), None),
        (((3, 5, b""),), ((3, 5, b""),), None),
        ((), ((0, 9, b""),), ()),
    ]
)
def test_changes_move_over_others_unless_they_touch(
    mine: tuple[spans.Change, ...],
    theirs: tuple[spans.Change, ...],
    moved: tuple[spans.Change, ...] | None,
) -> None:
    assert spans.shifted(mine, theirs) == moved


@each_row([((3, 2, b""),), ((0, 9, b""),), ((2, 3, b""), (1, 2, b""))])
def test_changes_that_do_not_fit_are_refused(changes: tuple[spans.Change, ...]) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        spans.apply(b"abcd", changes)
