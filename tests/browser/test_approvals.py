"""The queue of what waits for people: filled while it is open, worked off with the keyboard."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.page_actions import api, attribute, type_into
from tests.browser.page_monitor import PageMonitor
from tests.support.live_server import LiveServer

BASH = {"name": "bash", "arguments": {"command": "rm -rf build", "timeout": 5}}


def ask(page: Page, name: str, *calls: dict[str, Any]) -> str:
    """A run whose model wants to make these calls, which its stage does not list. Its id."""
    made = api(page, "POST", "packs/", {"sample": "stages/review-loop", "name": name})
    return ask_in(page, made["id"], *calls)


def ask_in(page: Page, pack: int, *calls: dict[str, Any]) -> str:
    """Such a run of this pack."""
    inputs = dict.fromkeys(api(page, "GET", f"packs/{pack}/inputs/"), "x")
    run = api(page, "POST", "runs/", {"pack": pack, "driver": "manual", "inputs": inputs})
    (pending,) = api(page, "GET", f"runs/{run['id']}/pending/")
    reply = {"type": "Reply", "key": pending["key"], "tool_calls": list(calls)}
    api(page, "POST", f"runs/{run['id']}/signals/", reply)
    return str(run["id"])


def called(page: Page, run: str) -> Any:
    """The arguments of the first call that was made."""
    events = api(page, "GET", f"runs/{run}/events/")["events"]
    return next(event["arguments"] for event in events if event["type"] == "tool.asked")


def heard(page: Page, run: str) -> str:
    """All text that the model received."""
    events = api(page, "GET", f"runs/{run}/events/")["events"]
    return str([event for event in events if event["type"] == "model.asked"])


def pending(page: Page, run: str) -> Any:
    (effect,) = api(page, "GET", f"runs/{run}/pending/")
    return effect


def test_the_queue_is_worked_off_with_the_keyboard(page: Page) -> None:
    page.goto("/approvals/")
    edited, denied, approved, opened = (ask(page, f"queue-{n}", BASH) for n in range(4))
    cards = [
        page.locator(attribute("data-run", run) + "[data-kind=approve]")
        for run in (edited, denied, approved, opened)
    ]
    for card in cards:
        expect(card.locator("[data-exact]")).to_contain_text('"command": "rm -rf build"')
    expect(page).to_have_title(re.compile(r"^\(\d+\) Approvals"))
    expect(page.locator("[data-open-approvals]")).to_be_visible()

    cards[0].focus()
    page.keyboard.press("j")
    expect(cards[1]).to_be_focused()
    page.keyboard.press("k")
    expect(cards[0]).to_be_focused()

    page.keyboard.press("e")
    text = cards[0].get_by_label("Arguments")
    expect(text).to_be_focused()
    type_into(text, '{"command": ')
    cards[0].get_by_role("button", name="Approve as edited").click()
    expect(cards[0].get_by_role("alert")).to_contain_text("This is not JSON")
    type_into(text, '{"command": "ls build"}')
    cards[0].get_by_role("button", name="Approve as edited").click()
    expect(cards[0]).to_have_count(0)
    assert called(page, edited) == {"command": "ls build"}

    expect(cards[1]).to_be_focused()
    page.keyboard.press("d")
    page.keyboard.type("Not on this machine.")
    page.keyboard.press("Enter")
    expect(cards[1]).to_have_count(0)
    assert "denied: Not on this machine." in heard(page, denied)

    expect(cards[2]).to_be_focused()
    page.keyboard.press("a")
    expect(cards[2]).to_have_count(0)
    assert called(page, approved) == BASH["arguments"]

    expect(cards[3]).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{opened}/")
    waiting = page.get_by_role("region", name="Waiting for you")
    expect(waiting.locator(".command")).to_contain_text('"command": "rm -rf build"')
    waiting.get_by_role("link", name="All approvals").click()
    expect(cards[3]).to_be_visible()


@pytest.mark.slow
def test_a_card_answered_by_another_person_disappears_with_a_message(
    page: Page, watch: PageMonitor
) -> None:
    watch.pardon(r"status of 409 .*/approvals/")
    watch.pardon(r"ERR_FAILED.*/approvals/")
    page.goto("/approvals/")
    run = ask(page, "twice", BASH)
    card = page.locator(attribute("data-run", run) + "[data-kind=approve]")
    expect(card).to_be_visible()
    key = pending(page, run)["key"]
    # The page is held back, so that it cannot know the other answer yet.
    page.route("**/api/v1/approvals/?*", lambda route: route.abort())
    api(page, "POST", f"runs/{run}/signals/", {"type": "Approve", "key": key, "approve": True})
    card.get_by_role("button", name="Approve", exact=True).click()
    expect(card.get_by_role("alert")).to_contain_text("has already approved this.")
    page.unroute("**/api/v1/approvals/?*")
    expect(card).to_have_count(0)


NOTIFIED = """
window.Notification = class {
  static permission = "granted";
  static requestPermission = async () => "granted";
  constructor(title) { document.documentElement.dataset.told = title; }
  close() {}
};
"""


@pytest.mark.slow
def test_subscribers_are_notified_while_the_page_is_hidden(
    opening: Opening, server: LiveServer, signed_in: Any
) -> None:
    context = opening(server, signed_in)
    context.add_init_script(NOTIFIED)
    page = context.new_page()
    page.goto("/approvals/")
    page.get_by_role("button", name="Notify me").click()
    expect(page.get_by_role("button", name="Notifying you")).to_be_visible()
    seen = ask(page, "seen", BASH)
    expect(page.locator(attribute("data-run", seen) + "[data-kind=approve]")).to_be_visible()
    told = page.locator("html")
    expect(told).not_to_have_attribute("data-told", re.compile(""))
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true})")
    ask(page, "unseen", BASH)
    expect(told).to_have_attribute("data-told", "unseen waits for you")


@pytest.mark.slow
def test_the_limit_of_a_pack_is_set_in_its_inspector_and_shown_at_the_question(page: Page) -> None:
    page.goto("/approvals/")
    pack = api(page, "POST", "packs/", {"sample": "stages/review-loop", "name": "limited"})["id"]
    page.goto(f"/packs/{pack}/")
    inspector = page.get_by_role("complementary", name="Inspector")
    choice = inspector.get_by_label("Without an answer of a person")
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        choice.select_option("End the run")
    hours = inspector.get_by_role("spinbutton", name="Hours")
    hours.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("5")
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.keyboard.press("Enter")
    assert api(page, "GET", f"packs/{pack}/")["approval_limit"] == {"hours": 5, "outcome": "end"}

    run = ask_in(page, pack, BASH)
    words = re.compile("Without an answer, the run ends in (4|5) hr.")
    page.goto(f"/runs/{run}/")
    region = page.get_by_role("region", name="Waiting for you")
    expect(region.locator("[data-deadline=end]")).to_have_text(words)
    page.goto("/approvals/")
    card = page.locator(attribute("data-run", run) + "[data-kind=approve]")
    expect(card.locator("[data-deadline=end]")).to_have_text(words)


@pytest.mark.slow
def test_the_run_page_and_the_queue_have_the_same_words_and_actions(commands_page: Page) -> None:
    page = commands_page
    page.goto("/approvals/")
    run = ask(page, "both", BASH)
    card = page.locator(attribute("data-run", run) + "[data-kind=approve]")
    expect(card.locator("[data-deadline=deny]")).to_have_text(
        re.compile("Without an answer, this is denied in (9|10) hr.")
    )
    queue = card.locator(".ways > form button, .ways > details > summary").all_inner_texts()

    page.goto(f"/runs/{run}/")
    asked = page.get_by_role("region", name="Waiting for you")
    expect(asked.locator("[data-deadline=deny]")).to_have_text(
        re.compile("Without an answer, this is denied in (9|10) hr.")
    )
    expect(asked.locator("header button.button:not(.link)")).to_have_text(queue)
    assert queue == ["Approve", "For the rest of this run", "Edit…", "Pass to…", "Deny…"]
    owner = api(page, "GET", f"runs/{run}/")["owner"]
    asked.get_by_role("button", name="Pass to…").click()
    page.keyboard.type(owner)
    page.keyboard.press("Enter")
    expect(asked.locator("[data-passed-to]")).to_contain_text(f"Passed to {owner}.")
    page.goto("/approvals/")
    expect(card.locator(attribute("data-passed-to", owner))).to_be_visible()

    page.goto(f"/runs/{run}/")
    asked.get_by_role("button", name="Deny…").click()
    page.keyboard.type("Not on this machine.")
    page.keyboard.press("Enter")
    expect(asked.get_by_role("button", name="Pass to…")).to_have_count(0)
    assert "denied: Not on this machine." in heard(page, run)
