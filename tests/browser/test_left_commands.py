"""Commands that a run leaves to people: run on the server once allowed, or reported."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, attribute

TO_ITS_COMMAND = {
    "replies": [
        {"state": "initial.read", "event": "next: ready"},
        {"state": "continuation.answer", "event": "next"},
        {"state": "verification.review", "event": "next"},
        {"state": "closure.report", "event": "closing"},
    ]
}


def at_its_command(page: Page, name: str) -> str:
    """A run of the triage bot that waits at its first check. Its id."""
    made = api(page, "POST", "packs/", {"sample": "steps_registry/triage-bot", "name": name})
    inputs = dict.fromkeys(api(page, "GET", f"packs/{made['id']}/inputs/"), "x")
    body = {"pack": made["id"], "driver": "script", "script": TO_ITS_COMMAND, "inputs": inputs}
    return str(api(page, "POST", "runs/", body)["id"])


def finished(page: Page, run: str) -> Any:
    events = api(page, "GET", f"runs/{run}/events/")["events"]
    return next(event for event in events if event["type"] == "command.finished")


def test_an_allowed_command_runs_on_the_server(commands_page: Page) -> None:
    page = commands_page
    page.goto("/")
    run, queued = (at_its_command(page, name) for name in ("allowed", "queued"))
    page.goto(f"/runs/{run}/")
    question = page.get_by_role("region", name="Waiting for you")
    expect(question).to_contain_text("This run was started without commands.")
    question.get_by_role("button", name="Run it now").click()
    expect(page.locator('[data-event="effect.allowed"]')).to_have_count(1)
    expect(page.locator('[data-event="command.finished"]').first).to_contain_text("exit")
    assert "by" not in finished(page, run)

    page.goto("/approvals/")
    card = page.locator(attribute("data-run", queued))
    expect(card.locator("[data-blocked]")).to_have_text("This run was started without commands.")
    card.get_by_role("button", name="Run it now").click()
    expect(card.get_by_role("button", name="Run it now")).to_have_count(0)
    page.goto(f"/runs/{queued}/")
    expect(page.locator('[data-event="command.finished"]').first).to_be_visible()
    assert "by" not in finished(page, queued)
