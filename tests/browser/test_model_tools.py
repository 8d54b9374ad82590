"""A pack with tools, a structured answer and an approval, over both protocols: streamed to the
page, and resumed after every fault on the way to a model."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import PATIENCE, api, import_zip, pack_zip, type_into, zipped
from tests.support.checks import quick_and_slow
from tests.support.live_server import ROOT
from tests.support.model_server import (
    Answer,
    CutOffReply,
    ErrorReply,
    HeldReply,
    ModelRequest,
    ModelServer,
    NoReply,
    RawReply,
    TextReply,
)

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
        returned = page.locator('[data-event="tool.returned"]')
        expect(returned.first).to_contain_text("review-loop")
        page.get_by_role("combobox", name="Type").select_option("tool.returned")
        page.get_by_role("button", name="Approve", exact=True).click()
        expect(returned.nth(1)).to_contain_text("All is well.")
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "completed")
        (run,) = api(page, "GET", f"runs/?pack={pack}")["results"]
        kept = api(page, "GET", f"runs/{run['id']}/artifacts/")
        assert "Ducks can swim." in [artifact["value"] for artifact in kept]
    assert {asked.model for asked in server.asked} == {KINDS[kind]}
    assert all(asked.streams for asked in server.asked)


SOME = TextReply(text="Let me begin with this.")
FAULTS: dict[str, tuple[Answer, str]] = {
    "asked too often": (ErrorReply(status=429, retry_after="3600"), "reached its rate limit"),
    "server failed": (ErrorReply(status=500, retry_after="3600"), "failed: status 500"),
    "key refused": (ErrorReply(status=401), "rejected its key"),
    "cut off": (CutOffReply(says=SOME, pieces=3), "closed the connection in the middle"),
    "malformed": (RawReply(body=b"{nope"), "returned an invalid answer"),
    "slow": (NoReply(says=SOME, pieces=2), "did not answer within 1 seconds"),
}
GONE = "nobody there"


@pytest.mark.slow
def test_every_fault_is_shown_and_the_run_is_resumed(page: Page) -> None:
    """One test for all faults, because the wait between attempts is the same for each."""
    mended: set[tuple[str, str]] = set()
    often: Counter[tuple[str, str]] = Counter()

    def answer(asked: ModelRequest) -> Answer:
        kind = "anthropic" if asked.path.endswith("/messages") else "openai"
        brief = next((name for name in FAULTS if name in str(asked.body)), GONE)
        if brief == GONE or (brief, kind) in mended:
            return submitted(asked)
        often[brief, kind] += 1
        return FAULTS[brief][0]

    with ModelServer() as nobody:
        pass
    with ModelServer(otherwise=answer) as server:
        pack = desk(page, "faults")
        begun = []
        for kind in KINDS:
            for name in (*FAULTS, GONE):
                url = (nobody if name == GONE else server).url(kind)
                hasty = {"timeout": 1} if name == "slow" else {}
                way = connection(page, f"{name} {kind}", kind, url, **hasty)
                run = {"pack": int(pack), "driver": "model", "connection": f"{name} {kind}"}
                started = api(page, "POST", "runs/", {**run, "inputs": {"brief": name}})
                begun.append((name, kind, way, started["id"]))
        for name, kind, way, run in begun:
            said = FAULTS[name][1] if name in FAULTS else "cannot be reached"
            page.goto(f"/runs/{run}/")
            status = page.locator(".run-area [data-run-status]")
            expect(status).to_have_attribute("data-run-status", "paused")
            paused = page.locator('[data-event="run.paused"]').filter(has_text=said)
            expect(paused).to_have_count(1)
            mended.add((name, kind))
            right = {"base_url": server.url(kind), "timeout": None, "key": "k"}
            api(page, "PATCH", f"connections/{way}/", right)
            page.get_by_role("button", name="Resume", exact=True).click()
            expect(status).to_have_attribute("data-run-status", "completed")
    assert set(often) == {(name, kind) for name in FAULTS for kind in KINDS}
