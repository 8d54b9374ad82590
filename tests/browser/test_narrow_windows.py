"""Narrow windows, which are also those of 200 and 400 % zoom: every control is inside of them."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, open_sample, pack_of

WIDTHS = ((1024, 640), (960, 540), (800, 600), (640, 480), (320, 480))
PAGES = ("/", "/runs/", "/approvals/", "/roles/", "/rules/", "/settings/")
LEAST_CANVAS = {"width": 240, "height": 180}
"""Pixels of the canvas that the panes leave."""
OUTSIDE = """() => [...document.querySelectorAll(":is(.site-header, .top-bar) *")]
  .filter((one) => one.matches("a, button, input, select"))
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .filter((one) => {
    const { left, right, top, bottom, width } = one.getBoundingClientRect();
    if (one.matches(".skip-link") || width === 0) return false;
    return left < 0 || right > innerWidth + 1 || top < 0 || bottom > innerHeight;
  })
  .map((one) => one.getAttribute("aria-label") || one.textContent)"""
"""Names of the controls in headers that are not in the window."""


def outside(page: Page) -> list[str]:
    names: list[str] = page.evaluate(OUTSIDE)
    return names


def test_every_control_of_a_header_is_in_the_window(page: Page) -> None:
    problems: dict[str, list[str]] = {}
    open_sample(page, "promptpack/review-loop", "A long name of a pack that is cut")
    pack = pack_of(page)
    body = {"pack": int(pack), "driver": "rehearsal", "seed": 1}
    canvases = (f"/packs/{pack}/", f"/runs/{api(page, 'POST', 'runs/', body)['id']}/")
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        for path in (*PAGES, *canvases):
            page.goto(path)
            if path in canvases:
                Canvas(page).stand()
                box = page.locator(".shell-canvas").bounding_box()
                assert box
                assert box["width"] >= LEAST_CANVAS["width"], (path, width, box)
                assert box["height"] >= LEAST_CANVAS["height"], (path, width, box)
            if names := outside(page):
                problems[f"{path} at {width}"] = names
    assert problems == {}


def test_panes_of_a_narrow_window_open_one_at_a_time(page: Page) -> None:
    page.set_viewport_size({"width": 640, "height": 480})
    open_sample(page, "promptpack/review-loop", "Narrow")
    canvas = Canvas(page)
    canvas.stand()
    inspector = page.get_by_role("complementary", name="Inspector")
    palette = page.get_by_role("tab", name="Palette")
    expect(inspector).to_be_hidden()
    expect(palette).to_be_hidden()
    page.keyboard.press("]")
    expect(inspector).to_be_visible()
    page.keyboard.press("[")
    expect(palette).to_be_visible()
    expect(inspector).to_be_hidden()


def test_forced_colours_outline_what_is_selected(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    open_sample(page, "promptpack/review-loop", "Forced colours")
    canvas = Canvas(page)
    canvas.state("draft").click()
    for selected in (canvas.state("draft"), page.get_by_role("tab", selected=True).first):
        expect(selected).to_have_css("outline-style", "solid")
        expect(selected).to_have_css("outline-width", "2px")
