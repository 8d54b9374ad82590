"""A tool that a person allows for the rest of a run, on the run page and in the queue."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, open_sample, pack_of, type_into

CALL = {"name": "bash", "arguments": {"command": "make check"}}


def asks(page: Page, run: str) -> None:
    """The person answers as the model, with a call that its stage does not list."""
    (pending,) = api(page, "GET", f"runs/{run}/pending/")
    api(
        page,
        "POST",
        f"runs/{run}/signals/",
        {"type": "Reply", "key": pending["key"], "tool_calls": [CALL]},
    )


def begun(page: Page, name: str) -> str:
    pack = api(page, "POST", "packs/", {"sample": "stages/review-loop", "name": name})["id"]
    bound = {"kind": "canned", "settings": {"result": "All is well.", "ask": True}}
    api(page, "PUT", f"packs/{pack}/tools/bash/", bound)
    inputs = dict.fromkeys(api(page, "GET", f"packs/{pack}/inputs/"), "x")
    run = api(page, "POST", "runs/", {"pack": pack, "driver": "manual", "inputs": inputs})["id"]
    asks(page, run)
    return str(run)


def events(page: Page, run: str, type: str) -> list[Any]:
    found = api(page, "GET", f"runs/{run}/events/")["events"]
    return [event for event in found if event["type"] == type]


def test_a_tool_is_allowed_for_the_rest_of_a_run_and_revoked(page: Page) -> None:
    run = begun(page, "allowed")
    page.goto(f"/runs/{run}/")
    waiting = page.get_by_role("region", name="Waiting for you")
    waiting.get_by_role("button", name="For the rest of this run").click()
    expect(page.locator('[data-event="tool.returned"]')).to_have_count(1)
    expect(page.locator('[data-event="tool.allowed"]')).to_contain_text("allowed by operator")

    asks(page, run)
    expect(page.locator('[data-event="tool.returned"]')).to_have_count(2)
    assert len(events(page, run, "approval.asked")) == 2
    allowed = page.locator('#tabpanel-run-result [data-allowed-tool="bash"]')
    expect(allowed).to_contain_text("allowed by operator")
    allowed.get_by_role("button", name="Revoke bash").click()
    expect(allowed).to_have_count(0)

    asks(page, run)
    expect(waiting.get_by_role("button", name="Approve")).to_be_visible()
    assert len(events(page, run, "tool.called")) == 2
    is_allowed_at_the_start(page)


def is_allowed_at_the_start(page: Page) -> None:
    """In the start dialog, which offers the tools of the pack that ask."""
    canvas = open_sample(page, "stages/feature-delivery", "allowed-at-start")
    pack = pack_of(page)
    tool = api(page, "GET", f"packs/{pack}/tools/")[0]["tool"]
    bound = {"kind": "canned", "settings": {"result": "All is well.", "ask": True}}
    api(page, "PUT", f"packs/{pack}/tools/{tool}/", bound)
    page.reload()
    canvas.stand()
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_label("Manual").check()
    dialog.get_by_role("checkbox", name=f"Allow {tool} in this run").click()
    for box in dialog.locator("[data-required=true] textarea").all():
        type_into(box, "x")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".question").first).to_be_visible()
    run = api(page, "GET", f"runs/?pack={pack}")["results"][0]["id"]
    (allowed,) = events(page, run, "tool.allowed")
    assert (allowed["name"], allowed["by"]) == (tool, "operator")
