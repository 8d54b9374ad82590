"""Bad input is normal input: every import ends in a pack with findings or in an error message."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, attribute, text_of
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


def _paste(page: Page, text: str, name: str) -> None:
    page.goto("/")
    page.get_by_text("Paste text…").click()
    page.get_by_label("Pasted text").fill(text)
    page.get_by_label("File name").fill(name)
    page.get_by_role("button", name="Import text").click()
    page.wait_for_url("**/packs/*/")


def test_a_wrong_pack_shows_where_and_one_click_mends_it(page: Page) -> None:
    _paste(page, json.dumps(WRONG, indent=2), "wrong.pack.json")
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


def test_invalid_json_becomes_a_pack_whose_text_opens_at_the_line(page: Page) -> None:
    text = '{\n  "id": "torn",\n  "version": "1.0.0",\n  "prompts": {\n    "a": {,}\n  }\n}\n'
    _paste(page, text, "torn.pack.json")
    page.get_by_role("button", name="Show the findings").click()
    row = page.get_by_role("list", name="Findings").locator("[data-finding]").first
    expect(row).to_be_visible()
    row.get_by_title("Show in the text").click()
    editor = page.get_by_role("textbox", name="torn.pack.json")
    expect(editor).to_be_visible()
    expect(page.locator(".cm-lint-marker")).to_have_count(1)
    expect(editor).to_be_focused()
    assert page.evaluate("getSelection().toString()").strip() == '"a": {,}'
    assert text_of(page) == text


def test_a_zip_with_unsafe_paths_is_refused_with_a_message(page: Page, watch: PageMonitor) -> None:
    watch.pardon(r"status of 4\d\d.*/import/")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../escaped.pack.json", json.dumps(WRONG))
    page.goto("/")
    page.locator("input[name=files]").set_input_files(
        {"name": "climbing.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}
    )
    said = page.locator(".import-progress")
    expect(said).to_contain_text("Not imported")
    expect(said).to_contain_text("../escaped.pack.json")
    said.get_by_role("button", name="Close").click()
    expect(said).to_have_count(0)
