"""A recorded request is sent again with changes; the run stays as it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, open_sample, pack_of
from tests.browser.page_monitor import PageMonitor
from tests.support.model_server import ErrorReply, ModelServer, TextReply

FIRST = "A first draft about ducks."


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(TextReply(text=FIRST)) as running:
        yield running


@pytest.fixture
def run(page: Page, model: ModelServer) -> str:
    """A run over a model whose second request is refused."""
    page.goto("/")
    connection = {"name": "Trials", "kind": "compatible", "base_url": model.url("compatible")}
    api(page, "POST", "connections/", {**connection, "model": "local-model"})
    open_sample(page, "promptpack/review-loop", "trials")
    body = {"pack": int(pack_of(page)), "driver": "model", "connection": "Trials"}
    made: str = api(page, "POST", "runs/", {**body, "inputs": {"brief": "Ducks."}})["id"]
    page.goto(f"/packs/{pack_of(page)}/?run={made}")
    return made


@pytest.mark.slow
def test_a_request_is_sent_again_with_changes(
    page: Page, watch: PageMonitor, model: ModelServer, run: str
) -> None:
    watch.pardon(r"status of 422 .*/trials/")
    page.locator("[data-story-visit='draft:1'] .story-open").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.locator("[data-reply]").first).to_contain_text(FIRST)
    events = api(page, "GET", f"runs/{run}/events/")["last"]
    asked = len(model.asked)

    inspector.get_by_role("button", name="Send again…").first.click()
    dialog = page.get_by_role("dialog", name="Send request")
    expect(dialog.get_by_text("No changes")).to_be_visible()
    dialog.get_by_label("System", exact=True).click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Write in verse.")
    dialog.get_by_label("Temperature").click()
    page.keyboard.type("0.1")
    expect(dialog.get_by_text("2 changes")).to_be_visible()
    model.will(TextReply(text="A verse about ducks.", tokens=(21, 5)))
    page.keyboard.press("Enter")
    answer = dialog.get_by_role("region", name="Answer to the trial")
    expect(answer).to_contain_text("A verse about ducks.")
    expect(answer).to_contain_text("21 tokens in, 5 out")
    answer.get_by_text("Difference from the recorded answer").click()
    expect(answer.locator(".diff-line.removed")).to_contain_text(FIRST)

    (sent,) = model.asked[asked:]
    recorded = model.asked[0].body
    assert sent.body["temperature"] == 0.1
    assert sent.body["messages"][0]["content"].endswith(" Write in verse.")
    assert sent.body["messages"][1:] == recorded["messages"][1:]
    assert sent.body["tools"] == recorded["tools"]

    model.will(ErrorReply(status=401, message="No such key."))
    dialog.get_by_role("button", name="Send", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("No such key")
    dialog.get_by_role("button", name="Close").last.click()
    expect(dialog).to_have_count(0)
    assert api(page, "GET", f"runs/{run}/events/")["last"] == events
