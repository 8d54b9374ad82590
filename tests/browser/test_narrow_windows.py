"""Narrow windows, which are also those of 200 and 400 % zoom: every control can be reached without
scrolling sideways, and high contrast shows what is selected."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, open_sample, pack_of
from tests.browser.typing_places import linked_pages

WIDTHS = ((1024, 640), (960, 540), (800, 600), (640, 512), (320, 480), (320, 256))
"""With those of a window of 1280 × 1024 at 200 and 400 % zoom."""
LEAST_CANVAS = {"width": 240, "height": 180}
"""Pixels of the canvas that the panes leave."""
OUTSIDE = """() => {
  const controls = "a, button, input, select, textarea, summary, [tabindex='0'], .cm-content";
  const scrolls = (one, axis) => /auto|scroll/.test(getComputedStyle(one)[axis]);
  const isOutside = (one) => {
    const { left, right, top, bottom, width } = one.getBoundingClientRect();
    if (width === 0) return false;
    let [across, down] = [false, !document.querySelector(".shell")];
    for (let up = one.parentElement; up && up !== document.body; up = up.parentElement) {
      const box = up.getBoundingClientRect();
      across ||= scrolls(up, "overflowX") && box.left >= -1 && box.right <= innerWidth + 1
        && !up.matches(".shell");
      down ||= scrolls(up, "overflowY");
    }
    return (!across && (left < -1 || right > innerWidth + 1))
      || (!down && (top < -1 || bottom > innerHeight + 1));
  };
  const wide = Math.max(document.scrollingElement.scrollWidth,
    document.querySelector(".shell")?.scrollWidth ?? 0);
  return [...document.querySelectorAll(controls)]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .filter((one) => !one.matches(".skip-link, .visually-hidden *, .react-flow__viewport *"))
    .filter(isOutside)
    .map((one) => one.getAttribute("aria-label") || one.textContent.trim() || one.name)
    .concat(wide > innerWidth ? [`${wide} px wide`] : []);
}"""
"""Names of the controls to which one cannot scroll, except sideways in a part of the page."""


def check(page: Page, addresses: list[str], widths: tuple[tuple[int, int], ...]) -> None:
    problems: list[str] = []
    for width, height in widths:
        page.set_viewport_size({"width": width, "height": height})
        for path in addresses:
            page.goto(path)
            page.wait_for_load_state("networkidle")
            canvas = page.locator(".shell-canvas")
            if canvas.count():
                Canvas(page).stand()
                box = canvas.bounding_box()
                assert box
                assert box["width"] >= LEAST_CANVAS["width"], (path, width, box)
                assert box["height"] >= LEAST_CANVAS["height"], (path, width, box)
            names = page.evaluate(OUTSIDE)
            problems += [f"{path} at {width} × {height}: {name}" for name in names]
    assert problems == []


def canvases(page: Page) -> list[str]:
    """An editor, a run that asks and one that has ended."""
    open_sample(page, "promptpack/review-loop", "A long name of a pack that is cut")
    pack = int(pack_of(page))
    asks = {"pack": pack, "driver": "manual", "inputs": {"brief": "A note"}}
    ended = {"pack": pack, "driver": "rehearsal", "seed": 1}
    runs = [api(page, "POST", "runs/", body)["id"] for body in (asks, ended)]
    return [f"/packs/{pack}/", *(f"/runs/{run}/" for run in runs)]


@pytest.mark.slow
def test_every_control_of_every_page_can_be_reached(page: Page) -> None:
    check(page, [*canvases(page), *linked_pages(page, "/")], WIDTHS)


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


EDGE_CONTRAST = """one => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d");
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const edge = light(getComputedStyle(one).borderTopColor);
  const ground = light(getComputedStyle(one).backgroundColor);
  return Math.max(edge, ground) / Math.min(edge, ground);
}"""
LINES = """() => ["--line", "--line-strong"]
  .map((name) => getComputedStyle(document.documentElement).getPropertyValue(name))"""


def test_contrast_and_size_of_text_are_those_of_the_person(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    canvas = open_sample(page, "promptpack/review-loop", "Forced colours")
    canvas.state("draft").click()
    for selected in (canvas.state("draft"), page.get_by_role("tab", selected=True).first):
        expect(selected).to_have_css("outline-style", "solid")
        expect(selected).to_have_css("outline-width", "2px")
    page.emulate_media(forced_colors="none")
    line, strong = page.evaluate(LINES)
    assert line != strong
    page.emulate_media(contrast="more")
    line, strong = page.evaluate(LINES)
    assert line == strong
    page.emulate_media(contrast="no-preference")
    page.goto("/packs/new/")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert page.get_by_label("Name", exact=True).evaluate(EDGE_CONTRAST) >= 3, theme
    sizes = {"fontSizes": {"standard": 24, "fixed": 24}}
    page.context.new_cdp_session(page).send("Page.setFontSizes", sizes)
    expect(page.locator("body")).to_have_css("font-size", "19.5px")
