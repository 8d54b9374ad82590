"""A recorded run works without network: the server may not connect anywhere. It scrubs, shows its
prompts, is compared, and forks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening, sign_in, start_server
from tests.browser.page_actions import Canvas, api, open_sample, pack_of, type_into, wait_until
from tests.browser.page_monitor import PageMonitor
from tests.support.live_server import LiveServer
from tests.support.model_server import ModelServer, TextReply


def leads(event: str) -> TextReply:
    return TextReply(tool_calls=(("workflow__transition", {"event": event, "context": "Go on."}),))


def connect(page: Page, url: str) -> None:
    page.goto("/settings/")
    form = page.get_by_role("region", name="Connections to models").locator("form").last
    type_into(form.get_by_label("Name of a new connection"), "Mine")
    form.get_by_label("Kind").select_option(label="OpenAI")
    type_into(form.get_by_label("Base URL"), url)
    type_into(form.get_by_label("Model"), "gpt-4o")
    type_into(form.get_by_label("Key"), "sk-not-to-be-seen")
    form.get_by_role("button", name="Add the connection").click()
    expect(page.get_by_role("button", name="Test Mine")).to_be_visible()


@pytest.fixture
def recorded(
    tmp_path: Path, opening: Opening, watch: PageMonitor
) -> tuple[Any, dict[str, Any], LiveServer]:
    """Cookies, the run and a server that a model answered once; it has ended, the model is gone."""
    plugged = start_server(tmp_path)
    watch.host = f"127.0.0.1:{plugged.port}"
    try:
        cookies = sign_in(plugged.link)
        context = opening(plugged, cookies)
        page = context.new_page()
        replies = (leads("ChangeReady"), leads("ChangesRequested"), leads("ChangeReady"))
        with ModelServer(*replies, leads("Approved"), TextReply(text="All is well.")) as model:
            connect(page, model.url("openai"))
            open_sample(page, "promptpack/code-review", "recorded")
            body = {"pack": int(pack_of(page)), "driver": "model", "connection": "Mine"}
            made = api(page, "POST", "runs/", body)
            page.goto(f"/runs/{made['id']}/")
            status = page.locator(".run-area [data-run-status]")
            expect(status).to_have_attribute("data-run-status", "completed")
            assert len(model.asked) == 5
            made = api(page, "GET", f"runs/{made['id']}/")
        context.close()
    finally:
        plugged.stop()
    return cookies, made, plugged


def fork(page: Page, run: str, at: int, driver: str) -> None:
    page.goto(f"/runs/{run}/?at={at}")
    expect(page.locator("[data-run-at]")).to_have_attribute("data-run-at", str(at))
    page.get_by_role("button", name="More of this run").click()
    page.get_by_role("menuitem", name="Fork from here…").click()
    dialog = page.get_by_role("dialog", name="Fork this run")
    dialog.get_by_role("radio", name=re.compile(f"^{driver}")).check()
    if driver == "Script":
        expect(dialog.get_by_role("textbox", name="Script")).to_contain_text("expects")
    dialog.get_by_role("button", name="Fork", exact=True).click()
    page.wait_for_url(lambda url: "/runs/" in url and run not in url)


@pytest.mark.slow
def test_a_recorded_run_scrubs_and_forks_without_a_network(
    tmp_path: Path, recorded: tuple[Any, dict[str, Any], LiveServer], opening: Opening
) -> None:
    cookies, run, server = recorded
    notes = tmp_path / "notes"
    server.module = ("tests.browser.offline_server", str(notes))
    server.start()
    try:
        page = opening(server, cookies).new_page()
        status = page.locator(".run-area [data-run-status]")
        page.goto(f"/runs/{run['id']}/")
        expect(page.locator("[data-run-at]")).to_have_text(f"{run['last']}/{run['last']}")
        canvas = Canvas(page)
        expect(canvas.state("implement")).to_have_attribute("data-visits", "2")
        log = api(page, "GET", f"runs/{run['id']}/events/")["events"]
        asked = [event["n"] for event in log if event["type"] == "model.asked"]
        page.get_by_label("Event shown").fill(str(asked[1]))
        expect(canvas.state("review")).to_have_attribute("data-active", "true")
        expect(canvas.state("implement")).to_have_attribute("data-visits", "1")
        page.get_by_role("tab", name="Prompts").click()
        expect(page.get_by_label("Text of the prompt")).to_contain_text("You review a change.")

        fork(page, run["id"], asked[2], "Script")
        expect(status).to_have_attribute("data-run-status", "completed")
        scripted = page.url.split("/")[-2]
        page.goto(f"/runs/{run['id']}/compare/{scripted}/")
        expect(page.locator("[data-same]")).to_have_attribute("data-same", "true")
        fork(page, run["id"], asked[1], "Rehearsal")
        expect(status).to_have_attribute("data-run-status", "completed")
        fork(page, run["id"], asked[1], "Manual")
        expect(page.get_by_role("region", name="Waiting for you")).to_be_visible()
        assert not notes.exists(), notes.read_text()

        fork(page, run["id"], asked[1], "Model")
        wait_until(notes.exists)
        assert "socket.connect" in notes.read_text(), "the guard hears who asks a model"
        page.get_by_role("button", name="Cancel the run").click()
        expect(status).to_have_attribute("data-run-status", "cancelled")
    finally:
        server.stop()
