"""MCP servers over stdio and HTTP, with keys and mouse: connected, their tools chosen in a stage's
form, called in a run."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, attribute, open_sample, pack_of, text_of, type_into
from tests.runner.mcp_process import STDIO, LiveServer, serve

ADD = {"a": 2, "b": 3}


@pytest.fixture
def live() -> Iterator[LiveServer]:
    server = serve()
    yield server
    server.ended()


def connect(page: Page, name: str, address: str) -> None:
    page.goto("/settings/")
    page.get_by_label("Name of a new server").click()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.insert_text(address)
    page.get_by_role("button", name="Connect the server").click()
    expect(page.get_by_text(f"The MCP server {name} has 9 tools.")).to_be_visible()
    row = page.locator(attribute("data-mcp-server", name))
    row.get_by_text("9 tools", exact=True).click()
    expect(row.get_by_text(f"mcp__{name}__add", exact=True)).to_be_visible()


def choose(page: Page, name: str) -> None:
    """Add a tool that the stage's form suggests. Headless Chromium draws no list of suggestions, so
    the name is typed."""
    field = page.get_by_label("Add to Allowed tools")
    offered = page.locator(f"#{field.get_attribute('list')} option{attribute('value', name)}")
    expect(offered).to_have_count(1)
    field.click()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(field).to_have_value("")


def missing(page: Page) -> list[str]:
    found = api(page, "GET", f"packs/{pack_of(page)}/findings/")
    return [one["message"] for one in found if one["code"] == "GR115"]


def events(page: Page, run: str, type: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api(page, "GET", f"runs/{run}/events/?type={type}")["events"]
    return found


def test_tools_of_two_servers_are_discovered_chosen_and_called(
    commands_page: Page, live: LiveServer
) -> None:
    page = commands_page
    connect(page, "local", shlex.join(STDIO))
    connect(page, "web", live.url)

    canvas = open_sample(page, "stages/blank", "mcp")
    canvas.state("start").click()
    for name in ("mcp__local__add", "mcp__web__add"):
        choose(page, name)
        canvas.wait_saved()
    head = text_of(page, "stages/start.md").split("---")[1]
    assert re.search(r"mcp__local__add.*mcp__web__add", head, re.DOTALL)
    assert missing(page) == []

    page.get_by_role("button", name="Tools", exact=True).click()
    tools = page.get_by_role("dialog", name="Tools")
    tools.get_by_role("button", name="mcp__local__add").click()
    form = tools.get_by_role("region", name="Tool mcp__local__add")
    form.get_by_label("A call of it").select_option(label="MCP server")
    expect(form.get_by_label("URL")).to_be_visible()
    form.get_by_label("A call of it").select_option(label="web › add")
    expect(form.get_by_label("URL")).to_have_count(0)
    form.get_by_role("button", name="Save").click()
    expect(tools.get_by_role("button", name="Close").last).to_be_visible()
    expect(form.get_by_text("Not saved yet.")).to_have_count(0)
    tools.get_by_role("button", name="Close").last.click()

    done = re.search(r"completionTool: (\S+)", head)
    assert done is not None
    calls: list[tuple[str, dict[str, Any]]] = [
        ("mcp__web__add", {"a": 2}),
        ("mcp__web__add", ADD),
        ("mcp__local__add", ADD),
        (done[1], {"summary": "Five."}),
    ]
    replies = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_label("Script").check()
    editor = dialog.get_by_role("textbox", name="Script")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(json.dumps({"replies": replies}))
    type_into(dialog.get_by_label("Value of input task"), "Add")
    dialog.get_by_role("checkbox", name=re.compile("commands", re.IGNORECASE)).check()
    dialog.get_by_role("button", name="Run").click()
    expect(page.locator(".run-area [data-run-status]")).to_have_attribute(
        "data-run-status", "completed"
    )
    (run,) = api(page, "GET", f"runs/?pack={pack_of(page)}")["results"]
    [refused] = events(page, run["id"], "tool.refused")
    assert "is a required property" in refused["error"]
    returned = events(page, run["id"], "tool.returned")
    assert [(event["result"], event["error"]) for event in returned] == [("5", ""), ("5", "")]
