"""The start of a run: its dialog knows the inputs of the pack."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.page_actions import api, open_sample, pack_of
from tests.support.checks import quick_and_slow
from tests.support.model_server import ModelServer, TextReply

NO_DELAY = "pack => localStorage.setItem(`signalbox.start.${pack}`, JSON.stringify({delay: '0'}))"


@pytest.mark.parametrize("by", quick_and_slow(["key"], ["mouse"]))
def test_a_run_waits_for_its_inputs_and_shows_its_result(page: Page, by: str) -> None:
    canvas = open_sample(page, "promptpack/code-review", f"early-{by}")
    held: list[Route] = []
    page.route("**/api/v1/packs/*/start/**", lambda route: held.append(route))
    page.evaluate(NO_DELAY, pack_of(page))
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    button = dialog.locator(".dialog-buttons .primary")
    if by == "key":
        button.press("Enter")
    else:
        page.mouse.move(*canvas.middle(button))
        page.mouse.down()
    expect(dialog.get_by_role("button", name="Starting…")).to_be_disabled()
    held.pop().continue_()
    expect(dialog).to_have_count(0)
    expect(page.locator("[data-story-visit]").first).to_be_visible()
    if by == "mouse":
        page.mouse.up()
    (run,) = api(page, "GET", f"runs/?pack={pack_of(page)}")["results"]

    # Its result is one press away.
    line = page.locator("[data-result-line]")
    expect(line).to_contain_text("Ended in")
    line.get_by_role("button", name="Show the result").click()
    result = page.locator("[data-result]")
    whole = api(page, "GET", f"runs/{run['id']}/result/")
    expect(result.locator("[data-total='Model calls']")).to_have_text(
        str(whole["totals"]["model_calls"])
    )
    for state in whole["ends"]:
        expect(result.locator(".result-end")).to_contain_text(state)
    assert api(page, "GET", f"runs/{run['id']}/")["answer"] == whole["answer"][:600]


def test_a_run_with_a_model_asks_for_what_is_required(page: Page) -> None:
    with ModelServer(TextReply(text="A first draft about ducks.")) as server:
        page.goto("/")
        connection = {
            "name": "Own server",
            "kind": "compatible",
            "base_url": server.url("compatible"),
            "model": "local-model",
            "prices": {"*": {"input": 5, "output": 10}},
        }
        api(page, "POST", "connections/", connection)
        open_sample(page, "promptpack/review-loop", "asks-for-inputs")
        page.get_by_role("button", name="Run", exact=True).click()
        dialog = page.get_by_role("dialog", name="Run")
        dialog.get_by_role("radio", name="Model A real").check()
        expect(dialog.locator("[data-estimate]")).to_contain_text("No run with a model")
        brief = dialog.get_by_label("Value of input brief")
        expect(dialog.locator("[data-required=true]")).to_have_count(1)
        dialog.get_by_role("button", name="Run", exact=True).click()
        expect(dialog.get_by_role("alert")).to_contain_text("The run needs the input “brief”.")
        expect(brief).to_be_focused()
        assert server.asked == []
        page.keyboard.type("A text about ducks.")
        dialog.get_by_label("Start paused").check()
        dialog.get_by_role("button", name="Run", exact=True).click()
        expect(dialog).to_have_count(0)
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "paused")
        page.get_by_role("button", name="Cancel the run").click()
        expect(page.locator("[data-result-line=cancelled]")).to_be_visible()
    # The dialog offers the value that was used last.
    page.get_by_role("button", name="Run", exact=True).click()
    again = page.get_by_role("dialog", name="Run").get_by_label("Value of input brief")
    expect(again).to_have_value("A text about ducks.")
