"""Places of cards: panned, moved, dropped on another card, aligned, each as one undo step."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, head_of, open_sample, pack_of
from tests.browser.test_wheel import (
    Point,
    first_turn_pans_the_cards_and_their_positions,
    locate,
    wait_for_move,
)

SAMPLE = "promptpack/customer-support"
MOVED = "goodbye"


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


def test_cards_are_panned_moved_dropped_and_aligned(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Support")
    first_turn_pans_the_cards_and_their_positions(canvas)
    undo_and_redo_the_first_move(canvas)
    undo(page)
    a_card_dropped_on_another_is_placed_next_to_it_in_one_undo_step(canvas)
    guides_align_a_dragged_card_and_keys_align_a_selection(canvas)


def saved_places(page: Page) -> dict[str, Any]:
    states = api(page, "GET", f"packs/{pack_of(page)}/graph/")["states"]
    return {one["id"]: one["x"] for one in states if one["x"] is not None}


def drag_away(canvas: Canvas) -> tuple[Point, Point]:
    page = canvas.page
    before = locate(page, MOVED)
    canvas.drag(before, (before[0] - 160, before[1] + 8))
    after = wait_for_move(page, MOVED, before)
    canvas.wait_saved()
    assert MOVED in saved_places(page)
    return before, after


def undo(page: Page) -> None:
    page.keyboard.press("Control+z")
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    Canvas(page).wait_saved()  # The undo is drawn before its answer.


def undo_and_redo_the_first_move(canvas: Canvas) -> None:
    """Undo returns the card to the layout, and redo moves it again."""
    page = canvas.page
    others = {id: locate(page, id) for id in canvas.states()}
    before, after = drag_away(canvas)
    undo(page)
    assert wait_for_move(page, MOVED, after) == pytest.approx(before)
    assert {id: locate(page, id) for id in others} == others
    assert saved_places(page) == {}
    page.keyboard.press("Control+Shift+z")
    assert wait_for_move(page, MOVED, before) == pytest.approx(after, abs=1)


def a_card_dropped_on_another_is_placed_next_to_it_in_one_undo_step(canvas: Canvas) -> None:
    page = canvas.page
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


def guides_align_a_dragged_card_and_keys_align_a_selection(canvas: Canvas) -> None:
    page = canvas.page
    before, beside = locate(page, "answer"), locate(page, "handover")
    guides = page.locator(".alignment-guides path")
    goal = (beside[0] + 300, beside[1] + 4)
    page.mouse.move(*before)
    page.mouse.down()
    page.mouse.move(*goal, steps=4)
    # The top, the middle and the bottom of both cards, which have one size.
    expect(guides).to_have_count(3)
    assert locate(page, "answer")[1] == pytest.approx(beside[1], abs=0.1)
    page.keyboard.down("Alt")
    page.mouse.move(goal[0] + 1, goal[1])
    expect(guides).to_have_count(0)
    assert locate(page, "answer")[1] != pytest.approx(beside[1], abs=1)
    page.keyboard.up("Alt")
    page.mouse.move(*goal)
    page.mouse.up()
    expect(guides).to_have_count(0)
    assert wait_for_move(page, "answer", before)[1] == pytest.approx(beside[1], abs=0.1)
    canvas.wait_saved()

    head = head_of(page)
    page.keyboard.press("Control+a")
    page.keyboard.press("Alt+a")
    canvas.wait_saved()
    assert len({round(box(canvas, id)["x"]) for id in canvas.states()}) == 1
    assert_none_covered(canvas)
    assert head_of(page) == head + 1
    page.mouse.click(*locate(page, "handover"), button="right")
    page.get_by_role("menuitem", name="Distribute vertically").click()
    canvas.wait_saved()
    rows = sorted(box(canvas, id)["y"] for id in canvas.states())
    gaps = [after - row for row, after in pairwise(rows)]
    assert max(gaps) - min(gaps) < 2
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    page.wait_for_function(
        "y => Math.abs(window.signalbox.locate('handover').y - y) < 1", arg=beside[1]
    )


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


def apart(canvas: Canvas, one: str, other: str) -> Point:
    """The distance of two cards, in widths of a card."""
    first, second = canvas.state(one).bounding_box(), canvas.state(other).bounding_box()
    assert first is not None
    assert second is not None
    width = first["width"]
    return (second["x"] - first["x"]) / width, (second["y"] - first["y"]) / width


@pytest.mark.slow
def test_undo_after_a_reload_lays_the_pack_out_again(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "Support")
    before = apart(canvas, "intake", MOVED)
    drag_away(canvas)
    page.reload()
    canvas.stand()
    moved = locate(page, MOVED)
    page.get_by_role("main", name="Canvas").click(position={"x": 20, "y": 20})
    undo(page)
    wait_for_move(page, MOVED, moved)
    assert apart(canvas, "intake", MOVED) == pytest.approx(before, abs=0.02)
