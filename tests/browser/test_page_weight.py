"""Requests and bytes of the editor, counted by the browser: only the code that the page shows, once
per browser, and a run without requests for what its start has answered."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, open_sample

HIDE_INSPECTOR = """localStorage.setItem("signalbox.panes", '{"right": false}')"""
MOST_BYTES = 240_000
"""Of the page, its scripts and its data. The worker of the layout is loaded after the drawing."""


class Traffic:
    """Paths and bytes of a page's requests, as the DevTools protocol reports them."""

    def __init__(self, page: Page) -> None:
        self.paths: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self.cached: set[str] = set()
        session = page.context.new_cdp_session(page)
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.loadingFinished", self._finished)
        session.on("Network.requestServedFromCache", self._from_cache)
        session.send("Network.enable")

    def _sent(self, message: dict[str, Any]) -> None:
        self.paths[message["requestId"]] = urlsplit(message["request"]["url"]).path

    def _finished(self, message: dict[str, Any]) -> None:
        if (path := self.paths.get(message["requestId"])) is not None:
            self.sizes[path] = int(message["encodedDataLength"])

    def _from_cache(self, message: dict[str, Any]) -> None:
        self.cached.add(self.paths.get(message["requestId"], ""))

    @property
    def cached_assets(self) -> set[str]:
        """Files that came from the browser's own cache."""
        return self.cached | {path for path, size in self.assets.items() if size == 0}

    @property
    def assets(self) -> dict[str, int]:
        return {path: size for path, size in self.sizes.items() if path.startswith("/static/")}


SAVED_LAYOUTS = """() => new Promise((done) => {
  const opening = indexedDB.open("signalbox-layouts");
  opening.onsuccess = () => {
    const database = opening.result;
    const finish = (count) => { database.close(); done(count); };
    if (!database.objectStoreNames.contains("layouts")) return finish(0);
    const counting = database.transaction("layouts").objectStore("layouts").count();
    counting.onsuccess = () => finish(counting.result);
  };
})"""


def wait_drawn(page: Page) -> None:
    expect(page.locator("[data-state]").first).to_be_visible()
    page.wait_for_load_state("networkidle")


def test_the_page_loads_what_it_shows_and_keeps_it(page: Page) -> None:
    open_sample(page, "promptpack/customer-support", "Support")
    address = page.url
    context = page.context.browser.new_context(  # type: ignore[union-attr]
        storage_state=page.context.storage_state(), viewport={"width": 1440, "height": 900}
    )
    # The form of this pack has a long text, and with it the text editor.
    context.add_init_script(HIDE_INSPECTOR)
    fresh = context.new_page()
    first = Traffic(fresh)
    fresh.goto(address)
    wait_drawn(fresh)
    assert sum(first.sizes.values()) < MOST_BYTES, first.sizes
    for panel in ("HelpDialog", "StartDialog", "CodeMirrorEditor", "RunLog", "HistoryView"):
        assert not [path for path in first.assets if panel in path]
    # Real keys, and the dialog that they open.
    fresh.keyboard.press("?")
    expect(fresh.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    second = context.new_page()
    again = Traffic(second)
    second.goto(address)
    wait_drawn(second)
    assert [path for path in first.assets if path in again.assets]
    assert not [path for path in again.assets if path not in again.cached_assets], again.assets
    context.close()


@pytest.mark.slow
def test_a_started_run_is_shown_from_the_answer_to_its_start(page: Page) -> None:
    open_sample(page, "promptpack/customer-support", "Support")
    pack = urlsplit(page.url).path.split("/")[2]
    stored = json.dumps({"delay": "0"})
    page.evaluate(
        "([name, text]) => localStorage.setItem(name, text)", [f"signalbox.start.{pack}", stored]
    )
    requests: list[str] = []
    page.on("request", lambda one: requests.append(f"{one.method} {urlsplit(one.url).path}"))
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("dialog", name="Run").get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("[data-run-status=completed]")).to_be_visible()
    run = api(page, "GET", f"runs/?pack={pack}")["results"][0]["id"]
    last = api(page, "GET", f"runs/{run}/")["last"]
    expect(page.locator(f'[data-run-at="{last}"]')).to_be_visible()
    assert "POST /api/v1/runs/" in requests
    assert f"GET /api/v1/runs/{run}/" not in requests
    assert f"GET /api/v1/runs/{run}/events/" not in requests


@pytest.mark.slow
def test_a_graph_that_was_laid_out_is_drawn_without_the_layout_worker(page: Page) -> None:
    first: list[str] = []
    page.on("worker", lambda one: first.append(one.url))
    canvas = open_sample(page, "promptpack/customer-support", "Support")
    states = canvas.states()
    assert [one for one in first if "elk" in one]
    boxes = {name: canvas.state(name).bounding_box() for name in states}
    page.wait_for_function(SAVED_LAYOUTS)
    again = page.context.new_page()
    workers: list[str] = []
    again.on("worker", lambda one: workers.append(one.url))
    again.goto(page.url)
    wait_drawn(again)
    second = type(canvas)(again)
    assert {name: second.state(name).bounding_box() for name in states} == boxes
    assert not [one for one in workers if "elk" in one], workers
