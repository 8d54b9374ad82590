"""A team of agents: opened, drawn, checked, bound to a role, and exported unchanged."""

from __future__ import annotations

import difflib

from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, exported, open_sample, pack_of, text_of
from workflows.core.dialects import dialects

LAST = '    { "from": "checker", "to": "lead", "type": "report", "bidirectional": false, '


def _changes(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def _ground(page: Page, x: float, y: float) -> tuple[float, float]:
    box = page.locator(".react-flow").bounding_box()
    assert box is not None
    return box["x"] + box["width"] * x, box["y"] + box["height"] * y


def _dragged_in(page: Page, canvas: Canvas, kind: str, name: str) -> None:
    before = canvas.states()
    canvas.drag_in(kind, _ground(page, 0.5, 0.8))
    expect(page.locator("[data-state]")).to_have_count(len(before) + 1)
    (fresh,) = canvas.states() - before
    canvas.wait_saved()
    canvas.rename(fresh, name)


def test_a_team_is_drawn_checked_and_exported_byte_for_byte(page: Page) -> None:
    canvas = open_sample(page, "agent_graph/feature-team", "Feature team")
    sample = dialects()["agent_graph"].samples()["feature-team"]
    assert exported(page, pack_of(page)) == dict(sample)
    expect(canvas.state("lead")).to_contain_text("orchestrator")
    expect(canvas.state("coder")).to_contain_text("Coder · codex")
    expect(canvas.transition("lead", "task", "coder")).to_have_count(1)
    expect(canvas.transition("coder", "task", "lead")).to_have_count(1)

    before = text_of(page)
    canvas.draw_arrow("coder", "lead", "report")
    canvas.wait_saved()
    assert _changes(before, text_of(page)) == [
        f'- {LAST}"label": "verdict" }}',
        f'+ {LAST}"label": "verdict" }},',
        '+     { "from": "coder", "to": "lead", "type": "report", "bidirectional": false }',
    ]
    page.keyboard.press("Control+z")
    expect(canvas.transition("coder", "report", "lead")).to_have_count(0)
    canvas.wait_saved()
    assert exported(page, pack_of(page)) == dict(sample)

    # An agent that is not reached is a finding with a fix.
    _dragged_in(page, canvas, "investigator", "scout")
    expect(canvas.state("scout")).to_have_attribute("data-finding", "AG404")
    page.get_by_role("button", name="Findings").click()
    page.get_by_role("button", name="Add a handoff from lead").click()
    expect(canvas.transition("lead", "task", "scout")).to_have_count(1)
    expect(page.locator("[data-finding=AG404]")).to_have_count(0)

    # An agent of one's own brings a template to be written.
    canvas = open_sample(page, "agent_graph/blank", "Own role")
    _dragged_in(page, canvas, "agent", "fact-checker")
    (path,) = (name for name in exported(page, pack_of(page)) if name.startswith("docs/"))
    name = path.removeprefix("docs/templates/").removesuffix(".md")
    page.get_by_role("tab", name="Outline").click()
    page.get_by_role("button", name=name, exact=True).click()
    inspector = page.get_by_role("complementary", name="Inspector")
    editor = inspector.get_by_role("textbox", name="Text")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(
        f'[template]\nname = "{name}"\ncapabilities = ["edit_code"]\n\n# Me\n'
    )
    page.keyboard.press("Control+Enter")
    canvas.wait_saved()
    assert text_of(page, path).endswith("# Me\n")
    canvas.state("fact-checker").click()
    rights = inspector.get_by_role("textbox", name="So it may")
    expect(rights).to_have_text("read, hand off, write code")
