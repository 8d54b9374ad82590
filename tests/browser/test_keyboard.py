"""The whole of a small job without a mouse."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, attribute, tab_to, text_of


def test_a_sample_is_opened_changed_and_run_with_keys_alone(page: Page) -> None:
    page.goto("/packs/new/")
    sample = page.locator(attribute("data-sample", "promptpack/code-review"))
    tab_to(page, sample.get_by_role("button", name="Open a copy"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/packs/*/")
    canvas = Canvas(page)
    expect(canvas.state("implement")).to_be_visible()

    # Add a state, and give it a name of its own.
    page.keyboard.press("a")
    expect(page.get_by_role("textbox", name="Find a kind of state")).to_be_focused()
    page.keyboard.type("End")
    page.keyboard.press("Enter")
    expect(page.locator("[data-state]")).to_have_count(5)
    page.keyboard.press("F2")
    page.keyboard.press("Control+a")
    page.keyboard.type("abandoned")
    page.keyboard.press("Enter")
    expect(canvas.state("abandoned")).to_be_visible()
    canvas.wait_saved()

    # Connect it from the outline, where every arrow can be drawn with keys.
    page.keyboard.press("Shift+O")
    tree = page.get_by_role("tree", name="States and transitions")
    tab_to(page, tree.locator("[tabindex='0']"))
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    expect(tree.locator(attribute("data-row", "state:review"))).to_be_focused()
    page.keyboard.press("c")
    expect(page.get_by_label("Event of the new arrow")).to_be_focused()
    page.keyboard.type("OutOfTime")
    page.keyboard.press("Tab")
    page.keyboard.type("abandoned")
    page.keyboard.press("Enter")
    expect(canvas.transition("review", "OutOfTime", "abandoned")).to_have_count(1)
    canvas.wait_saved()

    # Set a field in the inspector.
    tab_to(page, tree.locator("[tabindex='0']"))
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    named = page.get_by_role("complementary", name="Inspector").get_by_label("Id", exact=True)
    expect(named).to_have_value("abandoned")
    inspector = page.get_by_role("complementary", name="Inspector")
    page.keyboard.press("i")
    tab_to(page, inspector.get_by_role("button", name="Rarely used"))
    page.keyboard.press("Enter")
    tab_to(page, inspector.get_by_role("button", name="Description", exact=True))
    page.keyboard.press("Enter")
    description = inspector.get_by_role("textbox", name="Description")
    expect(description).to_be_visible()
    tab_to(page, description)
    page.keyboard.type("Nobody had the time.")
    page.keyboard.press("Control+Enter")
    canvas.wait_saved()
    states = json.loads(text_of(page))["workflow"]["states"]
    assert states["abandoned"]["terminal"] is True
    assert states["abandoned"]["description"] == "Nobody had the time."
    assert states["review"]["on_event"]["OutOfTime"] == "abandoned"

    # Undo the field, then the arrow.
    tab_to(page, page.get_by_role("button", name="Undo"))
    page.keyboard.press("Enter")
    expect(description).to_have_text("")
    page.keyboard.press("Control+z")
    expect(inspector.get_by_role("button", name="Description", exact=True)).to_be_visible()
    page.keyboard.press("Control+z")
    expect(canvas.transition("review", "OutOfTime", "abandoned")).to_have_count(0)
    canvas.wait_saved()

    # Run it.
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="Run")
    tab_to(page, dialog.get_by_label("Delay per answer"))
    page.keyboard.press("Control+a")
    page.keyboard.type("0")
    page.keyboard.press("Enter")
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "completed")
    expect(page.locator("[data-transition][data-visits]").first).to_be_attached()
