"""Tools of a pack: bound, tested and used on the page; the model is chosen there too."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import api, open_sample, pack_of, type_into


def open_tools(page: Page) -> Locator:
    page.keyboard.press("Control+k")
    type_into(page.get_by_role("combobox", name="Command"), "tools")
    page.keyboard.press("Enter")
    return page.get_by_role("dialog", name="Tools")


def test_a_tool_is_bound_tried_and_called_in_a_run(page: Page) -> None:
    open_sample(page, "promptpack/code-review", "tools")
    dialog = open_tools(page)
    expect(dialog.get_by_role("status")).to_have_text("1 tool is bound, 1 asks a person.")
    files = dialog.get_by_role("region", name="Tool read_file")
    expect(files.get_by_label("A call of it")).to_have_value("files")
    dialog.get_by_role("button", name="run_tests").click()
    form = dialog.get_by_role("region", name="Tool run_tests")
    form.get_by_role("button", name="Call it").click()
    expect(form.locator("[data-outcome=person]")).to_contain_text("not bound")
    form.get_by_label("A call of it").select_option(label="HTTP request")
    type_into(form.get_by_label("URL"), "http://10.0.0.1/help")
    form.get_by_role("button", name="Secret").click()
    type_into(form.get_by_label("Name of secret 1"), "x-key")
    type_into(form.get_by_label("Value of secret x-key"), "hunter22")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_text("x-key •••")).to_be_visible()
    form.get_by_role("button", name="Call it").click()
    expect(form.locator("[data-outcome=error]")).to_contain_text("private address")
    assert "hunter22" not in page.content()
    form.get_by_label("A call of it").select_option(label="Fixed answer")
    form.get_by_role("button", name="result").click()
    type_into(form.get_by_role("textbox", name="result"), "Read the manual.")
    form.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("status")).to_have_text("2 tools are bound.")
    form.get_by_role("button", name="Call it").click()
    expect(form.locator("[data-outcome=result]")).to_contain_text("Read the manual.")
    dialog.get_by_role("button", name="Close").last.click()
    start_with_script(page, [{"tool_calls": [{"name": "run_tests", "arguments": {}}]}])
    returned = page.locator('[data-event="tool.returned"]')
    expect(returned.first).to_contain_text("Read the manual.")


def start_with_script(page: Page, replies: list[object]) -> None:
    """By the API: the dialog only has to show the state of the tools."""
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_role("radio", name="Script Answers").check()
    expect(dialog.get_by_text("2 tools are bound.")).to_be_visible()
    dialog.get_by_role("button", name="Edit tools").click()
    expect(page.get_by_role("dialog", name="Tools")).to_be_visible()
    script = {"replies": replies, "repeat_last": True}
    body = {"pack": int(pack_of(page)), "driver": "script", "script": script,
            "budget": {"model_calls": 3}}  # fmt: skip
    run = api(page, "POST", "runs/", body)
    page.goto(f"/runs/{run['id']}/")


@pytest.mark.slow
def test_the_model_is_chosen_for_the_pack_and_for_a_state(page: Page) -> None:
    address = {"kind": "openai", "key": "k", "model": "gpt-4o"}
    for name in ("Big", "Small"):
        api(page, "POST", "connections/", {"name": name, **address})
    open_sample(page, "promptpack/code-review", "models")
    page.keyboard.press("Control+k")
    type_into(page.get_by_role("combobox", name="Command"), "models")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Models")
    dialog.get_by_label("Connection for The whole pack").select_option("Small")
    dialog.get_by_label("A state of its own").select_option("review")
    dialog.get_by_label("Connection for review").select_option("Big")
    model = dialog.get_by_label("Model for review")
    type_into(model, "gpt-4o-mini")
    model.press("Enter")
    dialog.get_by_role("button", name="Close").last.click()
    page.get_by_role("button", name="Run", exact=True).click()
    start = page.get_by_role("dialog", name="Run")
    start.get_by_role("radio", name="Model A real").check()
    choice = start.get_by_role("combobox", name="Connection")
    expect(choice.locator("option").first).to_have_text("the pack's: Small")
    expect(start.get_by_text("One state asks a model of its own.")).to_be_visible()
    said = api(page, "GET", f"packs/{pack_of(page)}/models/")
    assert said["pack"] == {"connection": "Small", "model": ""}
    assert said["states"] == {"review": {"connection": "Big", "model": "gpt-4o-mini"}}
