"""Export of a pack to another format, and conversion to another dialect."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.page_actions import attribute, open_sample

SAMPLE = "promptpack/mail-triage"


def test_an_older_version_lists_its_losses_before_the_download(page: Page) -> None:
    open_sample(page, SAMPLE, "for-an-old-tool")
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="In another form").click()
    dialog = page.get_by_role("dialog", name="Export")
    own = dialog.locator(attribute("data-export", "own")).get_by_role("radio")
    expect(own).to_be_checked()
    dialog.get_by_text("PromptPack 1.4", exact=True).click()
    said = dialog.get_by_role("region", name="About PromptPack 1.4")
    expect(said.get_by_role("listitem").filter(has_text="omposition").first).to_be_visible()
    with page.expect_download() as downloaded:
        dialog.get_by_role("button", name="Download").click()
    path = downloaded.value.path()
    assert json.loads(Path(path).read_bytes())["id"] == "mail-triage"
    expect(dialog).to_have_count(0)


def test_a_pack_is_converted_and_the_report_read(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "to-be-converted")
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Convert").click()
    dialog = page.get_by_role("dialog", name="Convert")
    dialog.locator(attribute("data-dialect", "stages")).click()
    dialog.get_by_role("button", name="Convert", exact=True).click()
    report = page.get_by_role("dialog", name=re.compile("Converted into"))
    dropped = report.locator("li" + attribute("data-fate", "dropped"))
    kept = report.locator("li" + attribute("data-fate", "kept"))
    expect(dropped.filter(has_text="Only PromptPack runs a composition").first).to_be_visible()
    expect(kept).to_have_count(0)
    report.locator("button" + attribute("data-fate", "kept")).click()
    expect(kept.first).to_be_visible()
    report.get_by_label("Filter the report").fill("sampl")
    expect(kept).to_have_count(0)
    expect(dropped.first).to_contain_text("sampling")
    report.get_by_role("link", name="Open to-be-converted").click()
    expect(canvas.state("read-letter")).to_be_visible()
