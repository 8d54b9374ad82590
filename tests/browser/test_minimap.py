"""The minimap in a window of 1280 pixels: only when it helps, and never over cards or arrows."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import NEXT_FRAME, Canvas, api, open_sample, pack_of
from tests.support.checks import quick_and_slow

SAMPLES = ("promptpack/release", "promptpack/customer-support")
COVERED = """() => {
    const map = document.querySelector(".minimap");
    if (map.hidden) return [];
    const own = map.getBoundingClientRect();
    const meets = (one) => one.left < own.right && own.left < one.right
        && one.top < own.bottom && own.top < one.bottom;
    const marks = document.querySelectorAll("[data-state], .arrow .pill");
    const covered = [...marks].filter(one => meets(one.getBoundingClientRect()));
    const lines = [...document.querySelectorAll(".arrow-line")].filter(line => {
        const place = line.getScreenCTM();
        for (let at = 0; at <= line.getTotalLength(); at += 4) {
            const point = line.getPointAtLength(at).matrixTransform(place);
            if (meets({left: point.x, right: point.x, top: point.y, bottom: point.y})) return true;
        }
        return false;
    });
    return [...covered, ...lines].map(one => one.closest("[data-state], [data-transition]")
        ?.getAttribute("aria-label"));
}"""


def look_around(page: Page) -> int:
    """Pan over the graph, and count the views with a map. Fails if it covers anything."""
    shown = 0
    for x, y in ((0, 0), (160, 0), (160, 120), (-240, 120), (-240, -200), (0, -300), (300, 100)):
        page.mouse.wheel(x, y)
        page.evaluate(NEXT_FRAME)
        # The map follows the view in the next frame.
        page.wait_for_function(f"() => ({COVERED})().length === 0")
        shown += page.locator(".minimap").is_visible()
    return shown


@pytest.mark.slow
@pytest.mark.parametrize("sample", quick_and_slow(SAMPLES[:1], SAMPLES[1:]))
def test_the_map_is_shown_only_for_a_graph_that_leaves_the_window(page: Page, sample: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    canvas = open_sample(page, sample, "Map")
    page.mouse.move(*canvas.middle(page.locator("[data-state]").first))
    page.keyboard.press("Shift+1")
    # The whole graph is in view.
    expect(page.locator(".minimap")).to_be_hidden()
    page.keyboard.press("0")
    assert look_around(page) >= 1


@pytest.mark.slow
def test_the_map_leaves_room_for_the_panes_of_a_run(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    open_sample(page, SAMPLES[-1], "Map")
    run = api(page, "POST", "runs/", {"pack": int(pack_of(page)), "driver": "manual", "inputs": {}})
    page.goto(f"/runs/{run['id']}/")
    Canvas(page).stand()
    page.mouse.move(*Canvas(page).middle(page.locator("[data-state]").first))
    page.keyboard.press("Shift+1")
    expect(page.locator(".minimap")).to_be_hidden()
    page.keyboard.press("0")
    assert look_around(page) >= 1
