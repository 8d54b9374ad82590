"""A browser that translates the page leaves ids, labels and prompts as the author wrote them."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.page_actions import open_sample

TRANSLATED = """words => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest("script, style, datalist, option, [translate=no]")) continue;
    if (words.some((word) => node.data.trim() === word)) found.push(parent.outerHTML.slice(0, 160));
  }
  return found;
}"""
IDS = [
    "intake", "answer", "refund", "with_colleague", "handover", "closed", "Technical", "Answered",
    "Refund", "customer_message",
]  # fmt: skip


def test_ids_labels_and_prompts_are_not_translated(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "Translated")
    states = sorted(canvas.states())
    labels = page.evaluate(
        "() => [...document.querySelectorAll('[data-label]')].map(o => o.dataset.label)"
    )
    words = [*IDS, *states, *labels]
    assert page.evaluate(TRANSLATED, words) == []
    for tab in ("Outline", "Files"):
        page.get_by_role("tab", name=tab).click()
        assert page.evaluate(TRANSLATED, words) == [], tab
    canvas.state(states[0]).click()
    expect(page.locator(".cm-content").first).to_have_attribute("translate", "no")
    assert page.evaluate(TRANSLATED, words) == []
