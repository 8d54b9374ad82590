"""The server goes away and comes back: nothing made meanwhile is lost, and nothing is hidden."""

from __future__ import annotations

import json
import signal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, open_sample, text_of, type_into
from tests.support.live_server import LiveServer


@pytest.fixture
def page(own_server_page: Page) -> Page:
    return own_server_page


def test_an_edit_made_without_a_server_is_kept_and_saved_when_it_is_back(
    page: Page, own_server: LiveServer
) -> None:
    canvas = open_sample(page, "promptpack/code-review", "without-server")
    own_server.stop()
    canvas.state("give_up").click()
    page.keyboard.press("F2")
    type_into(page.get_by_label("New name for give_up"), "abandon")
    page.keyboard.press("Enter")
    indicator = page.locator("[data-saved]")
    expect(indicator).to_have_attribute("data-saved", "false")
    expect(indicator).to_contain_text("the server cannot be reached")
    expect(canvas.state("abandon")).to_have_count(1)

    own_server.start()
    expect(indicator).to_have_attribute("data-saved", "true")
    states = json.loads(text_of(page))["workflow"]["states"]
    assert "abandon" in states
    assert "give_up" not in states


@pytest.mark.slow
def test_an_edit_made_without_a_server_outlives_its_tab(page: Page, own_server: LiveServer) -> None:
    canvas = open_sample(page, "promptpack/code-review", "closed-tab")
    address = page.url
    own_server.stop()
    canvas.state("review").click()
    page.keyboard.press("Delete")
    expect(canvas.state("review")).to_have_count(0)
    expect(page.locator("[data-saved]")).to_have_attribute("data-saved", "false")
    context = page.context
    page.close()

    own_server.start()
    later = context.new_page()
    later.goto(address)
    expect(later.get_by_text("had not been saved was sent again")).to_be_visible()
    expect(Canvas(later).state("review")).to_have_count(0)
    Canvas(later).wait_saved()
    assert "review" not in json.loads(text_of(later))["workflow"]["states"]


@pytest.mark.slow
def test_a_stale_run_is_marked_and_catches_up_to_the_end(
    page: Page, own_server: LiveServer
) -> None:
    open_sample(page, "promptpack/customer-support", "stale")
    made = api(
        page,
        "POST",
        "runs/",
        {"pack": int(page.url.split("/")[-2]), "driver": "rehearsal", "seed": 3, "delay_ms": 700},
    )
    page.goto(f"/runs/{made['id']}/")
    status = page.locator(".run-area [data-run-status]")
    expect(page.get_by_role("option").nth(4)).to_be_attached()
    expect(status).to_have_attribute("data-run-status", "running")
    own_server.end(signal.SIGKILL)
    stale = page.get_by_role("alert").filter(has_text="Stale since")
    expect(stale).to_be_visible()
    expect(stale).to_contain_text("what you see may be behind")
    seen = page.get_by_label("Event shown").input_value()

    own_server.start()
    expect(stale).to_have_count(0)
    expect(status).to_have_attribute("data-run-status", "completed")
    assert int(page.get_by_label("Event shown").input_value()) > int(seen), "without a reload"
    answer = api(page, "GET", f"runs/{made['id']}/events/?after=0")
    numbers = [event["n"] for event in answer["events"]]
    assert numbers == list(range(1, answer["last"] + 1))
    log = page.get_by_role("listbox", name="Events")
    expect(log.get_by_role("option").last).to_contain_text(str(answer["last"]))
    shown = [int(one) for one in log.locator(".n").all_inner_texts()]
    assert shown == list(range(shown[0], answer["last"] + 1)), "rows in view have no gap"
