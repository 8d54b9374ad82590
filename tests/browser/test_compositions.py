"""A composition is a canvas of its own: opened from its state, edited, left, watched at work."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import (
    Canvas,
    api,
    attribute,
    open_sample,
    pack_of,
    tab_to,
    text_of,
    type_into,
)

SAMPLE = "promptpack/mail-triage"
STEPS = {
    f"triage/{name}"
    for name in ("classify", "look_closer", "facts", "mood", "is_complaint", "soothe", "note")
}


def _open(page: Page, name: str) -> Canvas:
    canvas = open_sample(page, SAMPLE, name)
    canvas.state("read_letter").dblclick()
    expect(canvas.state("triage/classify")).to_be_visible()
    # The first places are not final, and pointers go to places.
    canvas.stand()
    return canvas


def _steps(page: Page) -> list[dict[str, object]]:
    steps: list[dict[str, object]] = json.loads(text_of(page))["compositions"]["triage"]["steps"]
    return steps


def test_a_composition_is_opened_edited_and_left(page: Page) -> None:
    canvas = _open(page, "open-and-edit")
    trail = page.get_by_role("navigation", name="Canvas level")
    expect(trail).to_contain_text("triage")
    expect(trail).to_contain_text("opened by read_letter")
    canvas.expect_states(STEPS)
    page.wait_for_url("**level=composition**")
    before = _steps(page)

    # A transition between two steps is stored with the later step.
    port = canvas.state("triage/classify").locator(attribute("data-port", "out"))
    canvas.drag(canvas.middle(port), canvas.middle(canvas.state("triage/is_complaint")))
    menu = page.get_by_role("dialog", name="Arrow from triage/classify to triage/is_complaint")
    menu.get_by_role("button", name="depends_on", exact=True).click()
    drawn = canvas.transition("triage/classify", "depends_on", "triage/is_complaint")
    expect(drawn).to_have_count(1)
    canvas.wait_saved()
    assert _steps(page)[2]["depends_on"] == ["look_closer", "classify"]

    # A step gets another name, and what reads it follows.
    canvas.state("triage/classify").click()
    page.keyboard.press("F2")
    type_into(page.get_by_label("New name for classify"), "sort")
    page.keyboard.press("Enter")
    expect(canvas.state("triage/sort")).to_be_visible()
    canvas.wait_saved()
    steps = _steps(page)
    assert steps[0]["id"] == "sort"
    assert steps[2]["depends_on"] == ["look_closer", "sort"]
    assert "${sort.output}" in json.dumps(steps[4])

    # Undo twice: every step is as it was.
    page.keyboard.press("Control+z")
    expect(canvas.state("triage/classify")).to_be_visible()
    canvas.wait_saved()
    page.keyboard.press("Control+z")
    expect(drawn).to_have_count(0)
    canvas.wait_saved()
    assert _steps(page) == before

    # Up again: the state that opens it is selected.
    page.get_by_role("button", name="Go up").click()
    expect(canvas.state("read_letter")).to_have_attribute("aria-pressed", "true")
    canvas.expect_states({"read_letter", "answer", "hand_on"})
    page.wait_for_url(lambda url: "level=" not in url)


def test_an_arrow_to_empty_ground_makes_a_step_of_the_composition(page: Page) -> None:
    canvas = _open(page, "a-step-more")
    ground = page.locator(".react-flow").bounding_box()
    assert ground is not None
    port = canvas.state("triage/note").locator(attribute("data-port", "out"))
    empty = (ground["x"] + ground["width"] * 0.6, ground["y"] + ground["height"] * 0.8)
    canvas.drag(canvas.middle(port), empty)
    menu = page.get_by_role("dialog", name="Arrow from triage/note to new state")
    type_into(menu.get_by_label("Id of the new state"), "sign")
    menu.get_by_role("button", name="depends_on").click()
    expect(canvas.state("triage/sign")).to_be_visible()
    canvas.wait_saved()
    assert _steps(page)[-1]["depends_on"] == ["note"]
    page.keyboard.press("Control+z")
    expect(canvas.state("triage/sign")).to_have_count(0)


@pytest.mark.slow
def test_the_level_is_kept_in_the_address_and_found_by_search(page: Page) -> None:
    canvas = _open(page, "address")
    page.reload()
    canvas.stand()
    expect(canvas.state("triage/note")).to_be_visible()
    page.go_back()
    expect(canvas.state("read_letter")).to_be_visible()
    page.go_forward()
    expect(canvas.state("triage/note")).to_be_visible()
    page.get_by_role("navigation", name="Canvas level").get_by_text("address").click()
    expect(canvas.state("answer")).to_be_visible()

    page.locator(".canvas").press("Control+f")
    box = page.get_by_role("dialog", name="Search the canvas").get_by_role("combobox")
    type_into(box, "soothe")
    page.keyboard.press("Enter")
    expect(canvas.state("triage/soothe")).to_be_visible()
    expect(canvas.state("triage/soothe")).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_it_opens_with_the_mark_the_keyboard_and_the_inspector(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "ways-in")
    canvas.state("read_letter").locator("[data-opens]").click()
    expect(canvas.state("triage/note")).to_be_visible()
    page.get_by_role("button", name="Go up").click()
    tab_to(page, canvas.state("read_letter"))
    page.keyboard.press("Shift+Enter")
    expect(canvas.state("triage/note")).to_be_visible()
    page.keyboard.press("Escape")
    expect(canvas.state("read_letter")).to_be_visible()
    page.get_by_role("button", name="Open the canvas of triage").click()
    expect(canvas.state("triage/note")).to_be_visible()


@pytest.mark.slow
def test_a_finding_of_a_step_is_shown_on_its_level(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "finding")
    pack = pack_of(page)
    edit = {"type": "set_field", "element": "state:triage/mood", "field": "/prompt_task"}
    api(page, "POST", f"packs/{pack}/edits/", {"base": 1, "edits": [{**edit, "value": "nobody"}]})
    page.reload()
    canvas.stand()
    mark = canvas.state("read_letter").locator("[data-opens]")
    expect(mark).to_have_attribute("title", re.compile("Inside: .*nobody"))
    page.keyboard.press("F8")
    expect(canvas.state("triage/mood")).to_be_visible()
    expect(canvas.state("triage/mood")).to_have_attribute("data-finding", "PP603")
