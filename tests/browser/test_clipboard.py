"""Copy, paste, duplicate and delete: what hands do without thinking."""

from __future__ import annotations

import json

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.page_actions import open_sample, text_of


def test_a_state_is_copied_from_one_pack_into_another_in_another_tab(
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


def test_a_paste_waits_for_its_copy_and_duplicates_are_in_view(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "duplicated")
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
