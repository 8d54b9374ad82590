"""A pack with tools, a structured answer and an approval, over both protocols, streamed to the
page."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import PATIENCE, api, import_zip, pack_zip, type_into, zipped
from tests.support.checks import quick_and_slow
from tests.support.live_server import ROOT
from tests.support.model_server import HeldReply, ModelRequest, ModelServer, TextReply

KINDS = {"openai": "gpt-4o", "anthropic": "claude-opus-4-8"}
SAMPLE = ROOT / "workflows/core/dialects/stages/samples/review-loop"
DRAFT = "stages/draft.md"
ANSWERS: dict[str, dict[str, Any]] = {
    "submit_draft": {"text": "Ducks can swim."},
    "submit_review": {"notes": "", "decision": "approve"},
    "submit_done": {},
}


def desk(page: Page, name: str) -> str:
    """The review loop, whose writer may read files. `read` reads, `bash` reports success."""
    _, files = zipped(SAMPLE)
    files[DRAFT] = files[DRAFT].replace(b"allowedTools: []", b"allowedTools: [read]")
    pack = import_zip(page, name, pack_zip(files))
    bindings = {
        "read": {"kind": "files", "settings": {"operation": "read"}},
        "bash": {"kind": "canned", "settings": {"result": "All is well."}},
    }
    for tool, binding in bindings.items():
        api(page, "PUT", f"packs/{pack}/tools/{tool}/", binding)
    return pack


def connection(page: Page, name: str, kind: str, url: str, **more: Any) -> int:
    body = {"name": name, "kind": kind, "base_url": url, "model": KINDS[kind], "key": "k", **more}
    made: int = api(page, "POST", "connections/", body)["id"]
    return made


def calls(tool: str, arguments: dict[str, Any], text: str = "") -> TextReply:
    return TextReply(text=text, tool_calls=((tool, arguments),))


def submitted(asked: ModelRequest) -> TextReply:
    """The completion call of the stage that asks."""
    for tool in asked.body["tools"]:
        name = tool.get("name") or tool["function"]["name"]
        if name in ANSWERS:
            return calls(name, ANSWERS[name])
    raise AssertionError(asked.body)


@pytest.mark.slow
@pytest.mark.parametrize("kind", quick_and_slow(["openai"], ["anthropic"]))
def test_tools_structure_and_an_approval_over_this_protocol(page: Page, kind: str) -> None:
    released = threading.Event()
    words = "Let me read what we have before I write."
    read = calls("read", {"file_path": "pipeline.json"}, words)
    slow = HeldReply(says=read, pieces=5, until=released)
    answers = (slow, calls("bash", {"command": "make check"}, "Now I check."))
    with ModelServer(*answers, otherwise=submitted) as server:
        connection(page, f"Desk {kind}", kind, server.url(kind))
        pack = desk(page, f"desk-{kind}")
        api(page, "PUT", f"packs/{pack}/models/", {"connection": f"Desk {kind}"})
        page.get_by_role("button", name="Run", exact=True).click()
        dialog = page.get_by_role("dialog", name="Run")
        dialog.get_by_role("radio", name="Model A real").check()
        expect(dialog.get_by_role("combobox", name="Connection")).to_have_value("")
        type_into(dialog.get_by_label("Value of input brief"), "Ducks.")
        dialog.get_by_role("button", name="Run").click()
        server.arrived.get(timeout=PATIENCE / 1000)
        expect(page.locator(".streaming")).to_contain_text("Let me read")
        released.set()
        # The log draws the rows in view, and later events move others out of it.
        page.get_by_role("combobox", name="Type").select_option("tool.returned")
        returned = page.locator('[data-event="tool.returned"]')
        expect(returned.first).to_contain_text("review-loop")
        page.get_by_role("button", name="Approve", exact=True).click()
        expect(returned.nth(1)).to_contain_text("All is well.")
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "completed")
        (run,) = api(page, "GET", f"runs/?pack={pack}")["results"]
        kept = api(page, "GET", f"runs/{run['id']}/artifacts/")
        assert "Ducks can swim." in [artifact["value"] for artifact in kept]
    assert {asked.model for asked in server.asked} == {KINDS[kind]}
    assert all(asked.streams for asked in server.asked)
