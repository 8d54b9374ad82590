"""A pack's triggers: a webhook made, called from outside, seen in the run; a schedule previewed."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.request import Request, urlopen

from playwright.sync_api import Page, expect

from tests.browser.page_actions import PATIENCE, api, attribute, type_into


def deliver(address: str, secret: str, body: dict[str, Any]) -> dict[str, Any]:
    """The request of an external program."""
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    request = Request(address, json.dumps(body).encode(), headers, method="POST")
    with urlopen(request, timeout=PATIENCE / 1000) as answer:
        assert answer.status == 202
        said: dict[str, Any] = json.loads(answer.read())
        return said


def test_a_webhook_is_made_and_called_and_its_run_is_kept(page: Page) -> None:
    made = api(
        page, "POST", "packs/", {"sample": "promptpack/customer-support", "name": "Triggered"}
    )
    page.goto(f"/packs/{made['id']}/")
    page.get_by_role("link", name="Triggers").click()
    expect(page.locator("[data-empty=triggers]")).to_be_visible()

    form = page.locator("form[data-add=webhook]")
    type_into(form.get_by_label("Name", exact=True), "New issue")
    form.get_by_label("Answered by").select_option("manual")
    type_into(form.get_by_label("Input", exact=True).last, "topic")
    type_into(form.get_by_label("Pointer to another input"), "/issue/title")
    form.get_by_role("button", name="Add the webhook").click()
    secret = page.locator("[data-secret]").inner_text()
    card = page.locator(attribute("data-trigger", "New issue"))
    said = deliver(
        card.locator(".address code").inner_text(), secret, {"issue": {"title": "Lost parcel"}}
    )

    page.goto(f"/packs/{made['id']}/triggers/")
    expect(page.locator("[data-secret]")).to_have_count(0)
    card.get_by_role("link", name="waiting").or_(card.get_by_role("link", name="running")).click()
    expect(page.get_by_role("link", name="started by New issue")).to_be_visible()
    started = api(page, "GET", f"runs/{said['run']}/events/")["events"][0]
    assert started["inputs"] == {"topic": "Lost parcel"}

    page.get_by_role("button", name=re.compile("^Keep this run")).click()
    expect(page.get_by_role("button", name=re.compile("^Kept when"))).to_have_attribute(
        "aria-pressed", "true"
    )
    page.goto("/runs/?source=webhook")
    row = page.locator(attribute("data-run", said["run"]))
    expect(row.get_by_role("img", name="kept", exact=True)).to_be_visible()
    expect(row.locator("[data-source=webhook]")).to_have_text("New issue")


def test_a_schedule_shows_when_it_is_due_while_it_is_written(page: Page) -> None:
    made = api(page, "POST", "packs/", {"sample": "promptpack/customer-support", "name": "Timed"})
    page.goto(f"/packs/{made['id']}/triggers/")
    form = page.locator("form[data-add=schedule]")
    type_into(form.get_by_label("When: minute"), "0 7 * * *")
    type_into(form.get_by_label("Time zone"), "Asia/Tokyo")
    expect(form.locator("[data-due=known]")).to_contain_text("07:00")
    type_into(form.get_by_label("When: minute"), "0 0 30 2 *")
    expect(form.locator("[data-due=wrong]")).to_contain_text("never comes")
    type_into(form.get_by_label("When: minute"), "0 7 * * *")
    type_into(form.get_by_label("Name", exact=True), "Every morning")
    form.get_by_role("button", name="Add the schedule").click()
    card = page.locator(attribute("data-trigger", "Every morning"))
    expect(card).to_contain_text("07:00")

    card.get_by_role("button", name="Switch off Every morning").click()
    expect(card.locator("[data-enabled=false]")).to_be_visible()
    card.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete forever").click()
    expect(page.locator("[data-empty=triggers]")).to_be_visible()
