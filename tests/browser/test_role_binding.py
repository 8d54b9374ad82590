"""A role is written, seen in what would be sent, bound to a state, and found in a run's prompts."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, api, exported, open_sample, pack_of, type_into

STATE = "initial.read"
CONFIG: dict[str, Any] = {
    "system_prompt": "You are {{ role_local.name }}, and you count twice.",
    "templates": {"ticket_task": "t", "chat_task": "c", "gate_eval": "g"},
    "output_templates": {"agent_done": "DONE", "gate_pass": "YES: why", "gate_fail": "NO: why"},
}
BLOCKS = ["System context", "Role template", "Mode preamble", "Task payload", "Override"]


def written(page: Page, name: str) -> int:
    """A role of this name, in this server's database."""
    made = api(page, "POST", "agent-roles/", {"name": name, "prompt_config": CONFIG})
    return int(made["id"])


def inspector(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Inspector")


def block(place: Locator, title: str) -> Locator:
    return place.get_by_role("region", name=title, exact=True)


def bind(page: Page, role: str) -> None:
    dialog = page.get_by_role("dialog")
    type_into(dialog.get_by_role("combobox", name="Role"), role)
    expect(dialog.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)


def test_a_role_does_the_work_and_its_five_blocks_are_in_the_run(page: Page) -> None:
    role = written(page, "Counter")
    canvas = open_sample(page, "steps_registry/triage-bot", "counted")
    pack = pack_of(page)
    before = exported(page, pack)

    canvas.state(STATE).click()
    side = inspector(page)
    side.get_by_role("button", name="Preview what is sent").click()
    expect(block(side, "Task payload")).to_contain_text("# Read issue")
    expect(block(side, "Role template")).to_contain_text("empty")
    canvas.state(STATE).press("b")
    bind(page, "Counter")
    expect(canvas.state(STATE).locator("[data-bound]")).to_have_attribute("data-bound", str(role))
    expect(block(side, "Role template")).to_contain_text("You are Counter, and you count twice.")
    canvas.wait_saved()
    assert exported(page, pack) == before, "the author's files know nothing of it"

    changed = {**CONFIG, "system_prompt": "You count three times."}
    api(page, "PATCH", f"agent-roles/{role}/prompt/", {"prompt_config": changed})
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(block(side, "Role template")).to_contain_text("You count three times.")

    side.get_by_role("button", name="Kind, mode and override").click()
    type_into(side.get_by_role("textbox", name="Override"), "Answer in French.")
    page.keyboard.press("Control+Enter")
    expect(block(side, "Override")).to_contain_text("Answer in French.")
    side.get_by_role("button", name="Planning", exact=True).click()
    expect(block(side, "Mode preamble")).to_contain_text("Mode: PLANNING.")
    canvas.wait_saved()

    run_in_planning(page)
    drawer = page.get_by_role("tablist", name="Drawer")
    drawer.get_by_role("tab", name="Prompts").click()
    page.get_by_role("list", name="Prompts sent").get_by_role("button").first.click()
    prompt = page.get_by_role("region", name="Prompt", exact=True)
    (logged,) = [one for one in log_of(page) if one["type"] == "prompt.logged" and one["turn"] == 1]
    assert "".join(logged["blocks"]) == "systemrolemodetaskoverride"
    for title, (name, text) in zip(BLOCKS, logged["blocks"].items(), strict=True):
        digest = hashlib.sha256(text.encode()).hexdigest()
        assert logged["block_hashes"][name] == digest
        shown = block(prompt, title).locator(".hash")
        expect(shown).to_have_attribute("title", f"SHA-256 of {title}: {digest}")
        expect(shown).to_contain_text(digest[:12])
    expect(block(prompt, "Role template")).to_contain_text("You count three times.")
    expect(block(prompt, "Mode preamble")).to_contain_text("Mode: PLANNING.")
    expect(block(prompt, "Override")).to_contain_text("Answer in French.")
    expect(prompt.get_by_text("full", exact=True)).to_be_visible()

    page.get_by_role("list", name="Prompts sent").get_by_role("button").nth(2).click()
    # Its blocks are the same as before, but the conversation that was sent has grown.
    expect(prompt.locator("[data-repeated]")).to_have_count(0)
    expect(prompt.locator("[data-request]")).to_contain_text("6 messages, 3 new")
    expect(
        block(prompt, "Task payload").get_by_role("img", name="same as last turn")
    ).to_be_visible()
    page.get_by_role("tab", name="Run log").click()
    expect(page.locator("[data-repeat]")).to_have_count(0)
    page.get_by_role("tab", name="Artifacts").click()
    expect(page.locator("[data-artifact=prompt]")).to_have_count(3)


def run_in_planning(page: Page) -> None:
    """Run with a script whose model reads the issue again and again."""
    again = '{"structured": {"next_action": {"action": "repeat"}}}'
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_role("radio", name="Script").check()
    editor = dialog.get_by_role("textbox", name="Script")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text('{"replies": [' + f"{again}, {again}" + "]}")
    type_into(dialog.get_by_label("Delay per answer (ms)"), "0")
    dialog.get_by_role("button", name="Planning").click()
    type_into(dialog.get_by_label("Value of input issue"), "42")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(page.locator("[data-run-status=failed]")).to_be_visible()


def log_of(page: Page) -> list[dict[str, Any]]:
    page.wait_for_url("**run=**")
    run = page.url.partition("run=")[2].partition("&")[0]
    events: list[dict[str, Any]] = api(page, "GET", f"runs/{run}/events/")["events"]
    return events


@pytest.mark.slow
def test_several_states_are_bound_at_once_and_undone_at_once(page: Page) -> None:
    written(page, "Binder")
    canvas = open_sample(page, "promptpack/code-review", "bound")
    canvas.state("implement").click()
    canvas.state("review").click(modifiers=["Shift"])
    page.keyboard.press("Control+k")
    type_into(page.get_by_role("combobox", name="Command"), "Bind to a role")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Role of 2 states")).to_be_visible()
    bind(page, "Binder")
    expect(page.locator("[data-state] [data-bound]")).to_have_count(2)
    canvas.wait_saved()
    page.locator(".react-flow").press("Control+z")
    expect(page.locator("[data-state] [data-bound]")).to_have_count(0)
    page.locator(".react-flow").press("Control+y")
    expect(page.locator("[data-state] [data-bound]")).to_have_count(2)


@pytest.fixture
def reviewed(page: Page) -> Canvas:
    """A pack with a state bound to a role."""
    written(page, "Judge")
    canvas = open_sample(page, "promptpack/code-review", "judged")
    canvas.state("review").click()
    page.locator(".react-flow").press("b")
    bind(page, "Judge")
    canvas.wait_saved()
    return canvas


@pytest.mark.slow
def test_a_state_becomes_a_gate_and_is_left_to_itself_again(page: Page, reviewed: Canvas) -> None:
    side = inspector(page)
    side.get_by_label("Works as a gate").check()
    side.get_by_label("Fail takes (arrow of review)").select_option("Rejected")
    reviewed.wait_saved()
    states = api(page, "GET", f"packs/{pack_of(page)}/graph/")["states"]
    (kept,) = [one["bound"]["gate"] for one in states if one["bound"]]
    assert kept == {"pass": "Approved", "fail": "Rejected"}
    side.get_by_role("button", name="Preview what is sent").click()
    expect(block(side, "Task payload")).to_contain_text("YES: why")
    side.get_by_role("button", name="Unbind: leave the state to its own prompt").click()
    expect(page.locator("[data-state] [data-bound]")).to_have_count(0)
    expect(side.get_by_role("button", name="Bind to a role…")).to_be_visible()


@pytest.mark.slow
def test_a_note_is_a_mark_on_the_card(page: Page) -> None:
    canvas = open_sample(page, "promptpack/code-review", "noted")
    canvas.state("review").click()
    type_into(inspector(page).get_by_label("Note", exact=True), "Ask before you change this.")
    page.keyboard.press("Control+Enter")
    mark = canvas.state("review").locator(".state-note")
    expect(mark).to_have_attribute("title", "Ask before you change this.")
    canvas.wait_saved()
    page.reload()
    expect(mark).to_have_attribute("title", "Ask before you change this.")
