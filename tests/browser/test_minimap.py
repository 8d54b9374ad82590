"""The minimap in a window of 1280 pixels: only when it helps, and never over cards or arrows."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.page_actions import Canvas, api, open_sample
from tests.browser.test_wheel import NEXT_FRAME
from tests.support.live_server import LiveServer

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


def test_the_map_is_shown_only_for_a_graph_that_leaves_the_window(
    opening: Opening, server: LiveServer, signed_in: Any
) -> None:
    page = opening(server, signed_in, viewport={"width": 1280, "height": 800}).new_page()
    shown = 0
    for sample in SAMPLES:
        canvas = open_sample(page, sample, "Map")
        page.mouse.move(*canvas.middle(page.locator("[data-state]").first))
        page.keyboard.press("Shift+1")
        # The whole graph is in view.
        expect(page.locator(".minimap")).to_be_hidden()
        page.keyboard.press("0")
        shown += look_around(page)
    assert shown >= 2

    # In a run, the bar and the log leave less room.
    pack = int(page.url.rstrip("/").rpartition("/")[2])
    run = api(page, "POST", "runs/", {"pack": pack, "driver": "manual", "inputs": {}})
    page.goto(f"/runs/{run['id']}/")
    Canvas(page).stand()
    page.mouse.move(*Canvas(page).middle(page.locator("[data-state]").first))
    page.keyboard.press("Shift+1")
    expect(page.locator(".minimap")).to_be_hidden()
    page.keyboard.press("0")
    assert look_around(page) >= 1
