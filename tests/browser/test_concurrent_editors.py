"""Two people at one pack: each sees the other's work, and neither loses their own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Opening, new_context, sign_in
from tests.browser.page_actions import Canvas, head_of, open_sample, pack_of, text_of, type_into
from tests.browser.page_monitor import PageMonitor
from tests.support.live_server import LiveServer


@pytest.fixture(scope="session")
def colleague(server: LiveServer, browser: Browser, signed_in: Any) -> Any:
    """The cookies of a second person, invited on the settings page."""
    page = new_context(browser, server, signed_in).new_page()
    page.goto("/settings/")
    type_into(page.get_by_label("Name of a new person"), "colleague")
    page.get_by_role("button", name="Add the person").click()
    link = page.locator("[data-fresh-link]").inner_text()
    page.context.close()
    return sign_in(link)


def _share(page: Page, name: str) -> None:
    """Share the pack for editing, on its share page."""
    tab = page.context.new_page()
    tab.goto(f"/share/packs/{pack_of(page)}/")
    tab.get_by_label("Share with", exact=True).select_option(label=name)
    tab.get_by_label("The new share allows").select_option("edit")
    tab.get_by_role("button", name="Save").click()
    expect(tab.locator(f'[data-share-with="user:{name}"]')).to_be_visible()
    tab.close()


def _beside(page: Page, server: LiveServer, opening: Opening, colleague: Any) -> Canvas:
    """The same pack, shared and open in a colleague's browser."""
    _share(page, "colleague")
    other = opening(server, colleague).new_page()
    other.goto(page.url)
    canvas = Canvas(other)
    canvas.stand()
    return canvas


def _describe(page: Page, text: str) -> None:
    inspector = page.get_by_role("complementary", name="Inspector")
    rare = inspector.get_by_role("button", name="Rarely used")
    if rare.get_attribute("aria-expanded") == "false":
        rare.click()
    field = inspector.get_by_role("textbox", name="Description")
    type_into(field, text)
    page.keyboard.press("Control+Enter")


def test_two_see_each_others_edits_and_both_sides_of_a_conflict(
    server: LiveServer, opening: Opening, signed_in: Any, colleague: Any, watch: PageMonitor
) -> None:
    watch.pardon(r"status of 409.*/edits/|ERR_INTERNET_DISCONNECTED|WebSocket connection")
    page = opening(server, signed_in).new_page()
    mine = open_sample(page, "promptpack/code-review", "together")
    theirs = _beside(page, server, opening, colleague)
    expect(page.get_by_role("list", name="Also here")).to_be_visible()

    mine.rename("give_up", "abandon")
    expect(theirs.state("abandon")).to_have_count(1)
    expect(theirs.transition("review", "Rejected", "abandon")).to_have_count(1)

    theirs.draw_arrow("implement", "done", "NothingToDo")
    theirs.wait_saved()
    expect(mine.transition("implement", "NothingToDo", "done")).to_have_count(1)

    page.locator(".react-flow").press("Control+z")
    expect(mine.state("give_up")).to_have_count(1)
    expect(theirs.state("give_up")).to_have_count(1)
    expect(mine.transition("implement", "NothingToDo", "done")).to_have_count(1)
    expect(theirs.transition("implement", "NothingToDo", "done")).to_have_count(1)
    theirs.wait_saved()

    # Both write into one field.
    head = head_of(page)
    mine.state("review").click()
    theirs.state("review").click()
    expect(
        page.get_by_role("complementary", name="Inspector").get_by_label("Id", exact=True)
    ).to_have_value("review")

    # The connection is cut, so that my edit reaches the server with an older revision.
    page.context.set_offline(True)
    _describe(page, "My words")
    expect(page.locator("[data-saved]")).to_have_attribute("data-saved", "false")
    _describe(theirs.page, "Their words")
    theirs.wait_saved()
    page.context.set_offline(False)

    dialog = page.get_by_role("dialog", name="Another person changed the same place")
    expect(dialog).to_be_visible()
    place = dialog.locator(".conflict-place")
    expect(place.get_by_label("Theirs")).to_contain_text("Their words")
    expect(place.get_by_label("Yours")).to_contain_text("My words")
    assert _description(theirs.page) == "Their words"

    dialog.get_by_role("button", name="Put mine on top of theirs").click()
    mine.wait_saved()
    assert _description(page) == "My words"
    # Typed words are one revision or several.
    assert head_of(page) >= head + 2, "their words are in the history"


def _description(page: Page) -> str:
    said: str = json.loads(text_of(page))["workflow"]["states"]["review"]["description"]
    return said


@pytest.mark.slow
def test_words_typed_at_one_place_in_two_windows_are_both_shown(page: Page) -> None:
    """A text is not stored while another person's change of its field is on its way."""
    page.clock.install()
    open_sample(page, "promptpack/code-review", "words")
    other = page.context.new_page()
    other.goto(page.url)
    Canvas(other).stand()
    for tab in (page, other):
        Canvas(tab).state("implement").click()
        expect(tab.locator(".prompt-section .cm-content")).to_be_visible()
    page.route("**/fields/**", lambda route: None)
    with page.expect_request("**/fields/**"):
        _write(other, " Theirs")
        Canvas(other).wait_saved()
    _write(page, " Mine")
    page.clock.run_for(2_000)
    assert " Mine" not in text_of(page)
    page.unroute("**/fields/**")  # The held requests continue.
    page.clock.resume()
    prompt = page.locator(".prompt-section")
    expect(prompt.get_by_role("alert")).to_contain_text("Theirs")
    expect(prompt.locator(".cm-content")).to_contain_text("Mine")
    assert " Theirs" in text_of(page)


def _write(page: Page, words: str) -> None:
    page.locator(".prompt-section .cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(words)
