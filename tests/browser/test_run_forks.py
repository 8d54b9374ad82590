"""Forks from the middle of a finished run."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, open_sample, pack_of, type_into

SCRIPTED = [{"event": "ChangeReady"}, {"event": "Approved"}, {"text": "All is well."}]


def test_a_run_stops_at_breakpoints_and_is_forked(page: Page) -> None:
    canvas = open_sample(page, "promptpack/code-review", "stopping")
    review = canvas.state("review")
    review.click()
    page.keyboard.press("F9")
    expect(review).to_have_attribute("data-breakpoint", "true")
    page.reload()
    expect(review).to_have_attribute("data-breakpoint", "true")

    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_label("Rehearsal").check()
    type_into(dialog.get_by_label("Delay per answer"), "0")
    expect(dialog.get_by_label("Pause at the breakpoint")).to_be_checked()
    dialog.get_by_role("button", name="Run").click()
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_contain_text("breakpoint: review")
    expect(review).to_have_attribute("data-active", "true")

    review.click()
    page.keyboard.press("F9")
    expect(review).not_to_have_attribute("data-breakpoint", "true")
    canvas.state("implement").click()
    page.keyboard.press("Shift+F9")
    expect(status).to_contain_text("breakpoint: implement")
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(status).to_have_attribute("data-run-status", "completed")
    is_saved_as_a_script_and_forked_where_the_person_looks(page)


def is_saved_as_a_script_and_forked_where_the_person_looks(page: Page) -> None:
    """The completed run that is shown."""
    page.get_by_role("button", name="More of this run").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="Save as a script").click()
    script = json.loads(saved.value.path().read_text())
    assert script["expects"]["status"] == "completed"

    page.get_by_label("Event shown").fill("6")
    page.get_by_role("button", name="More of this run").click()
    page.get_by_role("menuitem", name="Fork from here…").click()
    fork = page.get_by_role("dialog", name="Fork this run")
    fork.get_by_role("radio", name="Manual").check()
    fork.get_by_role("button", name="Fork", exact=True).click()
    page.wait_for_url(re.compile(r"/runs/[0-9a-f-]+/$"))
    expect(page.locator("[data-forked-from]")).to_have_text(re.compile(r"fork at \d"))
    expect(page.get_by_role("region", name="Waiting for you")).to_be_visible()


def noted(words: str, event: str) -> dict[str, Any]:
    """A reply that stores a note of the review and continues."""
    note = {"name": "review_notes", "value": words}
    calls = {"workflow__set_artifact": note, "workflow__transition": {"event": event}}
    return {"tool_calls": [{"name": name, "arguments": given} for name, given in calls.items()]}


REVIEWED = [
    {"event": "ChangeReady"},
    noted("Line 3 is wrong.\n", "ChangesRequested"),
    {"event": "ChangeReady"},
    noted("Line 9 is wrong too.\n", "ChangesRequested"),
    *SCRIPTED,
]


def ran(page: Page, pack: str, replies: list[dict[str, Any]]) -> dict[str, Any]:
    """A run of the pack with these replies, over and shown on its page."""
    body = {"pack": int(pack), "driver": "script", "script": {"replies": replies}}
    made: dict[str, Any] = api(page, "POST", "runs/", body)
    page.goto(f"/runs/{made['id']}/")
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "completed")
    return made


def search_events_with_the_keyboard(page: Page, made: dict[str, Any]) -> None:
    """In the shown run of `REVIEWED`."""
    found = api(page, "GET", f"runs/{made['id']}/events/?search=line%209")["events"]
    numbers = [event["n"] for event in found]
    assert len(numbers) > 2
    at = page.locator("[data-run-at]")
    page.keyboard.press("Control+Shift+f")
    box = page.get_by_role("searchbox", name="Search the log")
    expect(box).to_be_focused()
    page.keyboard.type("Line 9")
    expect(page.locator("[data-matches]")).to_have_attribute("data-matches", str(len(numbers)))
    for key, shown in (("Enter", 0), ("F3", 1), ("Shift+F3", 0), ("Shift+Enter", -1)):
        page.keyboard.press(key)
        expect(at).to_have_attribute("data-run-at", str(numbers[shown]))
    expect(page.get_by_role("region", name="Event").locator("mark").first).to_have_text(
        re.compile("line 9", re.IGNORECASE)
    )
    rows = page.get_by_role("listbox", name="Events").get_by_role("option")
    page.get_by_label("Type").select_option("artifact.set")
    expect(rows).to_have_count(2)
    page.get_by_label("Type").select_option("")
    page.get_by_label("Only matches").check()
    expect(rows).to_have_count(len(numbers))
    page.get_by_label("Only matches").uncheck()
    page.get_by_role("combobox", name="State").select_option("done")
    taken = api(page, "GET", f"runs/{made['id']}/events/?state=done")["events"]
    expect(rows).to_have_count(len(taken))


def test_events_of_a_run_are_searched_and_two_runs_are_compared(page: Page) -> None:
    open_sample(page, "promptpack/code-review", "compared")
    pack = pack_of(page)
    first = ran(page, pack, SCRIPTED)
    second = ran(page, pack, REVIEWED)
    search_events_with_the_keyboard(page, second)
    page.goto("/runs/?" + urlencode({"pack": pack}))
    compare = page.get_by_role("button", name="Compare two")
    expect(compare).to_be_disabled()
    for box in page.get_by_role("checkbox").all():
        box.check()
    compare.click()
    page.wait_for_url(f"**/runs/{first['id']}/compare/{second['id']}/")
    parted = page.locator("[data-departs]")
    expect(parted).to_contain_text("Approved → done")
    expect(parted).to_contain_text("ChangesRequested → implement")
    expect(parted).to_contain_text("Line 3 is wrong.")
    parted.get_by_title(re.compile("Show the run at event")).last.click()
    page.wait_for_url(re.compile(rf"/runs/{second['id']}/\?at=\d+$"))
    entered = page.url.rpartition("=")[2]
    expect(page.locator("[data-run-at]")).to_have_attribute("data-run-at", entered)
    page.get_by_role("button", name="More of this run").click()
    page.get_by_role("menuitem", name="Compare with the run before").click()
    page.wait_for_url(f"**/runs/{first['id']}/compare/{second['id']}/")
