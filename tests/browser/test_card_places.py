"""Cards that are dropped on another card: they are placed next to it, as one undo step."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, head_of, open_sample
from tests.browser.test_wheel import locate, wait_for_move

SAMPLE = "promptpack/customer-support"


def box(canvas: Canvas, id: str) -> Any:
    rect = canvas.state(id).bounding_box()
    assert rect is not None
    return rect


def overlap(one: Any, other: Any) -> bool:
    return all(
        one[at] < other[at] + other[size] - 0.5 and other[at] < one[at] + one[size] - 0.5
        for at, size in (("x", "width"), ("y", "height"))
    )


def assert_none_covered(canvas: Canvas) -> None:
    boxes = {id: box(canvas, id) for id in canvas.states()}
    for one, other in combinations(sorted(boxes), 2):
        assert not overlap(boxes[one], boxes[other]), (one, other)


def test_a_card_dropped_on_another_is_placed_next_to_it_in_one_undo_step(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Support")
    before, goal = locate(page, "answer"), locate(page, "handover")
    head = head_of(page)
    canvas.drag(before, (goal[0] + 30, goal[1] + 14))
    after = wait_for_move(page, "answer", before)
    canvas.wait_saved()
    assert_none_covered(canvas)
    # It is next to the other card, not back where it was.
    assert abs(after[0] - goal[0]) + abs(after[1] - goal[1]) < 320
    assert head_of(page) == head + 1
    assert locate(page, "handover") == goal
    page.keyboard.press("Control+z")
    assert wait_for_move(page, "answer", after) == pytest.approx(before)


def test_two_selected_cards_keep_their_distance(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Support")
    canvas.state("answer").click()
    canvas.state("handover").click(modifiers=["Shift"])
    first, second = locate(page, "answer"), locate(page, "handover")
    goal = locate(page, "goodbye")
    canvas.drag(second, (goal[0] - 20, goal[1] - 10))
    moved = wait_for_move(page, "answer", first)
    canvas.wait_saved()
    assert_none_covered(canvas)
    other = locate(page, "handover")
    assert (other[0] - moved[0], other[1] - moved[1]) == pytest.approx(
        (second[0] - first[0], second[1] - first[1]), abs=1
    )


def test_a_palette_item_dropped_on_a_card_is_placed_next_to_it(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Support")
    kind = page.locator("[data-kind]").first.get_attribute("data-kind")
    assert kind is not None
    canvas.drag_in(kind, locate(page, "handover"))
    page.keyboard.type("extra")
    page.keyboard.press("Enter")
    expect(canvas.state("extra")).to_have_count(1)
    canvas.wait_saved()
    assert_none_covered(canvas)


def test_pasted_cards_cover_no_other(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    canvas = open_sample(page, SAMPLE, "Support")
    canvas.state("answer").click()
    page.keyboard.press("Control+c")
    expect(page.get_by_text("Copied one state.")).to_be_visible()
    count = len(canvas.states())
    for number in (1, 2):
        page.keyboard.press("Control+v")
        expect(page.locator("[data-state]")).to_have_count(count + number)
        canvas.wait_saved()
    assert_none_covered(canvas)
