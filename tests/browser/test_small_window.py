"""The page of a run in a window of 1280 × 800: no toolbar, pane or table cuts its content."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, attribute, open_sample, pack_of

SMALL = {"width": 1280, "height": 800}
LEAST_CONVERSATION = 500
"""Pixels of height that the inspector has for a conversation."""

CUT = """() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true });
  const name = (one) =>
    `${one.tagName.toLowerCase()}.${one.className} "${one.textContent.slice(0, 60)}"`;
  const isCut = (one) => {
    const { overflowX, textOverflow, display } = getComputedStyle(one);
    if (overflowX === "visible" || one.scrollWidth <= one.clientWidth + 1) return false;
    // A range or a text field scrolls its own value, and only lines of text end with an ellipsis.
    if (one.matches("input, textarea, .visually-hidden")) return false;
    return textOverflow !== "ellipsis" || /flex|grid/.test(display);
  };
  const panes = document.querySelectorAll(".shell > header, .shell .pane, .run-area, .pending");
  const all = [...panes].flatMap((pane) => [pane, ...pane.querySelectorAll("*")]);
  return [...new Set(all)].filter((one) => shown(one) && isCut(one)).map(name);
}"""
"""The elements whose content is wider than they are, and is not shortened with an ellipsis."""


def cut(page: Page) -> list[str]:
    found: list[str] = page.evaluate(CUT)
    return found


def test_nothing_is_cut_while_a_question_is_open(page: Page) -> None:
    page.set_viewport_size(SMALL)
    open_sample(page, "promptpack/code-review", "Small window")
    pack = int(pack_of(page))
    run = api(page, "POST", "runs/", {"pack": pack, "driver": "manual", "inputs": {"task": "x"}})
    for address in (f"/packs/{pack}/?run={run['id']}", f"/runs/{run['id']}/"):
        page.goto(address)
        Canvas(page).stand()
        expect(page.locator(".question").first).to_be_visible()
        assert cut(page) == []
        page.locator(attribute("data-state", "implement")).click()
        talk = page.get_by_role("log", name="Events of the visit").bounding_box() or {"height": 0}
        assert talk["height"] >= LEAST_CONVERSATION
