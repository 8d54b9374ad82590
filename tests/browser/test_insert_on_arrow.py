"""Cards that are dropped on an arrow: inserted between its source and its target."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.page_actions import Canvas, attribute, head_of, open_sample, text_of
from tests.browser.test_card_places import assert_none_covered, box
from tests.browser.test_wheel import locate

SAMPLE = "promptpack/customer-support"
ARROW = ("handover", "NoteReady", "with_colleague")


def states_of(page: Page) -> Any:
    return json.loads(text_of(page))["workflow"]["states"]


def drag_item_to_arrow(canvas: Canvas) -> None:
    page = canvas.page
    goal = locate(page, "|".join(ARROW))
    item = page.locator("[data-kind]").first
    page.mouse.move(*canvas.middle(item))
    page.mouse.down()
    page.mouse.move(goal[0] - 30, goal[1] - 10, steps=3)
    page.mouse.move(*goal, steps=3)
    expect(page.locator(attribute("data-inserts", "|".join(ARROW)))).to_be_visible()
    page.mouse.up()
    expect(page.locator("[data-inserts]")).to_have_count(0)


def test_a_palette_item_is_inserted_as_one_revision_and_taken_back_by_one_undo(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Support")
    before, head, drawn = text_of(page), head_of(page), canvas.states()
    drag_item_to_arrow(canvas)
    page.keyboard.press("Escape")
    expect(page.get_by_label("Id of the new state")).to_have_count(0)
    canvas.expect_states(drawn)
    assert head_of(page) == head

    drag_item_to_arrow(canvas)
    expect(page.get_by_label("Id of the new state")).to_be_focused()
    page.keyboard.type("review")
    page.keyboard.press("Enter")
    expect(page.get_by_label("New event")).to_be_focused()
    # The event of the arrow is repeated, unless another is typed.
    expect(page.get_by_label("New event")).to_have_value("NoteReady")
    page.keyboard.type("Reviewed")
    page.keyboard.press("Enter")
    expect(canvas.transition("handover", "NoteReady", "review")).to_have_count(1)
    expect(canvas.transition("review", "Reviewed", "with_colleague")).to_have_count(1)
    expect(canvas.transition(*ARROW)).to_have_count(0)
    canvas.wait_saved()
    assert_none_covered(canvas)
    before_it, inserted, after_it = (box(canvas, id) for id in ("handover", "review", ARROW[2]))
    assert any(
        before_it[at] + before_it[size] < inserted[at]
        and inserted[at] + inserted[size] < after_it[at]
        for at, size in (("x", "width"), ("y", "height"))
    ), "the card is between both"
    assert head_of(page) == head + 1
    states = states_of(page)
    assert states["handover"]["on_event"]["NoteReady"] == "review"
    assert states["review"]["on_event"] == {"Reviewed": "with_colleague"}

    page.keyboard.press("Control+z")
    expect(canvas.state("review")).to_have_count(0)
    expect(canvas.transition(*ARROW)).to_have_count(1)
    canvas.wait_saved()
    assert text_of(page) == before


TYPE_WHEN_EVENTS_ARRIVE = """() => new MutationObserver((_, observer) => {
    if (document.querySelector(".popup [role=status]")) return;
    observer.disconnect();
    document.execCommand("insertText", false, "R");
}).observe(document.querySelector(".popup"), {childList: true, subtree: true})"""


@pytest.mark.slow
def test_a_key_while_the_events_arrive_is_not_lost(page: Page) -> None:
    """The suggested event is selected before the browser reads the next key."""
    canvas = open_sample(page, SAMPLE, "Support")
    held: list[Route] = []
    page.route("**/offers/**", lambda route: held.append(route))
    drag_item_to_arrow(canvas)
    page.keyboard.type("review")
    page.keyboard.press("Enter")
    event = page.get_by_label("New event")
    expect(event).to_be_focused()
    expect(page.locator(".popup [role=status]")).to_be_visible()
    page.evaluate(TYPE_WHEN_EVENTS_ARRIVE)
    page.unroute("**/offers/**")  # This sends the held requests.
    expect(event).to_have_value("R")
    page.keyboard.type("eviewed")
    expect(event).to_have_value("Reviewed")
    page.keyboard.press("Enter")
    expect(canvas.transition("review", "Reviewed", "with_colleague")).to_have_count(1)


GUIDES = ".alignment-guides path"


@pytest.mark.slow
def test_an_arrow_wins_over_guides(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Support")
    kind = page.locator("[data-kind]").first.get_attribute("data-kind")
    ground = page.get_by_role("main", name="Canvas").bounding_box()
    assert kind is not None
    assert ground is not None
    canvas.drag_in(kind, (ground["x"] + ground["width"] - 130, ground["y"] + 300))
    expect(page.get_by_label("New name for")).to_be_focused()
    page.keyboard.type("review")
    page.keyboard.press("Enter")
    canvas.wait_saved()
    page.mouse.move(*locate(page, "review"))
    page.mouse.down()
    x, y = locate(page, "handover")
    page.mouse.move(x + 300, y + 2, steps=4)
    expect(page.locator(GUIDES)).not_to_have_count(0)
    assert locate(page, "review")[1] == pytest.approx(y, abs=0.1)
    # The arrow is in the column of the card above.
    x, y = locate(page, "|".join(ARROW))
    page.mouse.move(x + 4, y, steps=4)
    expect(page.locator(attribute("data-inserts", "|".join(ARROW)))).to_be_visible()
    expect(page.locator(GUIDES)).to_have_count(0)
    assert locate(page, "review")[0] > x + 1
    page.mouse.up()
    expect(page.get_by_label("New event")).to_be_focused()


@pytest.mark.slow
def test_an_unconnected_card_is_inserted_and_a_connected_one_is_only_moved(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Support")
    kind = page.locator("[data-kind]").first.get_attribute("data-kind")
    ground = page.get_by_role("main", name="Canvas").bounding_box()
    assert kind is not None
    assert ground is not None
    canvas.drag_in(kind, (ground["x"] + ground["width"] - 130, ground["y"] + 300))
    page.keyboard.type("review")
    page.keyboard.press("Enter")
    canvas.wait_saved()
    head, goal = head_of(page), locate(page, "|".join(ARROW))
    canvas.drag(locate(page, "review"), goal)
    expect(page.get_by_label("New event")).to_be_focused()
    page.keyboard.type("Reviewed")
    page.keyboard.press("Enter")
    expect(canvas.transition("handover", "NoteReady", "review")).to_have_count(1)
    expect(canvas.transition("review", "Reviewed", "with_colleague")).to_have_count(1)
    canvas.wait_saved()
    assert head_of(page) == head + 1

    # It has arrows now, so a drop on another arrow moves it.
    canvas.drag(locate(page, "review"), locate(page, "answer|Solved|goodbye"))
    canvas.wait_saved()
    expect(page.get_by_label("New event")).to_have_count(0)
    expect(canvas.transition("answer", "Solved", "goodbye")).to_have_count(1)
    assert head_of(page) == head + 2
