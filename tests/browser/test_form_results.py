"""Results of forms on pages: next to the form, and never at an address that sends it again."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, attribute


def test_a_result_is_shown_at_its_row_and_a_reload_sends_no_form_again(page: Page) -> None:
    sample = {"sample": "promptpack/customer-support", "name": "Reloaded"}
    pack = api(page, "POST", "packs/", sample)["id"]
    triggers = f"/packs/{pack}/triggers/"
    page.goto(triggers)
    form = page.locator("form[data-add=schedule]")
    for label, text in (("Name", "Nightly"), ("When: minute", "0 7 * * *")):
        form.get_by_label(label).first.click()
        page.keyboard.type(text)
    form.get_by_role("button", name="Add the schedule").click()
    card = page.locator(attribute("data-trigger", "Nightly"))
    card.get_by_text("Try…").click()
    card.get_by_role("button", name="Start a run").click()
    result = card.locator(".notice").filter(has_text="Nightly started a run")
    expect(result).to_be_in_viewport()
    assert page.url.endswith(triggers)
    page.reload()
    expect(result).to_have_count(0)
    assert api(page, "GET", f"runs/?pack={pack}")["count"] == 1


def test_the_result_of_a_test_of_a_connection_is_in_its_row(page: Page) -> None:
    for name in ("First", "Second"):
        body = {"name": name, "kind": "compatible", "base_url": "http://127.0.0.1:9/", "model": "m"}
        api(page, "POST", "connections/", body)
    page.goto("/settings/")
    row = page.locator(attribute("data-connection", "Second"))
    row.get_by_role("button", name="Test Second").click()
    expect(row.get_by_role("status").first).to_be_in_viewport()
