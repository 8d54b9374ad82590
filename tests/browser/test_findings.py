"""Bad input is normal input: every import ends in a pack with findings or in an error message."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, attribute, import_text, pack_zip, text_of
from tests.browser.page_monitor import PageMonitor

WRONG: dict[str, Any] = {
    "id": "wrong",
    "name": "Wrong",
    "version": "1.0.0",
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "prompts": {
        one: {"id": one, "name": one, "version": "1.0.0", "system_template": f"Do {one}."}
        for one in ("sort", "weigh")
    },
    "workflow": {
        "version": 1,
        "entry": "sort",
        "states": {
            "sort": {"prompt_task": "sort", "on_event": {"Sorted": "wiegh"}},
            "weigh": {"prompt_task": "weigh", "on_event": {}, "terminal": True},
        },
    },
}


def test_an_unsafe_zip_is_refused_and_a_wrong_pack_is_mended_by_a_click(
    page: Page, watch: PageMonitor
) -> None:
    watch.pardon(r"status of 4\d\d.*/import/")
    page.goto("/")
    unsafe = pack_zip({"../escaped.pack.json": json.dumps(WRONG).encode()})
    page.locator("input[name=files]").set_input_files(
        {"name": "climbing.zip", "mimeType": "application/zip", "buffer": unsafe}
    )
    said = page.locator(".import-progress")
    expect(said).to_contain_text("Not imported")
    expect(said).to_contain_text("../escaped.pack.json")
    said.get_by_role("button", name="Close").click()
    expect(said).to_have_count(0)

    import_text(page, json.dumps(WRONG, indent=2), "wrong.pack.json")
    canvas = Canvas(page)
    expect(canvas.state("sort")).to_be_visible()
    arrow = page.locator(attribute("data-transition", "sort|Sorted|wiegh"))
    expect(arrow).to_have_attribute("data-finding", re.compile(r"\w+"))
    expect(canvas.state("weigh").locator("[data-finding]")).to_be_visible()
    page.get_by_role("button", name="Show the findings").click()
    listed = page.get_by_role("list", name="Findings").locator("[data-finding]")
    row = listed.filter(has_text="wiegh").first
    expect(row).to_be_visible()
    code = row.get_attribute("data-finding") or ""
    before = listed.count()

    row.locator(".finding-text").click()
    expect(
        page.get_by_role("complementary", name="Inspector")
        .locator(attribute("data-finding", code))
        .first
    ).to_be_visible()
    row.get_by_role("button", name="weigh").last.click()
    expect(listed.filter(has_text="wiegh")).to_have_count(0)
    canvas.wait_saved()
    assert listed.count() < before
    expect(canvas.transition("sort", "Sorted", "weigh")).to_have_count(1)
    states = json.loads(text_of(page))["workflow"]["states"]
    assert states["sort"]["on_event"] == {"Sorted": "weigh"}
