"""The drawing of a pack as SVG, as PNG and on paper."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, open_sample, pack_of
from tests.browser.test_far_view import COUNT, open_large

SAMPLE = "promptpack/customer-support"
SVG = "{http://www.w3.org/2000/svg}"
Place = tuple[float, float]


def export(page: Page, kind: str) -> tuple[str, bytes]:
    """Name and content of the file that the menu's entry downloads."""
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as downloading:
        page.get_by_role("menuitem", name=f"Export drawing as {kind}").click()
    return downloading.value.suggested_filename, Path(downloading.value.path()).read_bytes()


def places(page: Page, selector: str = "[data-state]") -> dict[str, tuple[float, ...]]:
    """The rectangle of every card, by the id of its state."""
    found = page.locator(selector).evaluate_all(
        """cards => cards.map(card => {
            const box = (card.querySelector("rect") ?? card).getBoundingClientRect();
            return [card.dataset.state, box.x, box.y, box.width, box.height];
        })"""
    )
    return {id: tuple(box) for id, *box in found}


def relative(boxes: dict[str, tuple[float, ...]], origin: str) -> dict[str, Place]:
    """Positions from this card on, in widths of the card."""
    x, y, width, _ = boxes[origin]
    return {
        id: (round((box[0] - x) / width, 2), round((box[1] - y) / width, 2))
        for id, box in boxes.items()
    }


def assert_same_layout(first: dict[str, Place], second: dict[str, Place]) -> None:
    assert first.keys() == second.keys()
    for id, (x, y) in first.items():
        assert abs(x - second[id][0]) < 0.03, id
        assert abs(y - second[id][1]) < 0.03, id


def png_size(data: bytes) -> tuple[int, int]:
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_a_print_svg_and_png_show_what_the_canvas_shows(page: Page) -> None:
    page.add_init_script("window.print = () => { window.prints = (window.prints ?? 0) + 1; }")
    canvas = open_sample(page, SAMPLE, "Support / drawn")
    pack = int(pack_of(page))
    page.keyboard.press("Control+p")
    page.wait_for_function("() => window.prints === 1")
    on_canvas = places(page)
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    # After printing the drawing is gone, so the test sends the browser's events itself.
    expect(page.locator(".printed-drawing")).to_have_count(0)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(page.locator(".printed-drawing svg")).to_be_visible()
    expect(page.get_by_role("banner")).to_be_hidden()
    expect(page.get_by_role("main", name="Canvas")).to_be_hidden()
    drawn = places(page, ".printed-drawing [data-state]")
    origin = min(drawn)
    assert_same_layout(relative(drawn, origin), relative(on_canvas, origin))
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    canvas.stand()
    svg_and_png_show_the_cards_where_the_canvas_has_them(canvas)
    a_printed_run_shows_its_path(page, pack)


def svg_and_png_show_the_cards_where_the_canvas_has_them(canvas: Canvas) -> None:
    page = canvas.page
    page.keyboard.press("Control+k")
    page.keyboard.type("drawing as svg")
    with page.expect_download() as downloading:
        page.keyboard.press("Enter")
    assert downloading.value.suggested_filename == "Support - drawn.svg"
    name, png = export(page, "PNG")
    assert name == "Support - drawn.png"
    # Flat colours alone would be far smaller.
    assert len(png) > 20_000
    on_canvas = places(page)
    labels = {one.split("|")[1] for one in canvas.transitions()}
    name, data = export(page, "SVG")
    assert name == "Support - drawn.svg"
    root = ElementTree.fromstring(data)
    assert png_size(png) == (2 * int(root.attrib["width"]), 2 * int(root.attrib["height"]))
    assert {one.get("data-label") for one in root.iter() if one.get("data-label")} == labels
    assert not [one.tag for one in root.iter() if one.tag in {SVG + "foreignObject", SVG + "style"}]

    page.set_content(data.decode())
    drawn = places(page, "svg [data-state]")
    assert set(drawn) == set(on_canvas)
    origin = min(drawn)
    assert_same_layout(relative(drawn, origin), relative(on_canvas, origin))


def a_printed_run_shows_its_path(page: Page, pack: int) -> None:
    body = {"pack": pack, "driver": "rehearsal", "seed": 1}
    page.goto(f"/runs/{api(page, 'POST', 'runs/', body)['id']}/")
    Canvas(page).stand()
    expect(page.locator(".run-area [data-run-status=completed]")).to_be_visible()
    on_canvas = visits(page, ".canvas")
    assert {mark for mark, _ in on_canvas} == {"state", "transition"}
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert visits(page, ".printed-drawing") == on_canvas


def visits(page: Page, within: str) -> list[list[str]]:
    """Kinds and counts of what was visited and taken."""
    found: list[list[str]] = page.locator(f"{within} [data-visits]").evaluate_all(
        "all => all.map(one => [one.dataset.state ? 'state' : 'transition', one.dataset.visits])"
    )
    return sorted(found)


@pytest.mark.slow
def test_a_painted_graph_is_exported_whole_and_a_reduced_png_is_announced(page: Page) -> None:
    open_large(page)
    _, svg = export(page, "SVG")
    root = ElementTree.fromstring(svg)
    assert len([one for one in root.iter() if one.get("data-state")]) == COUNT
    assert len([one for one in root.iter() if one.get("data-label")]) > COUNT
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    _, png = export(page, "PNG")
    size = png_size(png)
    assert size[0] * size[1] <= 50_000_000
    assert abs(size[0] / size[1] - width / height) < 0.01
    expect(page.get_by_text(re.compile(r"the PNG has \d+ % of its size"))).to_be_visible()
