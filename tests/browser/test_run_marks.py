"""Tags, notes, scores, saved filters and actions on several runs, with mouse and keys."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, open_sample, pack_of
from tests.browser.page_monitor import PageMonitor


def test_a_run_is_marked_and_found_by_its_tag(page: Page, watch: PageMonitor) -> None:
    watch.pardon(r"status of 400 .*/runs/")
    open_sample(page, "promptpack/customer-support", "marked")
    pack = int(pack_of(page))
    run = api(page, "POST", "runs/", {"pack": pack, "driver": "manual"})["id"]
    api(page, "POST", "runs/", {"pack": pack, "driver": "manual"})
    page.goto(f"/runs/{run}/")
    page.get_by_role("button", name="More of this run").click()
    page.get_by_role("menuitem", name="Tags, note and score").click()
    dialog = page.get_by_role("dialog", name="Tags, note and score")
    expect(dialog.get_by_label("Tags")).to_be_focused()
    page.keyboard.type("odd <one>")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("cannot be a tag")
    dialog.get_by_label("Tags").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("nightly, to discuss")
    dialog.get_by_label("Note").click()
    page.keyboard.type("The second answer is wrong.")
    dialog.get_by_role("button", name="Bad").click()
    dialog.get_by_label("Comment on the score").click()
    page.keyboard.type("Too long.")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)

    page.goto(f"/runs/?pack={pack}")
    expect(page.locator("[data-run]")).to_have_count(2)
    row = page.locator(f"[data-run='{run}']")
    expect(row.locator("[data-score]")).to_contain_text("-1")
    expect(row.get_by_role("img", name="note")).to_have_attribute(
        "title", "The second answer is wrong."
    )
    row.get_by_role("link", name="to discuss").click()
    expect(page.locator("[data-run]")).to_have_count(1)
    page.get_by_label("Name of this filter").click()
    page.keyboard.type("To discuss")
    page.keyboard.press("Enter")
    saved = page.locator("[data-filter='To discuss']")
    expect(saved.get_by_role("link")).to_have_attribute("aria-current", "true")
    page.goto("/runs/")
    saved.get_by_role("link").click()
    expect(page.locator("[data-run]")).to_have_count(1)
    page.get_by_role("button", name="Delete the filter To discuss").click()
    expect(saved).to_have_count(0)


def test_several_runs_are_cancelled_retried_and_exported(page: Page, tmp_path: Path) -> None:
    open_sample(page, "promptpack/customer-support", "many")
    pack = int(pack_of(page))
    for _ in range(3):
        api(page, "POST", "runs/", {"pack": pack, "driver": "manual"})
    page.goto(f"/runs/?pack={pack}")
    boxes = page.get_by_role("checkbox", name="Choose the run of")
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_disabled()
    boxes.first.focus()
    page.keyboard.press("Space")
    boxes.nth(1).focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("2 chosen")).to_be_visible()
    expect(page.get_by_role("button", name="Compare two")).to_be_enabled()
    page.get_by_role("checkbox", name="Choose all runs of this page").click()
    expect(page.get_by_text("3 chosen")).to_be_visible()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("Cancelled 3 runs.")).to_be_visible()
    expect(page.locator("[data-run-status=cancelled]")).to_have_count(3)

    boxes.first.click()
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("Started 1 run.")).to_be_visible()
    expect(page.locator("[data-run]")).to_have_count(4)
    page.get_by_role("checkbox", name="Choose all runs of this page").click()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("3 runs were not cancelled:")).to_be_visible()

    with page.expect_download() as download:
        page.get_by_role("button", name="JSON lines").click()
    place = tmp_path / "runs.jsonl"
    download.value.save_as(place)
    rows = [json.loads(line) for line in place.read_text().splitlines()]
    assert {row["pack"] for row in rows} == {pack}
    assert len(rows) == 4
