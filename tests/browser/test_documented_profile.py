"""The canvas under the profile `documented`: a handoff to a work step, and a failed rehearsal."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, import_text, import_zip, zipped
from tests.support.corpus import SHIPPED

FAILING = """---
id: plan
name: Plan
allowedTools: []
completionTool: submit_plan
completionSchema: {type: object}
retryPolicy: {maxAttempts: 1, backoff: none}
turnCap: 3
resolutionPolicy: retry-later
---
Plan {{ctx.attempts.first}}.
"""


@pytest.mark.slow
def test_a_rehearsal_in_which_every_walk_failed_shows_the_reasons(page: Page) -> None:
    import_text(page, FAILING, "plan.md")
    expect(page.locator("[data-state]")).to_have_count(1)
    page.get_by_role("button", name="Rehearse").click()
    panel = page.locator(".coverage-result")
    expect(panel.locator('[data-rehearsal="failed"]')).to_have_text("Every walk failed")
    expect(panel).to_contain_text("ctx.attempts")
    expect(panel).not_to_contain_text("100%")
    expect(panel).not_to_contain_text("Every transition was reached")
    walks = page.locator("[data-walk]")
    expect(walks.first).to_be_visible()
    reasons = page.locator(".walk-reason")
    expect(reasons).to_have_count(walks.count())
    for text in reasons.all_inner_texts():
        assert re.match(r"The run .+ctx.attempts.+[.!?]$", text, re.S), text


@pytest.mark.slow
def test_a_handoff_to_a_work_step_is_drawn_and_checked(page: Page) -> None:
    packed, _ = zipped(SHIPPED / "steps-registry" / "clerk")
    pack = import_zip(page, "clerk", packed)
    canvas = Canvas(page)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    canvas.stand()
    canvas.draw_arrow("initial.letter", "continuation.letter", "handoff")
    canvas.wait_saved()
    assert "initial.letter|handoff|continuation.letter" in canvas.transitions()
    listed = api(page, "GET", f"packs/{pack}/findings/")
    findings = listed["results"] if isinstance(listed, dict) else listed
    told = {one["code"]: one["level"] for one in findings if "handoff" in one["message"]}
    assert told.get("SR740") == "hint"
    assert not {"SR208", "SR215"} & set(told)
