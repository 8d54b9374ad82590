"""The worst case of a workflow script before it starts: read, tried with a number, lowered."""

from __future__ import annotations

import difflib
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.page_actions import import_text, open_sample, text_of
from tests.cli.test_vendor_runs import SCRIPT, claude_code

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "workflows/core/dialects/workflow_scripts/samples/branch-lenses.js"


def test_a_script_shows_its_worst_case_and_a_fix_lowers_it(page: Page) -> None:
    canvas = open_sample(page, "workflow_scripts/branch-lenses", "branch-lenses")
    shown = page.locator("[data-worst-case]")
    expect(shown).to_have_text("≤ ∞ agents")
    shown.click()
    parts = page.get_by_role("dialog", name="Worst case")
    expect(parts).to_contain_text("7 + 18*len(find.findings)")
    slider = parts.get_by_role("slider", name="len(find.findings)")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(shown).to_have_text("≤ 187 agents")
    parts.get_by_label("Tokens of one call").fill("1000000")
    parts.get_by_label("Model of the session").fill("sonnet")
    expect(parts.locator("[data-worst-cost]")).to_contain_text("tokens at the price of output")
    expect(shown).to_contain_text("187 agents · $")
    parts.get_by_role("button", name="Assume nothing").click()
    expect(shown).to_have_text("≤ ∞ agents")
    page.keyboard.press("Escape")
    expect(parts).to_be_hidden()

    page.keyboard.press("Shift+F")
    page.get_by_role("button", name="Cut the list at 20").click()
    expect(shown).to_have_text("≤ 67 agents")
    page.get_by_role("button", name="Pin the model to sonnet").last.click()
    canvas.wait_saved()
    shown.click()
    expect(parts.get_by_role("row", name="sonnet")).to_contain_text("60")

    before, after = SAMPLE.read_text().splitlines(), text_of(page).splitlines()
    changed = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    assert [line[0] for line in changed] == ["-", "+", "+"]


def test_a_run_that_a_runtime_has_recorded_opens_on_the_graph(page: Page, tmp_path: Path) -> None:
    import_text(page, SCRIPT, "hunt.js")
    expect(page.locator("[data-state=find]")).to_be_visible()
    claude_code(tmp_path)
    page.keyboard.press("Control+k")
    page.keyboard.type("Open a recorded run")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Recorded run")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    dialog.get_by_label("Files of one run").set_input_files(written)
    expect(dialog.get_by_role("row", name="fix")).to_contain_text("$0.02 to $1.00")
    expect(dialog).to_contain_text("The pack takes the same path now.")
    dialog.get_by_role("button", name="Show it on the canvas").click()
    expect(dialog).to_be_hidden()
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "completed")
