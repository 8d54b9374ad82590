"""A prompt written in the text editor is one revision, and undo restores the old bytes."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, head_of, open_sample, pack_of, text_of

WORDS = "Look twice before you answer."


def test_a_prompt_is_rewritten_shown_in_the_history_and_restored(page: Page) -> None:
    canvas = open_sample(page, "promptpack/code-review", "rewritten")
    before = text_of(page)
    head = head_of(page)
    canvas.state("review").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    prompt = inspector.get_by_role("region", name="Prompt")
    prompt.get_by_role("button", name="Go to prompt review").click()
    editor = inspector.get_by_role("textbox", name="Prompt", exact=True)
    expect(editor).to_be_visible()
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Enter")
    page.keyboard.type(WORDS)
    expect(page.locator("[data-saved]")).to_have_attribute("data-saved", "false")
    canvas.wait_saved()
    assert WORDS in text_of(page)
    typed = head_of(page)
    assert typed > head

    page.locator(".react-flow").click(position={"x": 8, "y": 8})
    page.keyboard.press("Shift+H")
    rows = page.get_by_role("row").filter(has_text="r")
    newest = page.get_by_role("row").filter(has_text=re.compile(rf"\br{typed}\b"))
    expect(newest).to_contain_text("now")
    page.get_by_role("row").filter(has_text=re.compile(rf"\br{head}\b")).get_by_role(
        "button", name="Restore"
    ).click()
    expect(
        page.get_by_role("row").filter(has_text=re.compile(rf"\br{typed + 1}\b"))
    ).to_contain_text("now")
    assert text_of(page) == before
    assert rows.count() >= 3
    kept = api(page, "GET", f"packs/{pack_of(page)}/revisions/")["results"]
    assert [one["number"] for one in kept] == list(range(typed + 1, head - 1, -1))
