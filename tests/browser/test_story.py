"""The story of a run, heat, the context menu and the walks of a rehearsal, with mouse and keys."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, api, attribute, open_sample, pack_of

MINIMUM = 0.5
"""Of the window, that the canvas has at least."""


def started(page: Page, **options: Any) -> str:
    """A run of a fresh pack in which a person answers for the model, shown in the editor."""
    open_sample(page, "promptpack/code-review", "Told")
    pack = int(pack_of(page))
    inputs = {"task": "Say hello."}
    body = {"pack": pack, "driver": "manual", "inputs": inputs, **options}
    run: str = api(page, "POST", "runs/", body)["id"]
    page.goto(f"/packs/{pack}/?run={run}")
    Canvas(page).stand()
    return run


def go_on(page: Page, run: str, event: str) -> None:
    """Answer for the model: take the transition with this event."""
    (pending,) = api(page, "GET", f"runs/{run}/pending/")
    call = {"name": "workflow__transition", "arguments": {"event": event, "context": "So be it."}}
    reply = {"type": "Reply", "key": pending["key"], "text": f"I send {event}."}
    api(page, "POST", f"runs/{run}/signals/", {**reply, "tool_calls": [call]})


def visit(page: Page, state: str, number: int = 1) -> Locator:
    return page.locator(attribute("data-story-visit", f"{state}:{number}"))


def pan_away(page: Page, state: str) -> None:
    """Turn the wheel until the state is above the window."""
    frame = "() => new Promise((done) => requestAnimationFrame(() => done(0)))"
    for _ in range(100):
        if page.evaluate("(state) => window.signalbox.locate(state).y", state) < -100:
            return
        page.mouse.wheel(0, 200)
        page.evaluate(frame)
    raise AssertionError(f"{state} is still in view.")


def test_a_run_has_its_story_and_heat(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    run = started(page)
    side = page.get_by_role("complementary", name="Parts of the pack")
    expect(side.get_by_role("tab", name="Story")).to_have_attribute("aria-selected", "true")
    expect(side.get_by_role("tab", name="Palette")).to_have_count(0)
    go_on(page, run, "ChangeReady")
    go_on(page, run, "ChangesRequested")
    expect(visit(page, "implement", 2)).to_be_visible()

    # A visit in the inspector, its events one click deeper, and an event in the log.
    visit(page, "implement").locator(".story-open").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.locator("[data-visit='1']")).to_contain_text("I send ChangeReady.")
    visit(page, "review").locator(".story-open").click()
    expect(inspector.locator("[data-inspected=review]")).to_contain_text("ChangesRequested")
    visit(page, "review").get_by_role("button", name="Events of review, visit 1").click()
    taken = page.locator("[data-story-event]").filter(has_text="review —ChangesRequested→")
    number = taken.get_attribute("data-story-event")
    taken.click()
    expect(page.get_by_role("region", name="Event", exact=True)).to_contain_text(
        f"{number} transition.taken"
    )
    expect(visit(page, "implement", 2)).to_have_attribute("data-later", "true")

    go_on(page, run, "ChangeReady")
    go_on(page, run, "Rejected")
    heat_of_one_run_and_of_all_runs(page, run)
    page.get_by_role("button", name="Hide the run").click()
    expect(side.get_by_role("tab", name="Palette")).to_have_attribute("aria-selected", "true")


def heat_of_one_run_and_of_all_runs(page: Page, run: str) -> None:
    measure = page.get_by_label("Heat", exact=True)
    measure.select_option("time")
    hot = page.locator(".state-card[data-heat]")
    expect(hot.filter(has_text="implement")).to_have_attribute("data-heat", re.compile("[1-5]"))
    expect(page.locator(".state-card[data-state=done]")).not_to_have_attribute(
        "data-heat", re.compile(".")
    )
    pack, revision = pack_of(page), api(page, "GET", f"runs/{run}/")["revision"]
    api(page, "POST", "runs/", {"pack": int(pack), "driver": "manual", "inputs": {"task": "x"}})
    page.get_by_label("Runs that are summed").select_option("all")
    expect(page.get_by_label("Runs that are summed")).to_have_attribute(
        "title", "The sums of 2 runs"
    )
    sums = api(page, "GET", f"packs/{pack}/heat/?revision={revision}")["states"]
    assert {one["state"]: one["visits"] for one in sums}["implement"] == 3
    measure.select_option("")
    expect(hot).to_have_count(0)


def test_a_walk_of_a_rehearsal_opens_as_a_run(page: Page) -> None:
    open_sample(page, "promptpack/code-review", "Walked")
    page.get_by_role("tab", name="Rehearsal").click()
    walk = page.locator("[data-walk='2']")
    walk.click()
    expect(page.locator("[data-story-mark='run.finished']")).to_be_visible()
    expect(visit(page, "implement")).to_be_visible()

    way = page.locator('[data-shortest="review|ChangesRequested|implement"]')
    way.click()
    expect(page.locator("[data-run-at]")).not_to_have_text(re.compile(r"^(\d+)/\1$"))
    taken = page.locator("[data-transition='review|ChangesRequested|implement']").first
    expect(taken).to_have_attribute("data-visits", "1")


@pytest.mark.slow
def test_times_tick_between_events(page: Page) -> None:
    run = started(page)
    time = visit(page, "implement").locator(".story-line").first
    expect(page.locator(".question").first).to_be_visible()
    newest = api(page, "GET", f"runs/{run}/events/")["last"]
    expect(page.locator("[data-run-at]")).to_have_text(f"{newest}/{newest}")
    last = page.locator("[data-run-at]").inner_text()
    before = time.inner_text()
    expect(time).not_to_have_text(before)
    assert page.locator("[data-run-at]").inner_text() == last
    api(page, "POST", f"runs/{run}/signals/", {"type": "cancel"})
    expect(page.locator("[data-story-mark='run.finished']")).to_be_visible()


@pytest.mark.slow
def test_a_wait_for_a_person_is_no_work_and_has_an_amber_bar(page: Page) -> None:
    run = started(page)
    page.goto(f"/runs/{run}/")
    expect(page.locator(".question").first).to_be_visible()
    expect(visit(page, "implement").locator(".story-bar[data-waited]")).to_have_count(1)
    expect(page.locator("[data-story-totals] [data-waited]")).to_be_visible()
    expect(page.locator(".pane.right [data-total='Worked']")).to_have_text(re.compile(r" ms$"))
    places = [".pane.right [data-total='Waited for people']", "[data-story-totals] [data-waited]"]
    result, story = page.evaluate(
        "(places) => places.map((one) => parseFloat(document.querySelector(one).textContent))",
        places,
    )
    assert abs(result - story) <= 0.5


def wait_for_place(page: Page, place: Locator, condition: str) -> None:
    page.wait_for_function(f"place => {condition}", arg=place.element_handle())


@pytest.mark.slow
def test_following_keeps_the_active_state_in_view(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    run = started(page)
    expect(visit(page, "implement")).to_be_visible()
    expect(page.locator(".question").first).to_be_visible()
    canvas = page.get_by_role("main", name="Canvas")
    box = canvas.bounding_box() or {}
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    review = page.locator(".state-card[data-state=review]")
    pan_away(page, "review")
    go_on(page, run, "ChangeReady")
    expect(review).to_be_in_viewport(ratio=0.99)

    expect(page.locator(".question").first).to_contain_text("review")
    page.get_by_role("checkbox", name="Follow the run").click()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    pan_away(page, "implement")
    go_on(page, run, "ChangesRequested")
    expect(visit(page, "implement", 2)).to_be_visible()
    assert page.evaluate("window.signalbox.locate('implement').y") < 0

    page.set_viewport_size({"width": 1280, "height": 520})
    page.goto(f"/runs/{run}/")
    log = page.get_by_role("listbox", name="Events")
    story = page.get_by_role("list", name="Visits")
    follow = page.get_by_role("checkbox", name="Follow the run")
    expect(page.locator(".question").first).to_contain_text("implement")
    for place in (log, story):
        expect(follow).to_be_checked()
        wait_for_place(page, place, "place.scrollTop > 0")
        place.hover()
        page.mouse.wheel(0, -10_000)
        wait_for_place(page, place, "place.scrollTop === 0")
    expect(follow).not_to_be_checked()
    go_on(page, run, "ChangeReady")
    expect(page.locator(".question").first).to_contain_text("review")
    assert log.evaluate("place => place.scrollTop") == 0
    assert story.evaluate("place => place.scrollTop") == 0


@pytest.mark.slow
def test_the_context_menu_of_a_state_in_a_run(page: Page) -> None:
    run = started(page)
    card = page.locator(".state-card[data-state=review]")
    card.click(button="right")
    menu = page.get_by_role("menu", name="Actions for review")
    expect(menu.get_by_role("menuitem", name="Open its 0 visits")).to_be_disabled()
    menu.get_by_role("menuitem", name="Set a breakpoint").click()
    expect(card).to_have_attribute("data-breakpoint", "true")
    go_on(page, run, "ChangeReady")
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "paused")
    card.click(button="right")
    menu.get_by_role("menuitem", name="Clear the breakpoint").click()
    expect(card).not_to_have_attribute("data-breakpoint", "true")

    worker = page.locator(".state-card[data-state=implement]")
    worker.click(button="right")
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    worker.click(button="right")
    page.get_by_role("menuitem", name="Open its visit").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.locator("[data-inspected=implement]")).to_be_visible()


@pytest.mark.slow
def test_the_canvas_keeps_half_of_a_small_window(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    run = started(page)
    for address in (page.url, f"/runs/{run}/"):
        page.goto(address)
        Canvas(page).stand()
        expect(page.locator(".question").first).to_be_visible()
        box = page.get_by_role("main", name="Canvas").bounding_box() or {}
        assert box["width"] >= MINIMUM * 1280
        assert box["height"] >= MINIMUM * 800 - 1
        bars = page.locator(".run-bar, .shell > header, .pane-head")
        overflowing = bars.evaluate_all(
            "all => all.filter(one => one.scrollWidth > one.clientWidth + 1)"
            ".map(one => one.className)"
        )
        assert overflowing == []


@pytest.mark.slow
def test_a_runs_own_page_shows_its_result_until_a_state_is_chosen(page: Page) -> None:
    open_sample(page, "promptpack/code-review", "Own page")
    pack = int(pack_of(page))
    run = api(page, "POST", "runs/", {"pack": pack, "driver": "rehearsal", "seed": 3})["id"]
    page.goto(f"/runs/{run}/")
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.locator("[data-result=completed]")).to_be_visible()
    expect(inspector.locator("[data-answer]")).to_have_text("Rehearsed answer in done.")
    inspector.get_by_role("tab", name="Setup").click()
    expect(inspector.locator(".form-title, [data-rename]").first).to_be_visible()
    visit(page, "review").get_by_role("button").last.click()
    expect(inspector.locator("[data-inspected=review]")).to_be_visible()


@pytest.mark.slow
def test_a_fitted_graph_stays_fitted_when_the_canvas_is_resized(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    open_sample(page, "promptpack/code-review", "Fitted")
    canvas = Canvas(page)
    canvas.stand()
    page.keyboard.press("Shift+1")
    zoom = page.get_by_role("button", name=re.compile(r"^Zoom \d+ %"))
    expect(zoom).to_have_text("100%")
    page.get_by_role("tab", name="Findings").click()
    expect(zoom).not_to_have_text("100%")
    below = page.get_by_role("toolbar", name="View").bounding_box()
    assert below is not None
    for state in ("implement", "review", "done", "give_up"):
        box = page.locator(attribute("data-state", state)).bounding_box()
        assert box is not None
        apart = box["x"] >= below["x"] + below["width"] or box["y"] + box["height"] <= below["y"]
        assert apart, state
