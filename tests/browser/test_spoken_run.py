"""A run for people who do not see the canvas: its announcements, and the names of its states."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, open_sample, pack_of

DRAWING = """
- main "Canvas":
  - application "Workflow. Arrow keys go from state to state, Alt and arrow keys follow arrows.":
    - application:
      - button "draft, internal, start, active, visited once, waits for a person"
      - button "review, internal"
      - button "done, internal, end"
      - group "Arrows":
        - 'button "Next: arrow from draft to review"'
        - 'button "Approve: arrow from review to done"'
        - 'button "Changes: arrow from review to draft"'
"""
QUESTION = """
- region "Waiting for you":
  - article:
    - heading "Answer as the model" [level=3]
    - button "draft"
    - button "Next"
    - button "Write…"
    - button "Call a tool…"
    - button "Pass to…"
    - button "Deny…"
    - link "All approvals"
"""
"""The page of a run that asks, as a screen reader gets it."""
LISTEN = """() => {
  window.spoken = [];
  new MutationObserver(() => {
    const text = document.querySelector("[data-run-spoken]")?.textContent;
    if (text && text !== window.spoken.at(-1)) window.spoken.push(text);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def test_a_run_has_the_focus_and_is_announced_from_its_question_to_its_end(page: Page) -> None:
    canvas = open_sample(page, "promptpack/review-loop", "Spoken")
    page.keyboard.press("Control+Enter")
    page.get_by_role("dialog", name="Run").get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("application", name="Workflow")).to_be_focused()
    port = canvas.state("draft").locator("[data-port=out]")
    size = port.evaluate("one => [one.offsetWidth, one.offsetHeight]")
    assert min(size) >= 24
    body = {"pack": int(pack_of(page)), "driver": "manual", "inputs": {"brief": "A note"}}
    run = api(page, "POST", "runs/", body)["id"]
    page.goto(f"/runs/{run}/")
    canvas.stand()
    page.evaluate(LISTEN)
    spoken = page.locator("[data-run-spoken]")
    expect(spoken).to_have_text("Run waits for you in draft.")
    expect(page.get_by_role("main", name="Canvas")).to_match_aria_snapshot(DRAWING)
    expect(page.get_by_role("region", name="Waiting for you")).to_match_aria_snapshot(QUESTION)
    api(page, "POST", f"runs/{run}/signals/", {"type": "cancel"})
    expect(spoken).to_have_text("Run cancelled after 1 visit.")
    assert page.evaluate("window.spoken")[-1] == "Run cancelled after 1 visit."
    expect(canvas.state("draft")).to_have_accessible_name("draft, internal, start, visited once")
