"""The text view of a pack with real keys: cursor, selection, typing, find and replace."""

import re
import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.page_actions import Canvas, api, exported, text_of, wait_until
from tests.support.live_server import LiveServer


def new_pack(page: Page, sample: str = "support") -> str:
    names = [one["name"] for one in api(page, "GET", "samples/") if one["dialect"] == "promptpack"]
    name = next((one for one in names if sample in one), names[0])
    return str(api(page, "POST", "packs/", {"sample": f"promptpack/{name}"})["id"])


def open_text(page: Page, pack: str) -> tuple[Canvas, str]:
    page.goto(f"/packs/{pack}/")
    canvas = Canvas(page)
    canvas.stand()
    page.get_by_role("tab", name="Text").click()
    expect(page.locator(".text-view .cm-content")).to_be_visible()
    main = api(page, "GET", f"packs/{pack}/")["main"]
    return canvas, main


def selected(page: Page) -> set[str]:
    """The selected state or arrow of the canvas, as the inspector names it."""
    return set(
        page.locator("[data-state][aria-pressed=true]").evaluate_all(
            "all => all.map(one => `state:${one.dataset.state}`)"
        )
    ) | set(
        page.locator("[data-transition][aria-pressed=true]").evaluate_all(
            "all => all.map(one => `transition:${one.dataset.transition}`)"
        )
    )


def test_cursor_and_selection_follow_each_other_and_a_replacement_is_one_undo(page: Page) -> None:
    pack = new_pack(page)
    canvas, main = open_text(page, pack)
    ranges = api(page, "GET", f"packs/{pack}/text-ranges/?path={main}")
    states = [one for one in ranges if one["element"].startswith("state:")][:3]
    assert states
    page.locator(".text-view .cm-content").click()
    page.keyboard.press("Control+Home")
    for one in states:
        page.keyboard.press("Control+Alt+g")
        page.keyboard.type(str(one["line"]))
        page.keyboard.press("Enter")
        page.keyboard.press("End")
        id = one["element"].partition(":")[2]
        expect(canvas.state(id)).to_have_attribute("aria-pressed", "true")
        assert selected(page) == {one["element"]}
    for one in reversed(states):
        id = one["element"].partition(":")[2]
        canvas.zoom_out_to(id)
        canvas.state(id).click()
        expect(page.locator(".cm-element").first).to_be_visible()
        shown = page.locator(".cm-element").first.inner_text()
        assert id.rpartition("/")[2] in shown
    find_previews_a_replacement_that_is_one_undo(canvas, pack)


def find_previews_a_replacement_that_is_one_undo(canvas: Canvas, pack: str) -> None:
    page = canvas.page
    before = exported(page, pack)
    state = sorted(canvas.states())[0]
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    page.keyboard.press("Control+h")
    page.keyboard.type(state)
    matches = page.get_by_role("list", name="Matches")
    expect(matches.get_by_role("listitem").first).to_contain_text(state)
    page.keyboard.press("Tab")
    page.keyboard.type(f"{state}2")
    expect(matches.locator("ins").first).to_contain_text(f"{state}2")
    assert exported(page, pack) == before
    page.get_by_role("button", name=re.compile("^Replace [0-9]")).click()
    expect(canvas.state(f"{state}2")).to_have_count(1)
    canvas.wait_saved()
    page.get_by_role("tab", name="Diff").click()
    expect(page.locator(f'[data-state="{state}2"][data-diff=renamed]')).to_have_count(1)
    expect(canvas.state(state)).to_have_count(0)
    page.get_by_role("tab", name="Findings").click()
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    page.keyboard.press("Control+z")
    expect(canvas.state(state)).to_have_count(1)
    canvas.wait_saved()
    assert exported(page, pack) == before


def test_typing_applies_and_is_one_undo_and_a_broken_text_keeps_the_drawing(
    opening: Opening, server: LiveServer, signed_in: Any
) -> None:
    page = opening(server, signed_in).new_page()
    pack = new_pack(page)
    canvas, _ = open_text(page, pack)
    before = exported(page, pack)
    states = canvas.states()
    # After a long pause typing is another undo step, and a busy machine makes long pauses.
    page.clock.set_fixed_time(time.time())
    page.locator(".text-view .cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.type('\n"x-note": "o')
    expect(page.locator(".text-problem")).to_contain_text("Line")
    expect(page.locator(".canvas")).to_have_class(re.compile(r"\bbroken\b"))
    assert canvas.states() == states
    assert exported(page, pack) == before
    page.keyboard.type('ne"')
    page.keyboard.press("End")
    page.keyboard.type(",")
    expect(page.locator(".canvas")).not_to_have_class(re.compile(r"\bbroken\b"))
    canvas.wait_saved()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type(" more")
    # At once, before the pause after which typed text is saved.
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    page.keyboard.press("Control+z")
    expect(page.locator(".text-view .cm-content")).not_to_contain_text("x-note")
    canvas.wait_saved()
    assert exported(page, pack) == before


@pytest.mark.slow
def test_a_text_that_cannot_be_read_stays_while_a_form_changes_its_file(page: Page) -> None:
    canvas, _ = open_text(page, new_pack(page))
    text = page.locator(".text-view .cm-content")
    text.click()
    page.keyboard.press("Control+End")
    page.keyboard.type("Sno")
    expect(page.locator(".text-problem")).to_contain_text("Line")
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    inspector = page.get_by_role("complementary", name="Inspector")
    for label in ("Name", "Version"):
        inspector.get_by_label(label).first.click()
        page.keyboard.press("Home")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
    changed = re.compile('^  "(?:name|version)": "1[^"]+"', re.M)
    wait_until(lambda: len(changed.findall(text_of(page))) == 2)
    expect(page.locator("[data-saved]")).to_contain_text("Text not applied: line")
    text.click()
    page.keyboard.press("Control+End")
    expect(text).to_contain_text("Sno")
    for _ in "Sno":
        page.keyboard.press("Backspace")
    canvas.wait_saved()
    assert len(changed.findall(text_of(page))) == 2


@pytest.mark.slow
def test_a_file_that_was_never_read_shows_only_that_nothing_is_drawn(page: Page) -> None:
    broken = {"text": '{"id": "broken", "workflow": {\n', "name": "broken.pack.json"}
    made = api(page, "POST", "import/", broken)
    page.goto(f"/packs/{made['packs'][0]['id']}/")
    expect(page.get_by_role("heading", name="Nothing can be drawn yet")).to_be_visible()
    page.locator(".text-view .cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type('"entry": ')
    expect(page.locator(".text-problem")).to_contain_text("Nothing is drawn until it can be read.")
    expect(page.get_by_role("heading", name="Nothing can be drawn yet")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("the last text that could be read")
