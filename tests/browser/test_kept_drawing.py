"""The drawing stays: cards, lines and labels have the coordinates that a person saw, in every
window and on every page that shows the graph."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, head_of, open_sample, pack_of
from tests.browser.test_drawing_export import export
from tests.browser.test_far_view import open_large

SAMPLE = "promptpack/customer-support"
SIZES = ((1280, 800), (1920, 1080), (1024, 700))
Drawing: TypeAlias = dict[str, Any]

SHAPES = """() => {
    const tenths = text => text.replace(/-?[0-9]+[.][0-9]+/g, one => Number(one).toFixed(1));
    const of = (mark, shape) => [...document.querySelectorAll(`[${mark}]`)]
        .map(one => [`${mark} ${one.getAttribute(mark)}`, shape(one)]);
    return Object.fromEntries([
        ...of("data-state", one => tenths(one.closest(".react-flow__node").style.transform)),
        ...of("data-transition", one => [
            one.querySelector(".arrow-line").getAttribute("d"),
            tenths(one.querySelector(".pill")?.getAttribute("transform") ?? ""),
        ]),
        ...of("data-entry", one => [...one.querySelectorAll("path")].map(p => p.getAttribute("d"))),
    ]);
}"""


def shapes(page: Page) -> Drawing:
    """Places of cards, and lines and labels of arrows, in coordinates of the canvas."""
    drawn: Drawing = page.evaluate(SHAPES)
    assert any(name.startswith("data-transition") for name in drawn)
    return drawn


def whole(page: Page, path: str) -> Drawing:
    """The drawing of a page that is loaded, all of it in view."""
    page.goto(path)
    Canvas(page).stand()
    page.keyboard.press("f")
    return shapes(page)


def wait_until_drawn(page: Page, drawing: Drawing) -> None:
    page.wait_for_function(
        f"drawing => JSON.stringify(({SHAPES})()) === drawing",
        arg=page.evaluate("one => JSON.stringify(one)", drawing),
    )


def edited(canvas: Canvas) -> Drawing:
    """Tidy up, move a card and draw arrows: routes of the layout and searched ones."""
    page = canvas.page
    page.keyboard.press("Shift+l")
    canvas.wait_saved()
    first, *_, last = sorted(canvas.states())
    canvas.draw_arrow(first, last, "Skip")
    canvas.draw_arrow(last, last, "Again")
    x, y = canvas.middle(canvas.state(last))
    canvas.drag((x, y), (x + 40, y + 60))
    canvas.wait_saved()
    page.keyboard.press("Escape")
    return shapes(page)


def test_the_drawing_is_kept_by_an_edit_a_reload_every_window_and_the_page_of_a_run(
    page: Page,
) -> None:
    canvas = open_sample(page, SAMPLE, "Support")
    # The first edit of a pack without places.
    before = shapes(page)
    first, *_, last = sorted(canvas.states())
    canvas.draw_arrow(first, last, "Early")
    canvas.wait_saved()
    drawing = shapes(page)
    assert before.items() <= drawing.items()
    head, path = head_of(page), page.url
    assert whole(page, path) == drawing
    page.keyboard.press("Control+z")
    expect(canvas.transition(first, "Early", last)).to_have_count(0)
    canvas.wait_saved()
    assert head_of(page) == head + 1, "one undo step"
    assert shapes(page) == before

    drawing = edited(canvas)
    head = head_of(page)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert whole(page, path) == drawing
    # A reload with an open drawer, and each frame from the first.
    page.keyboard.press("Shift+f")
    expect(page.get_by_role("region", name="Drawer")).to_be_visible()
    page.add_init_script(f"""window.drawings = [];
        const look = () => {{
            if (document.querySelector("[data-state]"))
                window.drawings.push(JSON.stringify(({SHAPES})()));
            requestAnimationFrame(look);
        }};
        requestAnimationFrame(look);""")
    assert whole(page, path) == drawing
    page.wait_for_function("() => window.drawings.length > 20")
    assert len(set(page.evaluate("() => window.drawings"))) == 1
    assert head_of(page) == head, "showing a pack changes nothing"
    assert whole(page, f"/runs/{run_of(page, pack_of(page))}/") == drawing


def run_of(page: Page, pack: str) -> str:
    body = {"pack": int(pack), "driver": "manual", "inputs": {"question": "Why?"}}
    return str(api(page, "POST", "runs/", body)["id"])


def of_difference(page: Page, pack: str) -> Drawing:
    whole(page, f"/packs/{pack}/")
    page.keyboard.press("Shift+h")
    page.get_by_role("tab", name="Diff").click()
    expect(page.locator("[data-diff]").first).to_be_attached()
    return shapes(page)


@pytest.mark.slow
def test_a_difference_shows_the_same_lines(page: Page) -> None:
    drawing = edited(open_sample(page, SAMPLE, "Support"))
    assert of_difference(page, pack_of(page)) == drawing


@pytest.mark.slow
def test_a_pack_without_places_is_laid_out_by_its_content(page: Page) -> None:
    open_sample(page, SAMPLE, "Content")
    page.keyboard.press("f")
    drawing, path = shapes(page), page.url
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        # A browser that has never laid it out.
        page.evaluate("() => indexedDB.deleteDatabase('signalbox-layouts')")
        assert whole(page, path) == drawing


@pytest.mark.slow
@pytest.mark.parametrize("count", [500, 1_000])
def test_the_drawing_of_a_large_pack_is_kept(page: Page, count: int) -> None:
    """Above 300 states arrows are curves. All of them are compared in the picture, after
    different parts were shown."""
    canvas = open_large(page, count)
    path, pack = page.url, pack_of(page)
    page.keyboard.press("Shift+l")
    canvas.wait_saved()
    canvas.find("step_375")
    canvas.draw_arrow("step_375", "step_375", "Again")
    canvas.wait_saved()
    drawing = picture(page)
    near = shapes(page)
    for (width, height), state in zip(SIZES, ("", "step_010", "step_375"), strict=True):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{path}?state={state}" if state else path)
        canvas.stand()
        assert picture(page) == drawing
    assert common(shapes(page), near)
    page.goto(f"/runs/{run_of(page, pack)}/?state=step_375")
    canvas.stand()
    canvas.find("step_375")
    assert common(shapes(page), near)


def picture(page: Page) -> list[bytes]:
    """The elements of the picture; new ones are drawn last until the page is loaded again."""
    return sorted(export(page, "SVG")[1].split(b"<"))


def common(one: Drawing, other: Drawing) -> bool:
    """True if what both show has the same shapes. Only what is in view is drawn."""
    both = [name for name in one if name in other and not name.startswith("data-entry")]
    assert sum(name.startswith("data-transition") for name in both) > 3
    different = [(name, one[name], other[name]) for name in both if one[name] != other[name]]
    assert different == []
    return True
