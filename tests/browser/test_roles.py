"""Roles: create, edit, break, repair, save and restore; and concurrent saves."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import api, attribute, type_into
from tests.browser.page_monitor import PageMonitor

REFUSED = r"status of 4(12|22)"
"""Chromium writes of every answer that refuses."""


def new_role(page: Page, name: str, source: str) -> None:
    page.goto("/roles/")
    page.get_by_text("New role…").click()
    form = page.locator("form[data-new=role]")
    type_into(form.get_by_label("Name"), name)
    form.get_by_label("Begin with").select_option(label=source)
    form.get_by_role("button", name="Make the role").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(message(page, "user")).to_be_visible()


def message(page: Page, which: str) -> Locator:
    return page.locator(f"[data-message={which}]")


def write(page: Page, part: str, text: str) -> Locator:
    """Type at the end of a text of the role; `part` is its JSON pointer."""
    page.locator(attribute("data-section", part)).click()
    box = page.locator(".role-text").get_by_role("textbox")
    box.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(text)
    return box


def saved(page: Page, revision: int) -> None:
    expect(page.locator("[data-saved=true]")).to_have_text(f"Saved · revision {revision}")


def test_a_role_is_written_broken_mended_saved_and_brought_back(
    page: Page, watch: PageMonitor
) -> None:
    watch.pardon(REFUSED)
    new_role(page, "My reviewer", "Reviewer")
    box = write(page, "/system_prompt", "\nWork on {{ git.br")
    offered = page.get_by_role("option", name=re.compile("git.branch"))
    expect(offered).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(box).to_contain_text("Work on {{ git.branch }}")
    expect(message(page, "system")).to_contain_text("Work on agent/add-get-hello")
    page.keyboard.press("Control+s")
    saved(page, 2)

    write(page, "/templates/ticket_task", "{% if %}")
    problem = page.locator("[data-problem=syntax]")
    expect(problem).to_contain_text("Jinja")
    expect(page.locator("[data-refused]")).to_contain_text("Ticket:")
    expect(page.locator("[data-section='/templates/ticket_task'] [data-level=error]")).to_have_text(
        re.compile("1")
    )
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert").first).to_be_visible()
    expect(page.locator("[data-saved=false]")).to_be_visible()
    for _ in "{% if %}":
        page.keyboard.press("Backspace")
    expect(page.locator("[data-refused]")).to_have_count(0)
    page.keyboard.type("{{ message }}")
    expect(page.locator("[data-problem=unknown_variable]")).to_contain_text("message")
    for _ in "{{ message }}":
        page.keyboard.press("Backspace")
    expect(page.locator("[data-problem]")).to_have_count(0)

    write(page, "/templates/cron_task", "")
    expect(page.locator("[data-template=cron_task]")).to_be_visible()
    stands_in = page.locator("[data-template=ticket_task][data-fallback=true]")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(stands_in).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.locator("[data-template=cron_task]")).to_be_visible()
    page.keyboard.press("Control+y")
    expect(stands_in).to_be_visible()
    page.get_by_role("button", name="Save").click()
    saved(page, 3)

    page.get_by_role("button", name="History").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("[data-revision='1']").click()
    dialog.get_by_label("What restoring it would change").check()
    expect(dialog.get_by_role("region", name="Tasks: Schedule")).to_be_visible()
    expect(dialog.get_by_role("region", name="Prompts: System prompt")).to_be_visible()
    dialog.get_by_role("button", name="Restore 1").click()
    saved(page, 4)
    expect(message(page, "system")).not_to_contain_text("agent/add-get-hello")


def test_a_template_reports_header_errors_while_typing(page: Page) -> None:
    page.goto("/templates/investigator/")
    page.get_by_role("button", name="Override").click()
    page.locator(".template-text").get_by_role("textbox").click()
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.type("\nodd = 1")
    expect(page.locator("[data-problem='unknown_key:odd']")).to_be_visible()
    expect(page.locator(".cm-lint-marker")).to_have_count(1)
    page.keyboard.press("Control+s")
    expect(page.get_by_text("The template investigator was saved.")).to_be_visible()
    page.get_by_role("button", name="Remove the override").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete forever").click()
    expect(page.get_by_text("was removed")).to_be_visible()


@pytest.mark.slow
def test_sample_values_change_what_is_sent(page: Page) -> None:
    new_role(page, "Sampled", "A short blank")
    page.get_by_role("combobox", name="Step").select_option("chat")
    page.get_by_role("button", name=re.compile("^Sample values")).click()
    type_into(page.get_by_label("chat.message"), "Is {{ this }} safe?")
    expect(message(page, "user")).to_contain_text("Is {{ this }} safe?")
    page.get_by_label("As one system message").check()
    expect(message(page, "developer")).to_have_count(0)
    page.get_by_role("combobox", name="started by").select_option("cron")
    page.get_by_role("combobox", name="Step").select_option("gate")
    expect(page.locator("[data-template=gate_eval]")).to_be_visible()


@pytest.mark.slow
def test_the_version_of_another_user_is_shown_next_to_mine(page: Page, watch: PageMonitor) -> None:
    watch.pardon(REFUSED)
    new_role(page, "Shared", "Writer")
    role = api(page, "GET", "agent-roles/?q=Shared")["results"][0]
    write(page, "/developer_prompt", "\nMine.")
    theirs = role["prompt_config"] | {"developer_prompt": "Theirs."}
    api(page, "PATCH", f"agent-roles/{role['id']}/", {"prompt_config": theirs})
    page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog", name="This role was changed meanwhile")
    expect(dialog.locator("[data-difference='Prompts: Developer prompt']")).to_contain_text("Mine.")
    dialog.get_by_role("button", name="Keep editing").click()
    expect(page.locator("[data-saved=false]")).to_be_visible()

    # Leaving keeps the draft, and the version that it was made from.
    address = page.url
    page.get_by_role("link", name="Gallery").click()
    page.wait_for_url("**/")
    page.goto(address)
    expect(page.locator("[data-saved=false]")).to_be_visible()

    page.keyboard.press("Control+s")
    dialog.get_by_role("button", name="Save mine over theirs").click()
    saved(page, 3)
    kept = api(page, "GET", f"agent-roles/{role['id']}/prompt/")["prompt_config"]
    assert kept["developer_prompt"].endswith("Mine.")


@pytest.mark.slow
def test_a_copy_is_reset_having_seen_what_goes(page: Page) -> None:
    page.goto("/roles/")
    page.get_by_role("link", name="Investigator", exact=True).first.click()
    expect(message(page, "user")).to_be_visible()
    write(page, "/templates/gate_eval", " And be quick.")
    page.keyboard.press("Control+s")
    saved(page, 2)
    page.goto("/roles/")
    page.get_by_role("link", name="Reset Investigator…").click()
    dialog = page.get_by_role("dialog", name="Reset Investigator")
    expect(dialog.locator("[data-difference='Tasks: Gate']")).to_contain_text("And be quick.")
    dialog.get_by_role("button", name="Reset to Investigator").click()
    saved(page, 3)


@pytest.mark.slow
def test_a_system_role_is_read_and_copied(page: Page) -> None:
    page.goto("/roles/")
    page.locator("[data-system-role=Gatekeeper] a").click()
    expect(message(page, "user")).to_be_visible()
    write(page, "/system_prompt", "x")
    expect(page.locator("[data-saved]")).to_have_count(0)
    page.get_by_role("button", name="Make my copy").click()
    expect(page.get_by_role("heading", name="Gatekeeper 2")).to_be_visible()
