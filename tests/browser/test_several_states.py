"""Several selected states: their common fields, changed at once with real keys, and one undo."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import (
    Canvas,
    attribute,
    exported,
    head_of,
    open_sample,
    pack_of,
    text_of,
)
from tests.browser.page_monitor import PageMonitor


def select(canvas: Canvas, *states: str) -> Locator:
    """Click the first card and Shift+click the others; the inspector."""
    canvas.zoom_out_to(*states)
    first, *others = states
    canvas.state(first).click()
    for state in others:
        canvas.state(state).click(modifiers=["Shift"])
    inspector = canvas.page.get_by_role("complementary", name="Inspector")
    heading = inspector.get_by_role("heading", name=f"{len(states)} states selected")
    expect(heading).to_be_visible()
    expect(inspector.locator(".pane-body")).not_to_have_attribute("inert", "")
    return inspector


def field(inspector: Locator, pointer: str) -> Locator:
    return inspector.locator(attribute("data-pointer", pointer))


def commit(canvas: Canvas, control: Locator, text: str) -> None:
    """Type into a field and press Enter, and wait for the one revision of it."""
    page, head = canvas.page, head_of(canvas.page)
    control.click()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    with page.expect_response("**/edits/"):
        page.keyboard.press("Enter")
    canvas.wait_saved()
    assert head_of(page) == head + 1


def undo(canvas: Canvas) -> None:
    with canvas.page.expect_response("**/undo/"):
        canvas.page.get_by_role("button", name="Undo").click()
    canvas.wait_saved()


def states_of(page: Page) -> dict[str, Any]:
    states: dict[str, Any] = json.loads(text_of(page))["workflow"]["states"]
    return states


def test_a_promptpack_field_of_several_states_is_one_edit(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "several states")
    before = exported(page, pack_of(page))
    states = sorted(canvas.states())[:3]
    inspector = select(canvas, *states)
    visits = field(inspector, "/max_visits").get_by_role("textbox")
    commit(canvas, visits, "7")
    assert [states_of(page)[one]["max_visits"] for one in states] == [7, 7, 7]
    expect(visits).to_have_value("7")
    # A value of one state alone is a different value of both.
    canvas.state(states[0]).click()
    own = field(inspector, "/max_visits").get_by_role("textbox")
    expect(inspector.locator(f"[data-rename='state:{states[0]}']")).to_be_visible()
    commit(canvas, own, "9")
    inspector = select(canvas, *states)
    expect(visits).to_have_value("")
    expect(visits).to_have_attribute("placeholder", "Different values")
    expect(field(inspector, "/on_event").first).to_contain_text("different values")
    # An entry that all states get leaves their other entries in place.
    events = {one: dict(states_of(page)[one].get("on_event", {})) for one in states}
    grow = field(inspector, "/on_event").first
    if grow.count() and grow.locator(".disclosure-title").get_attribute("aria-expanded") != "true":
        grow.locator(".disclosure-title").click()
    commit(canvas, grow.get_by_label("New key of Events"), "Escalate")
    after = states_of(page)
    assert {one: after[one]["on_event"] for one in states} == {
        one: {**events[one], "Escalate": ""} for one in states
    }
    for _ in range(3):
        undo(canvas)
    assert exported(page, pack_of(page)) == before


@pytest.mark.slow
def test_states_without_a_form_are_named(page: Page, watch: PageMonitor) -> None:
    watch.pardon("status of 409")
    canvas = open_sample(page, "promptpack/review-loop", "unreadable states")
    page.route(
        "**/fields/?element=state%3Areview",
        lambda route: route.fulfill(
            status=409, json={"code": "refused", "message": "It cannot be read.", "hint": ""}
        ),
    )
    inspector = select(canvas, "draft", "review")
    expect(inspector).to_contain_text("not every state can be read")
    expect(inspector).to_contain_text("review: It cannot be read.")
