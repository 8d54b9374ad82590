"""The context menu of states, transitions and the ground: with the mouse, with keys, by touch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.conftest import Opening
from tests.browser.page_actions import Canvas, head_of, open_sample, text_of
from tests.browser.test_wheel import locate, wait_for_move
from tests.support.live_server import LiveServer

SAMPLE = "promptpack/customer-support"


def workflow_of(page: Page) -> Any:
    return json.loads(text_of(page))["workflow"]


def titles(menu: Locator) -> list[str]:
    return menu.locator("[role=menuitem] > span").all_inner_texts()


def choose(page: Page, at: tuple[float, float], title: str) -> None:
    """Choose an item of the menu that the right button opens here."""
    page.mouse.click(*at, button="right")
    page.get_by_role("menuitem", name=title).click()


def free_point(page: Page) -> tuple[float, float]:
    """The lower right of the canvas, where the sample draws nothing."""
    ground = page.get_by_role("main", name="Canvas").bounding_box()
    assert ground is not None
    return ground["x"] + ground["width"] - 150, ground["y"] + ground["height"] - 200


def test_the_menu_opens_by_mouse_and_key_and_every_action_is_one_revision(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Menu")
    the_menu_key_opens_the_menu_of_the_selection(canvas)
    choose(page, canvas.middle(canvas.state("answer")), "Make entry")
    expect(page.locator("[data-entry=answer]")).to_be_visible()
    canvas.wait_saved()
    assert workflow_of(page)["entry"] == "answer"

    choose(page, locate(page, "handover|NoteReady|with_colleague"), "Reverse")
    expect(canvas.transition("with_colleague", "NoteReady", "handover")).to_have_count(1)
    canvas.wait_saved()
    page.keyboard.press("Control+z")
    expect(canvas.transition("handover", "NoteReady", "with_colleague")).to_have_count(1)

    choose(page, locate(page, "answer|CannotHelp|handover"), "Redirect to…")
    expect(page.get_by_label("Target state")).to_be_focused()
    page.keyboard.type("goodbye")
    page.keyboard.press("Enter")
    expect(canvas.transition("answer", "CannotHelp", "goodbye")).to_have_count(1)

    choose(page, locate(page, "handover|NoteReady|with_colleague"), "Insert a state")
    page.keyboard.type("review")
    page.keyboard.press("Enter")
    page.keyboard.type("Reviewed")
    page.keyboard.press("Enter")
    expect(canvas.transition("review", "Reviewed", "with_colleague")).to_have_count(1)

    at = free_point(page)
    choose(page, at, "Add waiting state here")
    page.keyboard.type("parked")
    page.keyboard.press("Enter")
    added = canvas.state("parked")
    expect(added).to_be_visible()
    middle = canvas.middle(added)
    assert abs(middle[0] - at[0]) < 12
    assert abs(middle[1] - at[1]) < 12
    canvas.wait_saved()
    states = workflow_of(page)["states"]
    assert states["answer"]["on_event"]["CannotHelp"] == "goodbye"
    assert states["handover"]["on_event"] == {"NoteReady": "review"}
    assert states["parked"]["orchestration"] == "external"


def the_menu_key_opens_the_menu_of_the_selection(canvas: Canvas) -> None:
    page = canvas.page
    canvas.state("goodbye").click()
    page.keyboard.press("Shift+F10")
    menu = page.get_by_role("menu", name="Actions for goodbye")
    expect(menu.get_by_role("menuitem", name="Edit prompt")).to_be_focused()
    # A run ends here, so no arrow leaves and no run starts.
    assert titles(menu) == [
        *("Edit prompt", "Rename", "Copy link", "Copy", "Cut", "Duplicate"),
        *("Set a breakpoint", "Delete"),
    ]
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    page.keyboard.press("ContextMenu")
    page.keyboard.press("Enter")
    expect(page.locator(".prompt-section .cm-content")).to_be_focused()

    page.mouse.click(*locate(page, "intake|MoreToAsk|intake"))
    page.keyboard.press("Shift+F10")
    menu = page.get_by_role("menu", name="Actions for intake|MoreToAsk|intake")
    assert "Reverse" not in titles(menu)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(canvas.transition("intake", "MoreToAsk", "intake")).to_have_count(0)


@pytest.mark.slow
def test_paste_of_the_menu_puts_the_state_at_the_pointer(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    canvas = open_sample(page, SAMPLE, "Paste here")
    canvas.state("answer").click()
    page.keyboard.press("Control+c")
    expect(page.get_by_text("Copied one state.")).to_be_visible()
    before = set(canvas.states())

    at = free_point(page)
    choose(page, at, "Paste")
    expect(page.locator("[data-state]")).to_have_count(len(before) + 1)
    canvas.wait_saved()
    (pasted,) = set(canvas.states()) - before
    middle = canvas.middle(canvas.state(pasted))
    assert abs(middle[0] - at[0]) < 12
    assert abs(middle[1] - at[1]) < 12
    page.keyboard.press("Control+z")
    expect(canvas.state(pasted)).to_have_count(0)


@dataclass
class Fingers:
    """Real touch input, through the protocol of the browser."""

    session: CDPSession

    def put(self, kind: str, *points: tuple[float, float]) -> None:
        self.session.send(
            "Input.dispatchTouchEvent",
            {
                "type": f"touch{kind}",
                "touchPoints": [{"x": x, "y": y, "id": id} for id, (x, y) in enumerate(points)],
            },
        )

    def slide(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.put("Start", start)
        for part in (0.25, 0.5, 0.75, 1):
            at = tuple(a + (b - a) * part for a, b in zip(start, end, strict=True))
            self.put("Move", (at[0], at[1]))
        self.put("End")

    def tap(self, at: tuple[float, float]) -> None:
        self.put("Start", at)
        self.put("End")


def zoom_of(page: Page) -> int:
    return int(page.locator(".controls-zoom").inner_text().rstrip("%"))


@pytest.mark.slow
def test_fingers_pan_zoom_select_move_and_open_the_menu(
    opening: Opening, server: LiveServer, signed_in: Any
) -> None:
    context = opening(server, signed_in, has_touch=True)
    page = context.new_page()
    canvas = open_sample(page, SAMPLE, "Touch")
    fingers = Fingers(context.new_cdp_session(page))
    card = canvas.state("answer")

    # One finger pans, on the ground and on a card that is not selected.
    for start in (canvas.middle(card), free_point(page)):
        before = locate(page, "answer")
        fingers.slide(start, (start[0] - 60, start[1] - 40))
        at = wait_for_move(page, "answer", before)
        assert (round(before[0] - at[0]), round(before[1] - at[1])) == (60, 40)
    expect(card).to_have_attribute("aria-pressed", "false")
    head = head_of(page)

    fingers.tap(canvas.middle(card))
    expect(card).to_have_attribute("aria-pressed", "true")
    start, other = canvas.middle(card), locate(page, "intake")
    fingers.slide(start, (start[0] + 80, start[1]))
    assert abs(wait_for_move(page, "answer", start)[0] - start[0] - 80) < 8
    assert locate(page, "intake") == other
    canvas.wait_saved()
    assert head_of(page) == head + 1

    x, y = canvas.middle(card)
    fingers.put("Start", (x, y))
    fingers.put("Start", (x, y), (x + 100, y))
    for apart in (20, 60, 100):
        fingers.put("Move", (x, y), (x + 100 + apart, y))
    fingers.put("End")
    expect(page.locator(".controls-zoom")).not_to_have_text("98%")
    assert zoom_of(page) > 150
    assert head_of(page) == head + 1

    page.keyboard.press("0")
    expect(page.locator(".controls-zoom")).to_have_text("100%")
    fingers.put("Start", canvas.middle(card))
    menu = page.get_by_role("menu", name="Actions for answer")
    expect(menu).to_be_visible()
    fingers.put("End")
    menu.get_by_role("menuitem", name="Rename").tap()
    expect(page.get_by_label("New name for answer")).to_be_focused()
