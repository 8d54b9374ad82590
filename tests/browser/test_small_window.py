"""The page of a run in a window of 1280 × 800: no toolbar, pane or table cuts its content."""

from __future__ import annotations

from typing import Any

import pytest
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

RUNS = {
    "promptpack": ("promptpack/code-review", 3),
    "steps_registry": ("steps_registry/triage-bot", 1),
    "stages": ("stages/feature-delivery", 2),
    "agent_graph": ("agent_graph/feature-team", 1),
    "climpt_workflow": ("climpt_workflow/issue-flow", 1),
}
"""A sample of each dialect, and the seed of its rehearsal."""


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


@pytest.mark.slow
@pytest.mark.parametrize("dialect", RUNS)
def test_nothing_on_the_page_of_a_run_is_cut(page: Page, dialect: str) -> None:
    page.set_viewport_size(SMALL)
    sample, seed = RUNS[dialect]
    open_sample(page, sample, "Small window")
    body = {"pack": int(pack_of(page)), "driver": "rehearsal", "seed": seed}
    run = api(page, "POST", "runs/", body)["id"]
    page.goto(f"/runs/{run}/")
    canvas = Canvas(page)
    canvas.stand()
    expect(page.locator("[data-story-mark='run.finished']")).to_be_visible()
    problems = {"as opened": cut(page)}
    inspector = page.get_by_role("complementary", name="Inspector")
    for calls in inspector.locator("summary", has_text="Each call").all():
        calls.click()
        problems["result, each call"] = cut(page)

    drawer = page.get_by_role("region", name="Drawer")
    for tab in _tabs(drawer):
        drawer.get_by_role("tab", name=tab, exact=True).click()
        problems[f"drawer, {tab}"] = cut(page)
    for state in _visited(page, run)[:4]:
        page.locator(attribute("data-story-visit", f"{state}:1")).click()
        expect(inspector.locator(".node-head")).to_contain_text(state)
        figures = inspector.locator("[data-figures] > :first-child")
        if figures.count():
            visit = page.locator(attribute("data-story-visit", f"{state}:1"))
            assert visit.locator(".story-time").inner_text() == figures.inner_text()
        for tab in _tabs(inspector):
            inspector.get_by_role("tab", name=tab).click()
            problems[f"inspector of {state}, {tab}"] = cut(page)
    assert "\n".join(f"{place}: {one}" for place, all in problems.items() for one in all) == ""


def _tabs(place: Any) -> list[str]:
    expect(place.get_by_role("tab").first).to_be_visible()
    names: list[str] = place.get_by_role("tab").evaluate_all(
        "all => all.map(one => one.firstChild.textContent)"
    )
    return names


def _visited(page: Page, run: str) -> list[str]:
    events = api(page, "GET", f"runs/{run}/events/?limit=5000")["events"]
    return sorted({one["state"] for one in events if one["type"] == "state.entered"})
