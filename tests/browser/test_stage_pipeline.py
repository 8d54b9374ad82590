"""A pipeline of stages from nothing: fork and join by dragging, then two siblings glow at once."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, api, open_sample, pack_of, text_of, type_into

STAGES = [
    ("stage", "implement", 0.3, 0.5),
    ("reader", "review-security", 0.5, 0.25),
    ("reader", "review-tests", 0.5, 0.75),
    ("join", "review-verdict", 0.7, 0.5),
    ("stage", "handoff", 0.88, 0.5),
]
ARROWS = [
    ("plan", "then", "implement"),
    ("implement", "parallel", "review-security"),
    ("implement", "parallel", "review-tests"),
    ("review-security", "join", "review-verdict"),
    ("review-verdict", "approved = true", "handoff"),
    ("review-verdict", "else", "implement"),
]
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["approved", "feedback"],
    "properties": {"approved": {"type": "boolean"}, "feedback": {"type": "string"}},
}
WORDS = "Plan {{ctx.task}} in small steps."


def _write(page: Page, editor: Locator, text: str) -> None:
    """Replace the text of an editor, and save it."""
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")


def _build(page: Page) -> Canvas:
    canvas = open_sample(page, "stages/blank", "feature-delivery")
    canvas.rename("start", "plan")
    ground = page.locator(".react-flow").bounding_box()
    assert ground is not None
    for kind, name, x, y in STAGES:
        before = canvas.states()
        at = (ground["x"] + ground["width"] * x, ground["y"] + ground["height"] * y)
        canvas.drag_in(kind, at)
        expect(page.locator("[data-state]")).to_have_count(len(before) + 1)
        (fresh,) = canvas.states() - before
        canvas.wait_saved()
        canvas.rename(fresh, name)
    return canvas


def _fill_in(page: Page, canvas: Canvas) -> None:
    """The schema and the body of a stage, and how often one may be entered."""
    inspector = page.get_by_role("complementary", name="Inspector")
    canvas.state("review-verdict").click()
    _write(page, inspector.get_by_role("textbox", name="Completion schema"), json.dumps(SCHEMA))
    canvas.wait_saved()
    canvas.state("plan").click()
    _write(page, inspector.get_by_role("textbox", name="Prompt"), f"\n{WORDS}\n")
    canvas.wait_saved()
    canvas.state("implement").click()
    visits = inspector.get_by_label("Visits")
    type_into(visits, "3")
    visits.press("Enter")
    canvas.wait_saved()


def _replies(page: Page) -> list[dict[str, Any]]:
    """The output of each stage, in the shape of its schema; the first verdict is a fail."""
    verdicts = [{"approved": False, "feedback": "Once more."}, {"approved": True, "feedback": ""}]
    found = []
    for stage in ("plan", *(name for _, name, _, _ in STAGES)):
        head = text_of(page, f"stages/{stage}.md").split("---")[1]
        tool = re.search(r"completionTool: (\S+)", head)
        assert tool is not None
        required = re.search(r"required: \[(.*)\]", head)
        plain = dict.fromkeys(required[1].split(", ") if required else [], "Done.")
        for given in verdicts if stage == "review-verdict" else [plain, plain]:
            call = {"name": tool[1], "arguments": given}
            found.append({"state": stage, "tool_calls": [call]})
    return found


@pytest.mark.slow
def test_a_pipeline_is_drawn_filled_in_and_run_with_two_siblings_at_once(page: Page) -> None:
    canvas = _build(page)
    _fill_in(page, canvas)
    for source, label, target in ARROWS:
        canvas.draw_arrow(source, target, label)
        canvas.wait_saved()
    expect(canvas.transition("review-tests", "join", "review-verdict")).to_have_count(1)
    assert WORDS in text_of(page, "stages/plan.md")
    levels = [one["level"] for one in api(page, "GET", f"packs/{pack_of(page)}/findings/")]
    assert "error" not in levels

    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_label("Script").check()
    editor = dialog.get_by_role("textbox", name="Script")
    _write(page, editor, json.dumps({"replies": _replies(page)}))
    type_into(dialog.get_by_label("Value of input task"), "Sort the mail")
    type_into(dialog.get_by_label("Delay per answer"), "0")
    dialog.get_by_role("button", name="Run").click()
    expect(page.locator(".run-area [data-run-status]")).to_have_attribute(
        "data-run-status", "completed"
    )
    (run,) = api(page, "GET", f"runs/?pack={pack_of(page)}")["results"]
    log = api(page, "GET", f"runs/{run['id']}/events/?type=state.entered")["events"]
    siblings = ("review-security", "review-tests")
    page.get_by_label("Event shown").fill(
        str([one["n"] for one in log if one["state"] in siblings][1])
    )
    for sibling in siblings:
        expect(canvas.state(sibling)).to_have_attribute("data-active", "true")
    page.get_by_role("button", name="To the newest").click()
    expect(canvas.state("implement")).to_have_attribute("data-visits", "2")
    for source, label, target in [*ARROWS, ("review-tests", "join", "review-verdict")]:
        taken = canvas.transition(source, label, target).get_attribute("data-visits")
        assert int(taken or 0) > 0, (source, label, target)
