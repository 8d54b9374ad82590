"""Undo of a card's first move, in a pack without saved positions."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, open_sample, pack_of
from tests.browser.test_wheel import Point, locate, wait_for_move

MOVED = "goodbye"


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


def test_undo_returns_the_card_to_the_layout_and_redo_moves_it_again(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "Support")
    others = {id: locate(page, id) for id in canvas.states()}
    before, after = drag_away(canvas)
    undo(page)
    assert wait_for_move(page, MOVED, after) == pytest.approx(before)
    assert {id: locate(page, id) for id in others} == others
    assert saved_places(page) == {}
    page.keyboard.press("Control+Shift+z")
    assert wait_for_move(page, MOVED, before) == pytest.approx(after, abs=1)


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
