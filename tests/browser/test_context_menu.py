"""The context menu of states, transitions and the ground: with the mouse, with keys, by touch."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import open_sample, text_of
from tests.browser.test_wheel import locate

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


def test_every_action_of_the_menu_is_one_revision(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Menu")
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


def test_the_menu_key_opens_the_menu_of_the_selection(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "Menu")
    canvas.state("goodbye").click()
    page.keyboard.press("Shift+F10")
    menu = page.get_by_role("menu", name="Actions for goodbye")
    expect(menu.get_by_role("menuitem", name="Edit prompt")).to_be_focused()
    # A run ends here, so no arrow leaves and no run starts.
    assert titles(menu) == [
        *("Edit prompt", "Rename", "Copy", "Cut", "Duplicate", "Set a breakpoint", "Delete")
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
