"""Thumbnails: every state has a position, none overlaps another, and placed ones stay."""

from __future__ import annotations

from itertools import pairwise

import pytest

from workflows.core.pack.thumbnail_layout import HEIGHT, WIDTH, layout


@pytest.mark.parametrize(
    ("states", "arrows", "entries", "columns"),
    [
        ("", [], "", 0),
        ("A", [], "", 1),
        ("ABC", ["AB", "BC"], "A", 3),
        ("ABC", ["AB", "AC"], "A", 2),
        ("ABC", ["AB", "BA", "CC"], "A", 2),
        ("ABC", ["AB", "BC"], "B", 2),
        ("AB", ["AZ", "ZB"], "Z", 1),
        ("".join(map(chr, range(65, 165))), [], "", 5),
    ],
)
def test_columns_follow_the_distance_from_the_entry(
    states: str, arrows: list[str], entries: str, columns: int
) -> None:
    where = layout(list(states), [(a, b) for a, b in arrows], list(entries), {})
    assert list(where) == list(states)
    assert len({x for x, _ in where.values()}) == columns
    assert len(set(where.values())) == len(states)


def test_placed_states_stay_and_unplaced_ones_do_not_overlap() -> None:
    placed = {"A": (500.0, 300.0), "B": (0.0, -50.0)}
    where = layout(["A", "B", "C", "D"], [("A", "C")], ["A"], placed)
    assert {key: where[key] for key in placed} == placed
    boxes = list(where.values())
    for index, (x, y) in enumerate(boxes):
        for other_x, other_y in boxes[index + 1 :]:
            assert abs(x - other_x) >= WIDTH or abs(y - other_y) >= HEIGHT


def test_thousands_of_states_are_placed_in_one_pass() -> None:
    many = [f"s{number}" for number in range(20_000)]
    arrows = list(pairwise(many))
    assert len(layout(many, arrows, ["s0"], {})) == 20_000
