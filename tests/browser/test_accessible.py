"""No page may shut anybody out: axe finds nothing serious or critical, contrast included."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening, Server
from tests.browser.hands import Canvas, api, open_sample

THEMES = ("light", "dark")


def _grave(page: Page) -> list[str]:
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.fixture(params=THEMES)
def page(request: pytest.FixtureRequest, opening: Opening, server: Server, signed_in: Any) -> Page:
    return opening(server, signed_in, color_scheme=request.param).new_page()


@pytest.mark.parametrize("address", ["/", "/?q=no-such-pack", "/runs/", "/settings/"])
def test_a_page_around_the_canvas_shuts_nobody_out(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert _grave(page) == []


def test_the_way_in_shuts_nobody_out(opening: Opening, server: Server) -> None:
    page = opening(server, None).new_page()
    page.goto("/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert _grave(page) == []


def test_the_editor_shuts_nobody_out(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "for-everybody")
    canvas.state("intake").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_label("Id", exact=True)).to_have_value("intake")
    assert _grave(page) == []
    for key, tab in (("Shift+F", "Findings"), ("Shift+H", "History"), ("Shift+O", "Outline")):
        page.locator(".canvas").press(key)
        expect(page.get_by_role("tab", name=tab, selected=True)).to_be_visible()
    page.get_by_role("tab", name="Text").click()
    expect(page.locator(".cm-content").first).to_be_visible()
    assert _grave(page) == []


def test_a_level_and_the_ways_out_shut_nobody_out(page: Page) -> None:
    canvas = open_sample(page, "promptpack/mail-triage", "a-level-for-everybody")
    canvas.state("read_letter").dblclick()
    canvas.state("triage/is_complaint").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_label("Id", exact=True)).to_have_value("is_complaint")
    assert _grave(page) == []
    page.locator(".canvas").press("Shift+E")
    dialog = page.get_by_role("dialog", name="Export")
    dialog.get_by_text("PromptPack 1.4", exact=True).click()
    expect(dialog.get_by_role("listitem").first).to_be_visible()
    assert _grave(page) == []
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Convert").click()
    page.get_by_role("dialog", name="Convert").get_by_role("button", name="Convert").click()
    expect(page.get_by_role("link", name="Open a-level-for-everybody")).to_be_visible()
    assert _grave(page) == []


def test_a_run_shuts_nobody_out(page: Page) -> None:
    page.goto("/")
    made = api(page, "POST", "packs/", {"sample": "promptpack/code-review"})
    run = api(page, "POST", "runs/", {"pack": made["id"], "driver": "manual"})
    page.goto(f"/runs/{run['id']}/")
    expect(page.get_by_role("region", name="Waiting for you")).to_be_visible()
    expect(Canvas(page).state("implement")).to_be_visible()
    assert _grave(page) == []
