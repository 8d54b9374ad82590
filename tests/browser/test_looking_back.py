"""Going on from the middle of a run that is over."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from tests.browser.hands import open_sample


def test_a_run_is_forked_where_the_person_looks_and_saved_as_a_script(page: Page) -> None:
    open_sample(page, "promptpack/code-review", "forked")
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_label("Rehearsal").check()
    dialog.get_by_label("Delay per answer").fill("0")
    dialog.get_by_role("button", name="Run").click()
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "completed")

    page.get_by_role("button", name="More of this run").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="Save as a script").click()
    script = json.loads(saved.value.path().read_text())
    assert script["expects"]["status"] == "completed"

    page.get_by_label("Event shown").fill("6")
    page.get_by_role("button", name="More of this run").click()
    page.get_by_role("menuitem", name="Fork from here…").click()
    fork = page.get_by_role("dialog", name="Fork this run")
    fork.get_by_label("Who answers from here").select_option("manual")
    fork.get_by_role("button", name="Fork", exact=True).click()
    page.wait_for_url(re.compile(r"/runs/[0-9a-f-]+/$"))
    expect(page.locator("[data-forked-from]")).to_have_text(re.compile(r"fork at \d"))
    expect(page.get_by_role("region", name="Waiting for you")).to_be_visible()


def test_a_run_stops_at_a_breakpoint_and_runs_on_until_here(page: Page) -> None:
    canvas = open_sample(page, "promptpack/code-review", "stopping")
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_label("Rehearsal").check()
    dialog.get_by_label("Delay per answer").fill("0")
    dialog.get_by_label("Start paused").check()
    dialog.get_by_role("button", name="Run").click()
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "paused")

    review = canvas.state("review")
    review.click()
    page.keyboard.press("F9")
    expect(review).to_have_attribute("data-breakpoint", "true")
    page.get_by_role("button", name="Resume").click()
    expect(status).to_contain_text("breakpoint: review")
    expect(review).to_have_attribute("data-active", "true")

    review.click()
    page.keyboard.press("F9")
    expect(review).not_to_have_attribute("data-breakpoint", "true")
    canvas.state("implement").click()
    page.keyboard.press("Shift+F9")
    expect(status).to_contain_text("breakpoint: implement")
    page.get_by_role("button", name="Resume").click()
    expect(status).to_have_attribute("data-run-status", "completed")
