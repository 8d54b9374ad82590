"""The prompt of a state: above the other fields in every dialect, edited by a click and typing."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, exported, open_sample, pack_of, text_of
from tests.support.checks import quick_and_slow

SAMPLES = {
    "agent_graph/research-desk": "doubter",
    "promptpack/review-loop": "draft",
    "stages/review-loop": "draft",
    "steps_registry/review-loop": "draft",
}
OTHERS = sorted(SAMPLES.keys() - {"promptpack/review-loop"})


def open_prompt(canvas: Canvas, state: str) -> Locator:
    """Click the card once. Only the id comes before the prompt."""
    canvas.state(state).click()
    inspector = canvas.page.get_by_role("complementary", name="Inspector")
    expect(inspector.locator(f"[data-rename='state:{state}']")).to_have_value(state)
    prompt = inspector.get_by_role("textbox", name="Prompt", exact=True)
    expect(prompt).to_be_visible()
    sections = inspector.locator(".pane-body .field, .pane-body section")
    names = sections.evaluate_all("all => all.map(one => one.className)")
    assert names.index("prompt-section") == 1
    return prompt


def files_of(page: Page) -> dict[str, str]:
    return {path: text.decode() for path, text in exported(page, pack_of(page)).items()}


@pytest.mark.parametrize("sample", quick_and_slow(["promptpack/review-loop"], OTHERS))
def test_a_click_and_typing_edit_a_prompt(page: Page, sample: str) -> None:
    canvas = open_sample(page, sample, f"prompt-{sample.replace('/', '-')}")
    before = files_of(page)
    open_prompt(canvas, SAMPLES[sample]).click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Be kind.")
    page.keyboard.press("Control+Enter")
    canvas.wait_saved()
    after = files_of(page)
    (changed,) = [path for path in before if before[path] != after[path]]
    assert after[changed].replace(" Be kind.", "", 1) == before[changed]


def test_a_name_is_completed_and_declared_while_typing(page: Page) -> None:
    canvas = open_sample(page, "promptpack/review-loop", "prompt-names")
    prompt = open_prompt(canvas, "draft")
    prompt.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" About {{bri")
    offers = page.locator(".cm-tooltip-autocomplete [role=option]")
    expect(offers.first).to_contain_text("brief")
    page.keyboard.press("Enter")
    expect(prompt).to_contain_text("About {{brief}}")
    page.keyboard.type(" in {{tone}} and {{mood")
    expect(page.locator(".cm-unknown-name")).to_have_text(["tone"])
    expect(offers).to_have_text(["Declare “mood”"])
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".cm-unknown-name")).to_have_text(["tone"])
    canvas.wait_saved()
    pack = json.loads(text_of(page))
    (task,) = [one for one in pack["prompts"].values() if "{{mood}}" in one["system_template"]]
    assert task["system_template"].endswith("About {{brief}} in {{tone}} and {{mood}}")
    assert [one["name"] for one in task["variables"]][-1] == "mood"


COLOURS = """all => Object.fromEntries(all.map(one =>
    [one.className.split("cm-name-")[1], getComputedStyle(one).color]))"""


@pytest.mark.slow
def test_tools_are_completed_and_each_kind_of_name_has_a_colour(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "prompt-tools")
    prompt = open_prompt(canvas, "answer")
    prompt.click()
    page.keyboard.press("Control+End")
    offers = page.locator(".cm-tooltip-autocomplete [role=option]")
    page.keyboard.type(" For {{mood")
    expect(offers).to_have_text(["Declare “mood”"])
    page.keyboard.press("Enter")
    page.keyboard.type(" look at {{nope}} and call `look")
    expect(offers).to_contain_text(["look_up_order"])
    page.keyboard.press("Enter")
    page.keyboard.type("`.")
    expect(prompt.locator(".cm-name-tool").last).to_have_text("look_up_order")
    expect(prompt.locator(".cm-name-unknown").last).to_have_text("{{nope}}")
    page.keyboard.press("Enter")
    page.keyboard.type("{{fragments.house_style}} {{request}")
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        colours = prompt.locator(".cm-name").evaluate_all(COLOURS)
        assert {"variable", "fragment", "tool", "unknown"} <= set(colours)
        assert len(set(colours.values())) == len(colours), colours


@pytest.mark.slow
def test_a_wide_prompt_leaves_the_canvas_usable_and_is_remembered(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    canvas = open_sample(page, "promptpack/customer-support", "prompt-wide")
    first, second = sorted(canvas.states())[:2]
    prompt = open_prompt(canvas, first)
    page.locator(".react-flow__pane").press("W")
    pane = page.get_by_role("complementary", name="Inspector")
    expect(page.get_by_role("button", name="Narrow the prompt (W)")).to_be_visible()
    box, room = prompt.bounding_box(), page.get_by_role("main", name="Canvas").bounding_box()
    assert box
    assert room
    assert box["width"] >= 480
    assert room["width"] >= 480
    scroller = pane.locator(".prompt-section .cm-scroller").bounding_box()
    assert scroller
    assert scroller["height"] >= 480
    # A fit shows every card next to it, and a selection there shows its prompt.
    page.keyboard.press("Shift+1")
    for state in canvas.states():
        card = canvas.state(state).bounding_box()
        assert card
        assert room["x"] <= card["x"]
        assert card["x"] + card["width"] <= room["x"] + room["width"]
    canvas.state(second).click()
    expect(pane.locator(f"[data-rename='state:{second}']")).to_have_value(second)
    page.reload()
    canvas.stand()
    canvas.state(second).click()
    expect(page.get_by_role("button", name="Narrow the prompt (W)")).to_be_visible()
    prompt.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Be kind.")
    # From inside the editor, which keeps its text and its cursor.
    page.keyboard.press("Control+.")
    expect(page.get_by_role("button", name="Widen the prompt (W)")).to_be_visible()
    page.keyboard.type(" Be short.")
    page.keyboard.press("Control+Enter")
    canvas.wait_saved()
    assert any(" Be kind. Be short." in text for text in files_of(page).values())
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    page.keyboard.press("?")
    shortcuts = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(shortcuts).to_contain_text("Widen or narrow the prompt")


@pytest.mark.slow
def test_a_card_shows_the_first_line_of_its_prompt_and_the_findings_of_it(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "prompt-on-card")
    card = canvas.state("goodbye")
    line = card.locator(".state-prompt")
    expect(line).to_have_text("Thank the customer and close the conversation in two sentences.")
    expect(card.locator(".state-badge")).to_have_count(0)
    open_prompt(canvas, "goodbye").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("Thank {{nope}}.")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    expect(line).to_have_text("Thank {{nope}}.")
    expect(card.locator(".state-badge")).to_have_attribute("data-finding", "PP302")
    canvas.wait_saved()


@pytest.mark.slow
def test_a_rename_asks_for_no_form_of_the_old_prompt(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "prompt-renamed")
    refused: list[str] = []
    page.on("response", lambda one: refused.append(one.url) if one.status >= 400 else None)
    open_prompt(canvas, "intake")
    canvas.rename("intake", "welcome")
    expect(canvas.page.get_by_role("textbox", name="Prompt", exact=True)).to_be_visible()
    expect(canvas.state("welcome").locator(".state-role")).to_contain_text("welcome")
    assert refused == []
