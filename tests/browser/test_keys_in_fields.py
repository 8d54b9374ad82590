"""Keys go to the place where the cursor is seen: fields, forms, panes, dialogs, input methods."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.page_actions import NEXT_FRAME, Canvas, open_sample
from tests.browser.page_monitor import PageMonitor
from tests.browser.typing_places import boxes_of, unfold, value_of
from tests.support.checks import quick_and_slow, quick_every

BOXES = ".code:visible, textarea:visible:not([readonly])"
DRAWN = """() => ({
    states: [...document.querySelectorAll("[data-state]")].map(one => [
        one.dataset.state, one.getAttribute("aria-pressed"), one.closest(".react-flow__node")
            ?.style.transform]),
    arrows: [...document.querySelectorAll("[data-transition]")].map(one => [
        one.dataset.transition, one.getAttribute("aria-pressed")]),
    view: document.querySelector(".react-flow__viewport")?.style.transform,
    popups: document.querySelectorAll(".canvas .popup").length,
})"""


def drawn(page: Page) -> Any:
    return page.evaluate(DRAWN)


def text_in(box: Locator) -> str:
    """The text of an editor or text box."""
    text: str = box.evaluate(
        "one => one.value ?? one.querySelector('.cm-content')?.innerText ?? one.innerText"
    )
    return text


def type_at_the_bottom(page: Page, box: Locator) -> None:
    """Click the bottom row of pixels and type."""
    box.evaluate("one => one.scrollIntoView({block: 'center'})")
    place = box.bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] - 0.5)
    page.keyboard.type("Sno")


def open_inspector(page: Page) -> Canvas:
    canvas = open_sample(page, "promptpack/customer-support", "keys-inspector")
    canvas.state("answer").click()
    expect(page.locator(".prompt-section .cm-content")).to_be_visible()
    return canvas


def open_text(page: Page) -> Canvas:
    canvas = open_sample(page, "promptpack/customer-support", "keys-text")
    page.keyboard.press("Shift+T")
    expect(page.locator(".text-view .cm-content")).to_be_visible()
    return canvas


def open_start(page: Page) -> Canvas:
    canvas = open_sample(page, "promptpack/customer-support", "keys-start")
    page.keyboard.press("Control+Enter")
    page.get_by_role("dialog", name="Run").get_by_label("Script").first.check()
    expect(page.locator("dialog .cm-content")).to_be_visible()
    return canvas


def open_answer(page: Page) -> Canvas:
    canvas = open_sample(page, "promptpack/customer-support", "keys-answer")
    start_manual_run(page)
    page.locator(".question").get_by_role("button", name="Write…").click()
    expect(page.locator(".question .cm-content")).to_be_focused()
    return canvas


def start_manual_run(page: Page) -> None:
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_label("Manual").check()
    for box in dialog.locator("[data-required=true] textarea").all():
        box.fill("Where is my order?")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".question").first).to_be_visible()


def open_pack_form(page: Page) -> Canvas:
    canvas = open_sample(page, "promptpack/customer-support", "keys-pack")
    expect(page.locator(".pane.right .cm-content").first).to_be_visible()
    return canvas


def open_tools(page: Page) -> Canvas:
    canvas = open_sample(page, "promptpack/customer-support", "keys-tools")
    page.get_by_role("button", name="Tools").first.click()
    dialog = page.get_by_role("dialog", name="Tools")
    dialog.get_by_label("A call of it").select_option(label="Fixed answer")
    expect(dialog.locator(BOXES).first).to_be_visible()
    return canvas


PLACES: dict[str, Callable[[Page], Canvas]] = {
    "inspector": open_inspector,
    "form of the pack": open_pack_form,
    "tools": open_tools,
    "text": open_text,
    "start dialog": open_start,
    "answer": open_answer,
}


@pytest.mark.parametrize("place", quick_every(len(PLACES), PLACES))
def test_a_click_at_the_bottom_row_of_a_field_types_into_it(page: Page, place: str) -> None:
    canvas = PLACES[place](page)
    states, arrows = canvas.states(), canvas.transitions()
    boxes = page.locator(BOXES)
    if page.locator("dialog[open]").count():
        boxes = page.locator("dialog[open]").locator(BOXES)
    count = boxes.count()
    assert count
    for index in range(count):
        box = boxes.nth(index)
        type_at_the_bottom(page, box)
        assert "Sno" in text_in(box)
        assert (canvas.states(), canvas.transitions()) == (states, arrows)


def focus_inspector(page: Page) -> None:
    open_inspector(page)
    page.locator(".prompt-section .cm-content").click()


def focus_pane(page: Page) -> None:
    """The focus is on a button of the inspector, not in a field."""
    open_inspector(page)
    page.get_by_role("button", name="Hide the inspector (])").focus()


def focus_drawer(page: Page) -> None:
    open_text(page)
    page.get_by_role("combobox", name="File", exact=True).focus()


def focus_answer(page: Page) -> None:
    open_answer(page)


def focus_dialog(page: Page) -> None:
    open_sample(page, "promptpack/customer-support", "keys-dialog")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog", name="Run")).to_be_visible()


FOCUSED: dict[str, Callable[[Page], None]] = {
    "inspector": focus_inspector,
    "button of the inspector": focus_pane,
    "drawer": focus_drawer,
    "answer": focus_answer,
    "dialog": focus_dialog,
}
KEYS = [
    *"aAbBcCdDeEfFiIkKlLnNrRsSxX0123456789+-=/.,",
    *("Backspace", "Delete", "F2", "ArrowLeft", "ArrowUp", "Alt+ArrowRight", "Shift+ArrowDown"),
    *("Shift+Backspace", "Shift+1", "Shift+2", "Shift+L", "Shift+S", "Shift+C", "Shift+X"),
    *("Control+a", "Control+c", "Control+x", "Control+v", "Control+d"),
]


OWN_STYLE = "Applying inline style"
"""Chromium gives a text that replaces a selection the selection's style, in every editor."""


def press_sequences(page: Page, count: int, seed: int) -> None:
    """Sequences of one to four keys."""
    keys = random.Random(seed)
    # The canvas follows the size of its pane, which a question takes a part of.
    page.evaluate(NEXT_FRAME)
    before = drawn(page)
    pressed = []
    for number in range(count):
        pressed.append(keys.choices(KEYS, k=keys.randint(1, 4)))
        for key in pressed[-1]:
            page.keyboard.press(key)
        if number % 10 == 9 or number == count - 1:
            assert drawn(page) == before, pressed[-10:]


@pytest.mark.quick
def test_keys_in_a_form_change_nothing_on_the_canvas(page: Page, watch: PageMonitor) -> None:
    watch.pardon(OWN_STYLE)
    focus_inspector(page)
    press_sequences(page, 50, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("place", FOCUSED)
def test_many_keys_in_a_form_change_nothing_on_the_canvas(
    page: Page, watch: PageMonitor, place: str
) -> None:
    """2,000 sequences over all places."""
    watch.pardon(OWN_STYLE)
    FOCUSED[place](page)
    press_sequences(page, 400, seed=2)


def test_a_field_that_opens_takes_the_focus(page: Page) -> None:
    canvas = open_inspector(page)
    inspector = page.get_by_role("complementary", name="Inspector")
    inspector.get_by_role("button", name="Go to prompt answer").first.click()
    expect(inspector.locator(".pane-title")).to_have_text("Prompt")
    folded = inspector.locator(".pane-body .disclosure-title[aria-expanded=false]")
    while folded.count():
        folded.first.click()
    states = canvas.states()
    names = inspector.locator(".absent > button.add:visible").all_inner_texts()
    assert names
    for name in names:
        inspector.get_by_role("button", name=name.strip(), exact=True).first.click()
        page.wait_for_function(
            """() => document.activeElement.closest(".pane.right .field")
                && !document.activeElement.closest(".absent")
                && document.activeElement.matches("input, select, .cm-content, button.add")"""
        )
        assert canvas.states() == states
    page.goto("/roles/")
    page.get_by_text("New role…").click()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()


def test_ctrl_enter_presses_the_main_button(page: Page) -> None:
    open_sample(page, "promptpack/customer-support", "keys-main-button")
    page.keyboard.press("Shift+E")
    dialog = page.get_by_role("dialog", name="Export")
    expect(dialog).to_be_visible()
    with page.expect_download():
        page.keyboard.press("Control+Enter")
    page.keyboard.press("Escape")
    start_manual_run(page)
    page.locator(".question").get_by_role("button", name="Write…").click()
    expect(page.locator(".question .cm-content")).to_be_focused()
    page.keyboard.type("It is on its way.")
    before = page.locator(".question").first.inner_text()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".question").first).not_to_have_text(before)


LAYOUTS = {
    "Russian": ("я", "л", "в"),
    "Greek": ("ζ", "κ", "δ"),
    "Hebrew": ("ז", "ל", "ג"),
    "Arabic": ("ئ", "ن", "ي"),
}


@pytest.mark.parametrize("layout", quick_every(len(LAYOUTS), LAYOUTS))
def test_shortcuts_work_on_layouts_without_latin_letters(page: Page, layout: str) -> None:
    canvas = open_sample(page, "promptpack/review-loop", "keys-layouts")
    cdp = page.context.new_cdp_session(page)

    def press_ctrl(letter: str, latin: str) -> None:
        key = {
            "key": letter,
            "code": f"Key{latin}",
            "windowsVirtualKeyCode": ord(latin),
            "modifiers": 2,
        }
        cdp.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **key})
        cdp.send("Input.dispatchKeyEvent", {"type": "keyUp", **key})

    before = canvas.states()
    z, k, d = LAYOUTS[layout]
    canvas.state("draft").click()
    press_ctrl(d, "D")
    expect(page.locator("[data-state]")).to_have_count(len(before) + 1)
    canvas.wait_saved()
    press_ctrl(z, "Z")
    expect(page.locator("[data-state]")).to_have_count(len(before))
    canvas.wait_saved()
    press_ctrl(k, "K")
    expect(page.get_by_role("dialog", name="Command palette")).to_be_visible()


COMPOSED = {
    "Japanese": ("りびゅう", "レビュー"),
    "Chinese": ("shen he", "审核"),
    "Korean": ("검퇴", "검토"),
}


ENDS = {"Windows": "Process", "macOS": "Enter"}
"""The key that ends a composition: on Windows it has no key of its own."""


def compose(cdp: CDPSession, typed: str) -> None:
    """Key by key, as an input method does."""
    for end in range(1, len(typed) + 1):
        shown = {"text": typed[:end], "selectionStart": end, "selectionEnd": end}
        cdp.send("Input.imeSetComposition", shown)


def press_enter(cdp: CDPSession, key: str) -> None:
    pressed = {"key": key, "code": "Enter", "windowsVirtualKeyCode": 229}
    cdp.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **pressed})
    cdp.send("Input.dispatchKeyEvent", {"type": "keyUp", **pressed})


@pytest.mark.parametrize("how", quick_and_slow(["Windows"], ["macOS"]))
def test_enter_of_an_input_method_commits_nothing(page: Page, how: str) -> None:
    """On Windows the key that ends a composition has the code 229 and no key of its own."""
    canvas = open_sample(page, "promptpack/review-loop", f"keys-composed-{how}")
    cdp = page.context.new_cdp_session(page)
    for typed, final in COMPOSED.values():
        canvas.state("draft").click()
        page.keyboard.press("F2")
        name = page.get_by_label("New name for draft")
        expect(name).to_be_focused()
        compose(cdp, typed)
        press_enter(cdp, ENDS[how])
        expect(name).to_be_visible()
        cdp.send("Input.insertText", {"text": final})
        expect(name).to_have_value(final)
        page.keyboard.press("Escape")
        expect(canvas.state("draft")).to_be_visible()


def open_unfolded_inspector(page: Page) -> None:
    open_inspector(page)
    unfold(page, ".pane.right")


def open_new_role(page: Page) -> None:
    page.goto("/roles/")
    page.get_by_text("New role…").click()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()


COMPOSED_IN: dict[str, tuple[Callable[[Page], object], set[str]]] = {
    "inspector": (open_unfolded_inspector, {"", "text", "textarea"}),
    "start dialog": (open_start, {"", "textarea"}),
    "text": (open_text, {""}),
    "form of a page": (open_new_role, {"text"}),
}
"""Places, each with the kinds of its fields that are tried: code is "", lines are `textarea`."""


@pytest.mark.parametrize("place", quick_and_slow(["inspector"], list(COMPOSED_IN)[1:]))
def test_a_composed_text_is_whole_in_each_kind_of_field(page: Page, place: str) -> None:
    opened, wanted = COMPOSED_IN[place]
    opened(page)
    cdp = page.context.new_cdp_session(page)
    whole = "".join(final for _, final in COMPOSED.values())
    kinds = {box.kind: box for box in boxes_of(page) if box.kind in wanted}
    if place == "text":  # The form of the pack is shown too.
        kinds = {"": next(box for box in boxes_of(page) if box.label.endswith(".json"))}
    assert set(kinds) == wanted
    for box in kinds.values():
        place_of = page.locator(f"[data-box='{box.index}']")
        place_of.scroll_into_view_if_needed()
        place_of.focus()
        page.keyboard.press("Control+End")
        for end in ENDS.values():
            for typed, final in COMPOSED.values():
                compose(cdp, typed)
                press_enter(cdp, end)
                cdp.send("Input.insertText", {"text": final})
        assert whole * len(ENDS) in value_of(page, box), box
