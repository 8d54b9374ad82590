"""The server goes away and comes back: nothing made meanwhile is lost, and nothing is hidden."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, open_sample, text_of, type_into
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
