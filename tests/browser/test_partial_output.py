"""Streamed text of a model: complete for late subscribers, and streamed again in a replay."""

from __future__ import annotations

import threading

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import open_sample
from tests.browser.test_model_run import connect, leads
from tests.support.model_server import HeldReply, ModelServer, TextReply

WORDS = "Let me look at the change before I say anything about it."


@pytest.mark.slow
def test_a_late_subscriber_sees_the_partial_output_and_a_replay_streams_it(
    page: Page,
) -> None:
    released = threading.Event()
    slow = HeldReply(says=leads("ChangeReady", WORDS), pieces=6, until=released)
    with ModelServer(
        TextReply(text="OK"), slow, leads("Approved", "Fine."), TextReply(text="Done.")
    ) as server:
        connect(page, server, "openai")
        open_sample(page, "promptpack/code-review", "late")
        page.get_by_role("button", name="Run", exact=True).click()
        dialog = page.get_by_role("dialog", name="Run")
        dialog.get_by_role("radio", name="Model A real").check()
        dialog.get_by_role("combobox", name="Connection").select_option("My OpenAI")
        dialog.get_by_role("button", name="Run").click()
        streaming = page.locator(".streaming")
        expect(streaming).to_have_text("Let me look at the ")

        page.reload()
        expect(streaming).to_have_text("Let me look at the ")
        released.set()
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "completed")
        expect(streaming).to_have_count(0)

    play = page.get_by_role("button", name="Play (K)")
    assert "not recorded" in (play.get_attribute("title") or "")
    play.click()
    expect(streaming).to_have_text(WORDS)
    expect(page.get_by_role("button", name="Play (K)")).to_be_visible()
    expect(streaming).to_have_count(0)
