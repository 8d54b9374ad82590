"""Drawing and naming with the mouse and real keys: no key is lost, and none does anything else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.page_actions import Canvas, api, head_of, open_sample, pack_of

SAMPLE, KIND = "promptpack/code-review", "internal"
NAME = "billing"
ARROW = ("review", "Rework", "implement")
"""A transition that the sample does not have."""


def _point(page: Page, across: float, down: float) -> tuple[float, float]:
    ground = page.locator(".react-flow").bounding_box()
    assert ground is not None
    return ground["x"] + ground["width"] * across, ground["y"] + ground["height"] * down


def _graph(page: Page) -> Any:
    return api(page, "GET", f"packs/{pack_of(page)}/graph/")


def _ids(page: Page) -> set[str]:
    return {state["id"] for state in _graph(page)["states"]}


def _open(page: Page, name: str) -> Canvas:
    canvas = open_sample(page, SAMPLE, name)
    page.keyboard.press("f")
    return canvas


def _drag_from_port(canvas: Canvas, source: str, end: tuple[float, float]) -> None:
    port = canvas.state(source).locator('[data-port="out"]')
    canvas.drag(canvas.middle(port), end)


def test_states_and_arrows_are_drawn_and_named_without_a_lost_key(page: Page) -> None:
    canvas = _open(page, "drawn")
    a_state_is_dragged_in(canvas)
    an_arrow_is_dragged_to_a_state_and_to_empty_ground(canvas)
    keys_come_before_the_events_are_known(_open(page, "typed-early"))


def a_state_is_dragged_in(canvas: Canvas) -> None:
    """It asks for its name at once."""
    page = canvas.page
    before, drawn, head = _ids(page), canvas.states(), head_of(page)
    canvas.drag_in(KIND, _point(page, 0.5, 0.85))
    expect(page.locator("[data-state]")).to_have_count(len(drawn) + 1)
    page.keyboard.type("nothing")
    page.keyboard.press("Escape")
    expect(page.locator("[data-state]")).to_have_count(len(drawn))
    canvas.wait_saved()
    assert head_of(page) == head

    canvas.drag_in(KIND, _point(page, 0.5, 0.85))
    page.keyboard.type(NAME)
    page.keyboard.press("Enter")
    expect(canvas.state(NAME)).to_have_attribute("aria-pressed", "true")
    canvas.wait_saved()
    assert _ids(page) == before | {NAME}
    assert head_of(page) == head + 1, "one gesture is one revision, so one undo removes it"
    page.keyboard.press("Control+z")
    expect(canvas.state(NAME)).to_have_count(0)
    canvas.wait_saved()
    assert _ids(page) == before


def an_arrow_is_dragged_to_a_state_and_to_empty_ground(canvas: Canvas) -> None:
    page = canvas.page
    source, event, target = ARROW
    before, drawn, head = _graph(page), canvas.states(), head_of(page)
    # Escape withdraws it at every step.
    _drag_from_port(canvas, source, canvas.middle(canvas.state(target)))
    page.keyboard.press("Escape")
    _drag_from_port(canvas, source, _point(page, 0.55, 0.85))
    page.keyboard.type(NAME)
    page.keyboard.press("Escape")
    _drag_from_port(canvas, source, _point(page, 0.55, 0.85))
    page.keyboard.type(NAME)
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("[data-drawn]")).to_have_count(0)
    canvas.wait_saved()
    assert head_of(page) == head
    canvas.expect_states(drawn)

    _drag_from_port(canvas, source, canvas.middle(canvas.state(target)))
    expect(page.locator(f'[data-drawn="{source}|{target}"]')).to_be_attached()
    page.keyboard.type(event)
    page.keyboard.press("Enter")
    expect(canvas.transition(source, event, target)).to_have_count(1)
    expect(page.locator("[data-drawn]")).to_have_count(0)
    canvas.wait_saved()
    assert head_of(page) == head + 1
    page.keyboard.press("Control+z")
    expect(canvas.transition(source, event, target)).to_have_count(0)
    canvas.wait_saved()

    head = head_of(page)
    _drag_from_port(canvas, source, _point(page, 0.55, 0.85))
    menu = page.get_by_role("dialog", name=f"Arrow from {source} to new state")
    expect(page.locator(f'[data-drawn="{source}|"]')).to_be_attached()
    page.keyboard.type(NAME)
    page.keyboard.press("Enter")
    # Enter has gone on to the event, and has pressed nothing there.
    expect(menu.get_by_label("New event")).to_be_focused()
    assert head_of(page) == head
    page.keyboard.type(event)
    page.keyboard.press("Enter")
    expect(menu).to_have_count(0)
    expect(canvas.state(NAME)).to_be_visible()
    canvas.wait_saved()
    after = _graph(page)
    known = {arrow["id"] for arrow in before["transitions"]}
    fresh = [arrow for arrow in after["transitions"] if arrow["id"] not in known]
    assert (source, NAME) in {(arrow["source"], arrow["target"]) for arrow in fresh}
    assert head_of(page) == head + 1
    expect(canvas.state(NAME)).to_have_attribute("aria-pressed", "true")


def keys_come_before_the_events_are_known(canvas: Canvas) -> None:
    """The server's answer is held back until everything is typed, Enter included."""
    page = canvas.page
    source, event, target = ARROW
    held: list[Route] = []
    page.route("**/offers/**", lambda route: held.append(route))
    _drag_from_port(canvas, source, canvas.middle(canvas.state(target)))
    page.keyboard.type(event)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(1)
    expect(page.get_by_label("New event")).to_have_value(event)
    expect(canvas.transition(source, event, target)).to_have_count(0)
    assert held
    page.unroute("**/offers/**")  # This sends the held requests.
    expect(canvas.transition(source, event, target)).to_have_count(1)


@pytest.mark.slow
def test_a_name_that_breaks_a_rule_offers_the_nearest(page: Page) -> None:
    canvas = _open(page, "nearest")
    canvas.drag_in(KIND, _point(page, 0.5, 0.85))
    page.keyboard.type("review")
    expect(page.get_by_role("button", name="review_2")).to_be_visible()
    page.keyboard.press("Enter")
    expect(canvas.state("review_2")).to_be_visible()
    canvas.wait_saved()
    assert "review_2" in _ids(page)
    source, _, target = ARROW
    _drag_from_port(canvas, source, canvas.middle(canvas.state(target)))
    page.keyboard.type("look again")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_be_visible()
    expect(dialog.locator("button.nearest")).to_contain_text("LookAgain")


@pytest.mark.slow
def test_a_name_left_by_a_click_is_kept(page: Page) -> None:
    canvas = open_sample(page, "promptpack/code-review", "click-elsewhere")
    page.keyboard.press("f")
    canvas.drag_in("internal", _point(page, 0.5, 0.85))
    page.keyboard.type("billing")
    page.mouse.click(*_point(page, 0.9, 0.95))
    expect(canvas.state("billing")).to_be_visible()
    canvas.wait_saved()
    assert "billing" in _ids(page)


@pytest.mark.slow
def test_a_shared_prompt_is_shown_on_the_card_and_at_the_field(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "shared-prompt")
    card = canvas.state("handover")
    expect(card.locator("[data-prompt-users]")).to_have_attribute("data-prompt-users", "2")
    expect(canvas.state("intake").locator("[data-prompt-users]")).to_have_count(0)
    card.click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector).to_contain_text("Shared with with_colleague. A change of this prompt")
    page.keyboard.press("Control+d")
    expect(canvas.state("handover_copy")).to_be_visible()
    expect(canvas.state("handover_copy").locator("[data-prompt-users]")).to_have_count(0)


def test_a_renamed_pack_and_state_ask_about_the_file(page: Page) -> None:
    """The prompt of a renamed state gets a new public id, and the title of a pack is in its file
    too: a notice has a button for the other way."""
    made = api(page, "POST", "packs/", {"sample": "promptpack/blank", "name": "Otter desk"})

    def written() -> dict[str, Any]:
        path = f"packs/{made['id']}/files/?path=otter-desk.pack.json"
        return json.loads(api(page, "GET", path)["text"])

    assert (written()["id"], written()["name"]) == ("otter-desk", "Otter desk")
    page.goto(f"/packs/{made['id']}/")
    canvas = Canvas(page)
    canvas.rename("start", "welcome")
    assert list(written()["prompts"]) == ["welcome"]
    page.get_by_role("button", name="Keep “start”").click()
    canvas.wait_saved()
    assert [(key, one["id"]) for key, one in written()["prompts"].items()] == [("start", "start")]
    assert written()["workflow"]["states"]["welcome"]["prompt_task"] == "start"

    title = page.get_by_label("Name of the pack")
    title.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("Beaver desk")
    page.keyboard.press("Enter")
    with page.expect_response(lambda answer: '"in_files":true' in (answer.request.post_data or "")):
        page.get_by_role("button", name="Rename there too").click()
    expect(page.get_by_role("button", name="Rename there too")).to_have_count(0)
    canvas.wait_saved()
    assert written()["name"] == "Beaver desk"
