"""Forms of a pack that uses every field: read, filled in, and written to their places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.page_actions import (
    Canvas,
    api,
    attribute,
    head_of,
    open_sample,
    pack_of,
    type_into,
)

EVERYTHING = Path(__file__).parents[1] / "corpus/promptpack/own/full.pack.json"


def _open(page: Page) -> Canvas:
    text = EVERYTHING.read_text(encoding="utf-8")
    made = api(page, "POST", "import/", {"text": text, "name": "full.pack.json"})
    page.goto(f"/packs/{made['packs'][0]['id']}/")
    canvas = Canvas(page)
    canvas.stand()
    return canvas


def _tree(page: Page) -> Any:
    pack = page.url.split("/packs/")[1].partition("/")[0]
    path = "full.pack.json"
    return json.loads(api(page, "GET", f"packs/{pack}/files/?path={path}")["text"])


def _field(page: Page, pointer: str) -> Locator:
    """A field of the inspector, with everything around it unfolded."""
    for end in [at for at, sign in enumerate(pointer) if sign == "/" and at]:
        around = page.locator(attribute("data-pointer", pointer[:end]))
        expect(around).to_be_visible()
        fold = around.locator("[aria-expanded]").first
        if fold.count() and fold.get_attribute("aria-expanded") == "false":
            fold.click()
    return page.locator(attribute("data-pointer", pointer))


def test_fields_of_every_depth_are_edited_in_their_places(page: Page) -> None:
    canvas = _open(page)
    shown = _field(page, "/(version of the format)").get_by_role("textbox")
    expect(shown).to_have_value("1.9")
    expect(shown).not_to_be_editable()
    owner = _field(page, "/metadata/governance/reviews/0/owner").get_by_role("textbox")
    type_into(owner, "The safety board")
    page.keyboard.press("Enter")
    canvas.wait_saved()
    assert _tree(page)["metadata"]["governance"]["reviews"][0]["owner"] == "The safety board"

    # A condition is filled in without writing JSON.
    canvas.state("c").dblclick()
    canvas.state("k/b").click()
    how = _field(page, "/predicate/all_of/0/op").get_by_role("combobox")
    how.select_option("greater_than")
    canvas.wait_saved()
    first = _tree(page)["compositions"]["k"]["steps"][3]["predicate"]["all_of"][0]
    assert first == {"path": "p", "op": "greater_than", "value": 1}


def test_groups_are_in_the_order_of_use_and_rare_fields_are_folded(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "folds")
    inspector = page.get_by_role("complementary", name="Inspector")
    canvas.state("answer").click()
    rare = inspector.get_by_role("region", name="Rarely used")
    heading = rare.get_by_role("button", name="Rarely used")
    expect(heading).to_have_attribute("aria-expanded", "false")
    expect(heading).to_contain_text("1 set")
    expect(inspector.get_by_role("region", name="Role")).to_be_visible()
    expect(inspector.get_by_role("textbox", name="Prompt", exact=True)).to_be_visible()
    sections = inspector.locator(".pane-body > section")
    names = sections.evaluate_all("all => all.map(one => one.ariaLabel)")
    assert names == ["Prompt", "Flow", "Turn", "Rarely used", "Role", "Goes with"]
    # Folds are kept for other states and after a reload.
    heading.click()
    expect(rare.get_by_role("textbox", name="Description")).to_be_visible()
    flow = inspector.get_by_role("region", name="Flow").get_by_role("button", name="Flow")
    flow.click()
    expect(flow).to_contain_text("set")
    page.goto(page.url.partition("?")[0])  # Without the state, which would be shown first.
    canvas.stand()
    canvas.state("goodbye").click()
    expect(flow).to_have_attribute("aria-expanded", "false")
    expect(heading).to_have_attribute("aria-expanded", "true")
    # A group with a finding opens by itself.
    heading.click()
    expect(heading).to_have_attribute("aria-expanded", "false")
    edit = {"type": "set_field", "element": "state:goodbye", "field": "/control", "value": "cat"}
    api(page, "POST", f"packs/{pack_of(page)}/edits/", {"base": head_of(page), "edits": [edit]})
    expect(heading).to_have_attribute("aria-expanded", "true")
    expect(rare.locator("[data-pointer='/control'] [data-finding]").first).to_be_visible()


@pytest.mark.slow
def test_the_form_of_the_state_before_takes_no_keys(page: Page) -> None:
    canvas = open_sample(page, "promptpack/code-review", "two forms")
    form = page.get_by_role("complementary", name="Inspector").locator(".pane-body")
    canvas.state("review").click()
    form.get_by_role("button", name="Rarely used").click()
    expect(form).to_contain_text("Look at it.")
    held: list[Route] = []
    page.route("**/fields/**", lambda route: held.append(route), times=1)
    canvas.state("implement").click()
    expect(form).to_have_attribute("inert", "")
    expect(form).to_contain_text("Look at it.")
    held[0].continue_()
    expect(form).not_to_have_attribute("inert", "")
    expect(form).not_to_contain_text("Look at it.")
