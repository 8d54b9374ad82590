"""A chat with one prompt of a pack that has no workflow."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

PACK = {
    "id": "desk",
    "name": "Desk",
    "version": "1.0.0",
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "prompts": {
        name: {"id": name, "name": name, "version": "1.0.0", "system_template": f"You are {name}."}
        for name in ("ask", "sort")
    },
}


def test_a_person_chooses_a_prompt_and_chats_with_it(page: Page) -> None:
    page.goto("/")
    page.locator("input[name=files]").set_input_files(
        {
            "name": "desk.pack.json",
            "mimeType": "application/json",
            "buffer": json.dumps(PACK).encode(),
        }
    )
    page.wait_for_url("**/packs/*/")
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_label("Manual").check()
    dialog.get_by_role("button", name="Run").click()
    expect(dialog).to_contain_text("Choose a value for Prompt.")
    dialog.get_by_label("Prompt").select_option("sort")
    dialog.get_by_role("checkbox", name="Chat").check()
    dialog.get_by_role("button", name="Run").click()

    waiting = page.get_by_role("region", name="Waiting for you")
    for number, words in enumerate(("What shall I sort?", "Letters, please.", "Sorted.")):
        if number % 2:  # the person's turn
            expect(waiting).to_contain_text("What shall I sort?")
            waiting.get_by_role("button", name="Write…").click()
        else:
            expect(waiting).to_contain_text("Answer as the model")
        waiting.get_by_role("textbox").last.click()
        page.keyboard.type(words)
        waiting.get_by_role("button", name="Send the answer").click()
    expect(waiting).to_contain_text("Sorted.")
    waiting.get_by_role("button", name="End the chat").click()
    status = page.locator(".run-area [data-run-status]")
    expect(status).to_have_attribute("data-run-status", "completed")
