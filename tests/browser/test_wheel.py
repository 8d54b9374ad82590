"""The first turn of the wheel on a page that has just opened: the drawing and the positions that
the page reports move together, as cards and painted."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import NEXT_FRAME, Canvas, open_sample
from tests.browser.test_far_view import open_large

Point = tuple[float, float]


def locate(page: Page, id: str) -> Point:
    found = page.evaluate("id => window.signalbox.locate(id)", id)
    return found["x"], found["y"]


def wait_for_move(page: Page, id: str, before: Point) -> Point:
    page.wait_for_function(
        """([id, x, y]) => {
            const at = window.signalbox.locate(id);
            return Math.abs(at.x - x) > 1 || Math.abs(at.y - y) > 1;
        }""",
        arg=[id, *before],
    )
    page.evaluate(NEXT_FRAME)
    return locate(page, id)


def empty_corner(page: Page) -> Point:
    """A point of the canvas without a card, control or panel."""
    box = page.get_by_role("main", name="Canvas").bounding_box()
    assert box is not None
    return box["x"] + box["width"] - 12, box["y"] + 12


def assert_near(one: Point, other: Point) -> None:
    assert one == pytest.approx(other, abs=1.5)


def picture(page: Page, at: Point) -> bytes:
    """The pixels around a point."""
    x, y = at
    return page.screenshot(clip={"x": x - 14, "y": y - 9, "width": 28, "height": 18})


def first_turn_pans_the_cards_and_their_positions(canvas: Canvas) -> None:
    page = canvas.page
    id = "handover"
    before = locate(page, id)
    assert_near(canvas.middle(canvas.state(id)), before)
    page.mouse.move(*empty_corner(page))
    page.mouse.wheel(30, 50)
    after = wait_for_move(page, id, before)
    assert_near(after, (before[0] - 30, before[1] - 50))
    assert_near(canvas.middle(canvas.state(id)), after)
    # The page finds the card where it is now.
    page.mouse.click(*after)
    expect(canvas.state(id)).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_the_first_turn_with_control_zooms_at_the_pointer(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "Support")
    still, moving = "handover", "goodbye"
    origin, before = locate(page, still), locate(page, moving)
    page.mouse.move(*origin)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    after = wait_for_move(page, moving, before)
    assert_near(locate(page, still), origin)
    assert after[1] - origin[1] > 1.1 * (before[1] - origin[1])
    assert_near(canvas.middle(canvas.state(still)), origin)


@pytest.mark.slow
def test_the_first_turn_pans_a_painted_graph_and_its_positions(page: Page) -> None:
    open_large(page)
    id = "step_250"
    page.mouse.move(*empty_corner(page))
    before = locate(page, id)
    drawn = picture(page, before)
    page.mouse.wheel(40, 24)
    after = wait_for_move(page, id, before)
    assert_near(after, (before[0] - 40, before[1] - 24))
    assert picture(page, after) == drawn
    assert picture(page, before) != drawn
    assert page.evaluate("([x, y]) => window.signalbox.at(x, y).id", list(after)) == id


@pytest.mark.slow
def test_the_first_turn_with_control_zooms_a_painted_graph(page: Page) -> None:
    open_large(page)
    still, moving = "step_250", "step_499"
    origin, before = locate(page, still), locate(page, moving)
    page.mouse.move(*origin)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    after = wait_for_move(page, moving, before)
    assert_near(locate(page, still), origin)
    scale = [(after[at] - origin[at]) / (before[at] - origin[at]) for at in (0, 1)]
    assert scale[0] == pytest.approx(scale[1], rel=0.02)
    assert scale[0] > 1.1
