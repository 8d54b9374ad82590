"""Copy, paste, duplicate and delete: what hands do without thinking."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.page_actions import Canvas, open_sample, text_of, wait_until


def test_states_are_copied_to_another_tab_pasted_duplicated_and_made_of_texts(
    context: BrowserContext, page: Page
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    here = open_sample(page, "promptpack/customer-support", "copied-from")
    there = open_sample(context.new_page(), "promptpack/blank", "copied-to")

    page.bring_to_front()
    here.state("handover").click()
    page.keyboard.press("Control+c")
    expect(page.get_by_text("Copied one state.")).to_be_visible()

    there.page.bring_to_front()
    there.state("start").click()
    there.page.keyboard.press("Control+v")
    expect(there.state("handover")).to_have_count(1)
    there.wait_saved()
    written = json.loads(text_of(there.page))
    original = json.loads(text_of(page))
    assert written["prompts"]["handover"] == original["prompts"]["handover"]
    assert "handover" in written["workflow"]["states"]

    there.page.keyboard.press("Control+z")
    expect(there.state("handover")).to_have_count(0)
    there.wait_saved()
    assert list(json.loads(text_of(there.page))["prompts"]) == ["start"]
    there.page.close()
    page.bring_to_front()
    a_foreign_text_is_offered_as_its_content(here)
    states_of_a_text_are_added_with_their_arrows(here, "pack")
    a_paste_waits_for_its_copy_and_duplicates_are_in_view(here)


def a_paste_waits_for_its_copy_and_duplicates_are_in_view(canvas: Canvas) -> None:
    page = canvas.page
    before = text_of(page)
    canvas.state("answer").click()
    page.keyboard.press("Control+c")
    page.keyboard.press("Control+v")
    expect(page.locator('[data-state^="answer"]')).to_have_count(2)
    canvas.wait_saved()
    page.keyboard.press("Control+z")
    expect(page.locator('[data-state^="answer"]')).to_have_count(1)
    canvas.wait_saved()
    assert text_of(page) == before

    for id in ("handover", "goodbye", "intake"):
        canvas.state(id).click()
        page.keyboard.press("Control+d")
        copy = canvas.state(f"{id}_copy")
        expect(copy).to_have_attribute("aria-pressed", "true")
        canvas.wait_saved()
        expect(copy).to_be_in_viewport(ratio=0.99)
    duplicated = text_of(page)
    # The duplicate is selected and has the keyboard.
    page.keyboard.press("Delete")
    expect(canvas.state("intake_copy")).to_have_count(0)
    expect(canvas.state("intake")).to_have_count(1)
    canvas.wait_saved()
    page.keyboard.press("Control+z")
    expect(canvas.state("intake_copy")).to_have_count(1)
    canvas.wait_saved()
    assert text_of(page) == duplicated
    for left in (2, 1, 0):
        page.keyboard.press("Control+z")
        expect(page.locator('[data-state$="_copy"]')).to_have_count(left)
        canvas.wait_saved()
    assert text_of(page) == before


MENU = "Pasted text"


def paste(page: Page, text: str) -> None:
    """Ctrl+V on the canvas, with a text from elsewhere in the clipboard."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    page.keyboard.press("Control+v")


def a_foreign_text_is_offered_as_its_content(canvas: Canvas) -> None:
    page = canvas.page
    before, states = text_of(page), canvas.states()
    canvas.state("answer").click()
    page.keyboard.press("Control+c")
    wait_until(lambda: '"answer"' in page.evaluate("navigator.clipboard.readText()"))

    paste(page, '{"unknown": 1}')
    expect(page.get_by_text("Nothing was pasted")).to_be_visible()
    paste(page, "Dear team,\nplease answer.")
    menu = page.get_by_role("dialog", name=MENU)
    expect(menu).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    assert (canvas.states(), text_of(page)) == (states, before)

    paste(page, "Dear team,\nplease answer.")
    page.keyboard.press("Enter")
    expect(page.locator("[data-state]")).to_have_count(len(states) + 1)
    canvas.wait_saved()
    expect(page.get_by_text("please answer.").first).to_be_visible()
    wait_until(lambda: "Dear team,\\nplease answer." in text_of(page))
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    page.keyboard.press("Control+z")
    canvas.wait_saved()
    expect(page.locator("[data-state]")).to_have_count(len(states))
    assert text_of(page) == before


STATES = {"ask": {"on_event": {"Go": "tell"}}, "tell": {"terminal": True}}
TEXTS = {
    "states": json.dumps({"states": STATES}),
    "member": f'"states": {json.dumps(STATES)},',
    "pack": json.dumps({"workflow": {"entry": "ask", "states": STATES}, "prompts": {}}),
}


def states_of_a_text_are_added_with_their_arrows(canvas: Canvas, kind: str) -> None:
    page, states = canvas.page, canvas.states()
    paste(page, TEXTS[kind])
    menu = page.get_by_role("dialog", name=MENU)
    expect(menu.get_by_role("button", name="Import as a pack")).to_have_count(int(kind == "pack"))
    menu.get_by_role("button", name="Add the 2 states").click()
    canvas.expect_states({*states, "ask", "tell"})
    expect(canvas.transition("ask", "Go", "tell")).to_have_count(1)
    canvas.wait_saved()
    places = {id: canvas.state(id).bounding_box() for id in canvas.states()}
    # The view may have moved to the new states; a reload keeps their places on the canvas.
    page.reload()
    canvas.stand()
    again = {id: canvas.state(id).bounding_box() for id in canvas.states()}
    assert _apart(again, "ask", "tell") == pytest.approx(_apart(places, "ask", "tell"), rel=0.02)
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    page.keyboard.press("Control+z")
    canvas.expect_states(states)


def _apart(places: Any, one: str, other: str) -> float:
    """The distance of two cards, in widths of a card."""
    a, b = places[one], places[other]
    distance: float = (abs(a["x"] - b["x"]) + abs(a["y"] - b["y"])) / a["width"]
    return distance


@pytest.mark.slow
def test_copies_stay_near_their_origin(context: BrowserContext, page: Page) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    canvas = open_sample(page, "promptpack/customer-support", "near")
    states = canvas.states()
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    expect(page.get_by_text(f"Copied {len(states)} states.")).to_be_visible()
    page.keyboard.press("Control+v")
    expect(page.locator("[data-state]")).to_have_count(2 * len(states))
    canvas.wait_saved()
    copies = sorted(canvas.states() - states)
    assert len(copies) == len(states)
    for one in sorted(states):
        # Some states are numbered in other ways; each copy begins with the id of its original.
        copy = next(id for id in copies if id.startswith(one))
        a, b = canvas.state(one).bounding_box(), canvas.state(copy).bounding_box()
        assert a is not None
        assert b is not None
        assert abs(a["x"] - b["x"]) < a["width"], one
    inner = {name for name in canvas.transitions() if name.split("|")[0] in copies}
    assert inner, "arrows between the copies"


@pytest.mark.slow
def test_a_refused_clipboard_copies_nothing(page: Page) -> None:
    page.add_init_script(
        """navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
        document.execCommand = () => false;"""
    )
    canvas = open_sample(page, "promptpack/customer-support", "refused")
    canvas.state("answer").click()
    page.keyboard.press("Control+c")
    expect(page.get_by_text("Nothing was copied")).to_be_visible()
    expect(page.get_by_text("Copied one state.")).to_have_count(0)


def test_a_link_leads_to_a_state_and_back_follows_the_selection(
    context: BrowserContext, page: Page
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    canvas = open_sample(page, "promptpack/customer-support", "linked")
    plain = page.url
    canvas.state("answer").click()
    page.wait_for_url("**/?state=answer")
    canvas.state("handover").click()
    page.wait_for_url("**/?state=handover")
    page.go_back()
    expect(canvas.state("answer")).to_have_attribute("aria-pressed", "true")
    page.go_forward()
    expect(canvas.state("handover")).to_have_attribute("aria-pressed", "true")
    canvas.state("handover").click(button="right")
    page.get_by_role("menuitem", name="Copy link").click()
    expect(page.get_by_text("Copied the link.")).to_be_visible()
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert link == f"{plain}?state=handover"
    other = context.new_page()
    other.goto(link)
    expect(Canvas(other).state("handover")).to_have_attribute("aria-pressed", "true")
    other.goto(f"{plain}?state=unknown")
    Canvas(other).stand()
    other.wait_for_url(plain)
