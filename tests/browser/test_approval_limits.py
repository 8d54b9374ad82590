"""Time limits of approvals: set with keys for a state and for a run, and shown in the run."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import api, open_sample, pack_of


def type_limit(place: Locator, outcome: str, hours: str) -> None:
    """Choose the outcome and type the hours, as a keyboard user does."""
    keyboard = place.page.keyboard
    choice = place.get_by_label("Without an answer of a person")
    choice.focus()
    keyboard.type(outcome)
    expect(choice.locator("option:checked")).to_have_text(outcome)
    field = place.get_by_label("Hours", exact=True)
    expect(field).to_have_value("24")
    keyboard.press("Tab")
    expect(field).to_be_focused()
    keyboard.press("Control+a")
    keyboard.type(hours)
    keyboard.press("Enter")
    expect(field).to_have_value(hours)


def start_manual_run(page: Page) -> Locator:
    """Open the dialog of a run that a person answers."""
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_role("radio", name="Manual").check()
    dialog.get_by_label("Value of input brief").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("Ducks.")
    return dialog


@pytest.mark.slow
def test_a_limit_of_a_state_and_one_of_a_run_are_shown_and_applied(page: Page) -> None:
    canvas = open_sample(page, "stages/review-loop", "limited approvals")
    canvas.state("draft").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_label("Id", exact=True)).to_have_value("draft")
    type_limit(inspector, "Deny it", "4")
    canvas.wait_saved()
    (state,) = [
        one
        for one in api(page, "GET", f"packs/{pack_of(page)}/graph/")["states"]
        if one["id"] == "draft"
    ]
    assert state["approval_limit"] == {"hours": 4, "outcome": "deny"}

    start_manual_run(page).get_by_role("button", name="Run", exact=True).click()
    question = page.locator(".question")
    line = question.locator("[data-deadline]")
    expect(line).to_have_attribute("data-deadline", "deny")
    expect(line).to_have_text(re.compile("^Without an answer, this is denied in [34] hr"))
    due = datetime.fromisoformat(line.locator("time").get_attribute("datetime") or "")
    left = due - datetime.now(due.tzinfo)
    assert timedelta(hours=3, minutes=55) < left <= timedelta(hours=4)
    page.get_by_role("button", name="Cancel the run").click()
    expect(page.locator("[data-result-line=cancelled]")).to_be_visible()

    dialog = start_manual_run(page)
    dialog.get_by_text("Limits", exact=True).click()
    type_limit(dialog, "End the run", "2")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(line).to_have_attribute("data-deadline", "end")
    expect(line).to_have_text(re.compile("^Without an answer, the run ends in [12] hr"))
