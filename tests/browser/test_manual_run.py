"""A person who controls a run and answers as the model."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.page_actions import open_sample, type_into


def _start(page: Page, driver: str, *, delay: str = "0", paused: bool = False) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_label(driver).check()
    type_into(dialog.get_by_label("Delay per answer"), delay)
    dialog.get_by_label("Start paused").set_checked(paused)
    dialog.get_by_role("button", name="Run").click()


def test_a_person_answers_as_the_model_until_the_run_is_done(page: Page) -> None:
    canvas = open_sample(page, "promptpack/code-review", "by-hand")
    _start(page, "Manual")
    status = page.locator(".run-area [data-run-status]")
    waiting = page.get_by_role("region", name="Waiting for you")
    for event in ("ChangeReady", "ChangesRequested", "ChangeReady", "Approved"):
        waiting.get_by_role("button", name=event).click()
    expect(canvas.state("done")).to_have_attribute("data-active", "true")

    # The last prompt has nothing to choose from: the answer is written.
    answer = waiting.get_by_role("textbox", name="Answer")
    answer.click()
    page.keyboard.type("All is well.")
    waiting.get_by_role("button", name="Send the answer").click()
    expect(status).to_have_attribute("data-run-status", "completed")
    expect(canvas.transition("implement", "ChangeReady", "review")).to_have_attribute(
        "data-visits", "2"
    )
    expect(waiting).to_have_count(0)


def test_a_run_is_paused_stepped_resumed_and_cancelled(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "levers")
    _start(page, "Rehearsal", delay="2000", paused=True)
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "paused")
    shown = page.locator("[data-run-at]")
    before = int(shown.get_attribute("data-run-at") or 0)
    expect(page.get_by_role("button", name="One step (F10)")).to_be_enabled()
    page.get_by_role("button", name="One step (F10)").click()
    expect(shown).not_to_have_attribute("data-run-at", str(before))
    expect(status).to_have_attribute("data-run-status", "paused")

    page.get_by_role("button", name="Resume", exact=True).click()
    expect(canvas.page.locator("[data-transition][data-visits]").first).to_be_attached()
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(status).to_have_attribute("data-run-status", "paused")
    page.get_by_role("button", name="Cancel the run").click()
    expect(status).to_have_attribute("data-run-status", "cancelled")
    expect(page.get_by_role("button", name="Resume", exact=True)).to_have_count(0)
