"""A real model connection: created, tested, and used by a run whose text streams to the page."""

from __future__ import annotations

import threading

from playwright.sync_api import Page, expect

from tests.browser.page_actions import open_sample, type_into
from tests.support.model_server import Answer, ErrorReply, HeldReply, ModelServer, TextReply

KINDS = {"openai": ("OpenAI", "gpt-4o"), "anthropic": ("Anthropic", "claude-opus-4-8")}


def leads(event: str, text: str = "") -> TextReply:
    arguments = {"event": event, "context": "Go on."}
    return TextReply(text=text, tool_calls=(("workflow__transition", arguments),))


def connect(page: Page, server: ModelServer, kind: str) -> None:
    words, model = KINDS[kind]
    page.goto("/settings/")
    section = page.get_by_role("region", name="Connections to models")
    form = section.locator("form").last
    type_into(form.get_by_label("Name of a new connection"), f"My {words}")
    form.get_by_label("Kind").select_option(label=words)
    type_into(form.get_by_label("Base URL"), server.url(kind))
    type_into(form.get_by_label("Model"), model)
    type_into(form.get_by_label("Key"), "sk-not-to-be-seen")
    form.get_by_role("button", name="Add the connection").click()
    section.get_by_role("button", name=f"Test My {words}").click()
    expect(page.get_by_text(f"{model} answered after")).to_be_visible()
    assert "sk-not-to-be-seen" not in page.content()


def test_a_model_answer_streams_and_the_run_continues_after_a_fault(page: Page) -> None:
    """Over Anthropic's protocol."""
    kind = "anthropic"
    words, model = KINDS[kind]
    released = threading.Event()
    slow = HeldReply(says=leads("ChangeReady", "Let me look at it."), pieces=5, until=released)
    answers: list[Answer] = [TextReply(text="OK"), slow, ErrorReply(status=401, message="Expired.")]
    with ModelServer(*answers, leads("Approved"), TextReply(text="All is well.")) as server:
        connect(page, server, kind)
        canvas = open_sample(page, "promptpack/code-review", f"model-{kind}")
        page.get_by_role("button", name="Run", exact=True).click()
        dialog = page.get_by_role("dialog", name="Run")
        dialog.get_by_role("radio", name="Model A real").check()
        dialog.get_by_role("combobox", name="Connection").select_option(f"My {words}")
        # Pieces of text are shown and never stored: only who watches already sees the first.
        dialog.get_by_label("Start paused").check()
        dialog.get_by_role("button", name="Run").click()
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "paused")
        page.get_by_role("button", name="Resume", exact=True).click()
        expect(page.locator(".streaming")).to_contain_text("Let me")
        released.set()
        expect(status).to_have_attribute("data-run-status", "paused")
        words_of_it = f"The connection “My {words}” rejected its key"
        log = page.locator('[data-event="run.paused"]').filter(has_text=words_of_it)
        expect(log).to_have_count(1)
        page.get_by_role("button", name="Resume", exact=True).click()
        expect(status).to_have_attribute("data-run-status", "completed")
        expect(canvas.transition("review", "Approved", "done")).to_have_attribute(
            "data-visits", "1"
        )
    assert {asked.model for asked in server.asked} == {model}
