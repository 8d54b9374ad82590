"""A run whose log comes in pages: what the page shows before it has the last of them."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.page_actions import api, open_sample, pack_of

FIRST = 6
"""Events of the first page."""


@pytest.mark.slow
def test_a_part_of_a_log_is_shown_as_a_part(page: Page) -> None:
    open_sample(page, "promptpack/code-review", "Long")
    body = {"pack": int(pack_of(page)), "driver": "rehearsal", "inputs": {"task": "Say hello."}}
    run = api(page, "POST", "runs/?wait_ms=1000", body)["id"]
    last = api(page, "GET", f"runs/{run}/events/")["last"]
    held: list[Route] = []

    def paged(route: Route) -> None:
        """The first page is short, the others wait."""
        after = parse_qs(urlsplit(route.request.url).query)["after"]
        if after == ["0"]:
            route.continue_(url=route.request.url.replace("limit=1000", f"limit={FIRST}"))
        else:
            held.append(route)

    page.route(re.compile(r"/events/\?after="), paged)
    results: list[str] = []
    page.on("request", lambda one: results.append(one.url) if "/result/" in one.url else None)
    page.goto(f"/runs/{run}/")
    note = page.get_by_role("group", name="Position in the log").locator("[data-run-loading]")
    expect(note).to_have_text(f"Loading: {FIRST} of {last} events")
    expect(page.locator("[data-story-totals]")).to_contain_text(f"Loading: {FIRST} of {last}")
    # The end is known before its event is loaded; no state is shown as active.
    expect(page.locator("[data-run-status=completed]")).to_be_visible()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_have_count(0)
    expect(page.locator("[data-active=true]")).to_have_count(0)
    assert results == []

    # The loaded part can be searched and gone through.
    page.get_by_role("tab", name="Log").click()
    search = page.get_by_role("search", name="Run log")
    expect(search).to_contain_text(f"Loading: {FIRST} of {last} events")
    page.get_by_role("button", name="One event back (,)").click()
    expect(page.locator("[data-run-at]")).to_have_text(f"{FIRST - 1}/{FIRST}")

    (rest,) = held
    rest.continue_()
    # The shown event stays when the rest follows.
    expect(page.locator("[data-run-at]")).to_have_text(f"{FIRST - 1}/{last}")
    expect(page.locator("[data-run-loading]")).to_have_count(0)
    page.get_by_label("Search the log").click()
    page.keyboard.type("run.finished")
    expect(page.locator("[data-matches='1']")).to_be_visible()
    page.get_by_role("button", name="To the newest").click()
    expect(page.locator("[data-run-at]")).to_have_text(f"{last}/{last}")
    expect(page.locator("[data-result-line=completed]")).to_be_visible()
    assert len(results) == 1
