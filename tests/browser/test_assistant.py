"""The assistant proposes an approval gate, which it repairs before it is shown."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, head_of, open_sample, text_of
from tests.support.checks import quick_and_slow
from tests.support.model_server import ModelServer, TextReply

KINDS = {"openai": "gpt-4o", "anthropic": "claude-opus-4-8"}
GATE = [
    {"type": "add_state", "id": "approval", "kind": "external"},
    {"type": "retarget", "transition": "review|Approve|done", "target": "approval"},
]
ONWARD = {"type": "connect", "source": "approval", "target": "done", "label": "Approved"}
NOTES = [
    {"type": "set_field", "element": f"state:{id}", "field": "/description", "value": "Short."}
    for id in ("draft", "done")
]


def calls(tool: str, arguments: dict[str, Any], text: str = "") -> TextReply:
    return TextReply(text=text, tool_calls=((tool, arguments),))


@pytest.mark.parametrize("kind", quick_and_slow(["anthropic"], ["openai"]))
def test_a_gate_is_repaired_shown_and_accepted_in_parts(page: Page, kind: str) -> None:
    answers = (
        calls("graph", {}, "I look at the graph."),
        calls("propose", {"edits": [*GATE, *NOTES]}),
        calls("propose", {"edits": [*GATE, ONWARD, *NOTES]}),
        TextReply(text="A person approves before the end."),
    )
    with ModelServer(*answers) as server:
        made = {"name": f"Helper {kind}", "kind": kind, "model": KINDS[kind], "key": "k"}
        api(page, "POST", "connections/", {**made, "base_url": server.url(kind)})
        canvas = open_sample(page, "promptpack/review-loop", f"gate-{kind}")
        before, head = text_of(page), head_of(page)
        page.get_by_role("tab", name="Assistant").click()
        form = page.get_by_role("form", name="Request to the assistant")
        form.get_by_label("Request").fill("Put an approval gate between review and done.")
        form.get_by_role("combobox", name="Connection").select_option(f"Helper {kind}")
        form.get_by_role("button", name="Send").click()
        answer = page.get_by_role("region", name="Answer of the assistant")
        expect(answer).to_have_attribute("data-assistant-status", "completed")
    tries = answer.locator("[data-assistant-call=propose]")
    expect(tries).to_have_count(2)
    expect(tries.first).to_contain_text("3 new findings · These edits are not shown yet")
    expect(answer).to_contain_text("A person approves before the end.")
    expect(answer.locator("[data-assistant-cost]")).to_contain_text("72 tokens, $")
    (sent,) = {request.model for request in server.asked}
    assert sent == KINDS[kind]

    answer.get_by_role("button", name="Review the proposal").click()
    review = page.locator("[data-proposal]")
    expect(review).to_contain_text("proposes 3 changes Assistant: Put an approval gate")
    expect(canvas.state("approval")).to_have_attribute("data-diff", "added")
    expect(canvas.transition("approval", "Approved", "done")).to_have_attribute(
        "data-diff", "added"
    )
    expect(review.get_by_role("region", name="New findings")).to_have_count(0)
    parts = review.get_by_role("list", name="Proposed changes").get_by_role("checkbox")
    expect(parts).to_have_count(3)
    parts.nth(2).uncheck()
    review.get_by_role("button", name="Accept 2 of 3").click()
    expect(canvas.state("approval")).not_to_have_attribute("data-diff", "added")
    assert head_of(page) == head + 1
    review.get_by_role("button", name="Withdraw").click()
    expect(review).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(canvas.state("approval")).to_have_count(0)
    canvas.wait_saved()
    assert text_of(page) == before
