"""The page of a run without a worker, and the status page, name the missing worker."""

from __future__ import annotations

import signal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, open_sample
from tests.support.live_server import LiveServer


@pytest.fixture
def page(own_server_page: Page) -> Page:
    return own_server_page


@pytest.mark.slow
def test_a_run_without_a_worker_shows_its_wait_until_a_worker_runs(
    page: Page, own_server: LiveServer
) -> None:
    open_sample(page, "promptpack/customer-support", "waiting")
    pack = int(page.url.split("/")[-2])
    own_server.end(signal.SIGTERM)
    own_server.settings["SIGNALBOX_WORKER"] = "none"
    own_server.start()
    run = api(page, "POST", "runs/", {"pack": pack, "driver": "rehearsal", "seed": 3})["id"]
    page.goto(f"/runs/{run}/")
    wait = page.locator("[data-run-wait=worker]")
    expect(wait).to_contain_text("Waiting for a worker since")
    expect(wait).to_contain_text("No worker is running.")

    page.goto("/settings/status/")
    expect(page.locator("[data-status-warnings]")).to_contain_text("No worker is running")
    expect(page.get_by_role("link", name="the oldest")).to_have_attribute("href", f"/runs/{run}/")

    own_server.end(signal.SIGTERM)
    own_server.settings["SIGNALBOX_WORKER"] = "embedded"
    own_server.start()
    page.goto(f"/runs/{run}/")
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "completed")
    expect(wait).to_have_count(0)
    page.goto("/settings/status/")
    expect(page.locator("[data-status-workers] tbody tr")).to_have_count(1)
    expect(page.locator("[data-status-ok]")).to_be_visible()
