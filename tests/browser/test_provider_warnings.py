"""A rehearsed run shows that a provider would refuse a request, next to its answer."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, pack_of
from tests.cli.conftest import PACK

PROBLEM = (
    "The request of draft would be refused by Anthropic. The temperature 1.5 is not between 0 and "
    "1."
)


@pytest.mark.slow
def test_the_answer_of_a_rehearsal_names_the_provider_that_would_refuse(page: Page) -> None:
    hot = {**PACK["prompts"]["draft"], "parameters": {"temperature": 1.5}}
    body = {**PACK, "prompts": {**PACK["prompts"], "draft": hot}}
    page.goto("/")
    file = {"mimeType": "application/json", "buffer": json.dumps(body).encode()}
    page.locator("input[name=files]").set_input_files({"name": "hot.promptpack.json", **file})
    page.wait_for_url("**/packs/*/")
    pack = int(pack_of(page))
    run = api(page, "POST", "runs/", {"pack": pack, "driver": "rehearsal"})["id"]
    page.goto(f"/runs/{run}/")
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "completed")
    canvas = Canvas(page)
    canvas.stand()
    side = page.get_by_role("complementary", name="Inspector")
    canvas.state("draft").click()
    side.get_by_role("tab", name="Conversation").click()
    expect(side.locator("[data-reply-warning]").first).to_have_text(PROBLEM)
    canvas.state("review").click()
    expect(side.locator(".node-head")).to_contain_text("review")
    side.get_by_role("tab", name="Conversation").click()
    expect(side.locator("[data-reply]").first).to_be_visible()
    expect(side.locator("[data-reply-warning]")).to_have_count(0)
