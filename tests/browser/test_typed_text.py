"""Typed text is kept at every place, in every way that a page ends."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Dialog, Locator, Page, Playwright, expect

from tests.browser.page_actions import (
    NEXT_FRAME,
    Canvas,
    api,
    head_of,
    open_sample,
    pack_of,
    text_of,
    wait_until,
)
from tests.browser.page_monitor import PageMonitor
from tests.browser.typing_places import (
    Asked,
    Box,
    boxes_of,
    linked_pages,
    ready,
    type_into,
    unfold,
    value_of,
)
from tests.support.checks import quick_and_slow
from tests.support.live_server import LiveServer
from tests.support.processes import running


def state_form(page: Page) -> None:
    Canvas(page).state("answer").click()
    named = page.get_by_role("complementary", name="Inspector").get_by_label("Id", exact=True)
    expect(named).to_have_value("answer")
    expect(page.locator(".prompt-loading")).to_have_count(0)
    unfold(page, ".pane.right .pane-body")


def pack_form(page: Page) -> None:
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    expect(page.locator(".pane.right .pane-title")).to_have_text("Pack")
    unfold(page, ".pane.right .pane-body")


def text_drawer(page: Page) -> None:
    if page.locator(".text-view").count() == 0:
        page.keyboard.press("Shift+T")
    expect(page.locator(".text-view .cm-content")).to_be_visible()


def history(page: Page) -> None:
    if page.get_by_label("Name of revision 1").count() == 0:
        page.keyboard.press("Shift+H")
    expect(page.get_by_label("Name of revision 1")).to_be_visible()


def start_dialog(page: Page) -> None:
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="Run")
    expect(dialog.locator("[data-inputs] textarea").first).to_be_attached()
    dialog.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")


def tools_dialog(page: Page) -> None:
    page.get_by_role("button", name="Tools").first.click()
    dialog = page.get_by_role("dialog", name="Tools")
    expect(dialog.locator(".tool-form")).to_be_visible()
    kind = dialog.get_by_label("A call of it")
    if kind.input_value() != "http":
        kind.select_option("http")
    expect(dialog.locator(".tool-form .field").nth(1)).to_be_visible()


def models(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("model choices")
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open] [data-asks] input").first).to_be_visible()


def git_export(page: Page) -> None:
    page.keyboard.press("Shift+E")
    page.get_by_role("button", name="To a git repository…").click()
    expect(page.get_by_role("dialog", name="Export to a git repository")).to_be_visible()


def answer(page: Page) -> None:
    question = page.locator(".question")
    opens = question.get_by_role("button", name="Write…")
    expect(opens).to_be_visible()
    page.evaluate(NEXT_FRAME)  # A kept answer is opened by itself.
    if question.locator(".cm-content, textarea").count() == 0:
        opens.click()
    expect(question.locator(".cm-content")).to_be_visible()


def run_menu(page: Page, entry: str) -> Locator:
    page.get_by_role("button", name="More of this run").click()
    page.get_by_role("menuitem", name=entry).click()
    dialog = page.locator("dialog[open]")
    expect(dialog.locator("input").first).to_be_visible()
    return dialog


def run_marks(page: Page) -> None:
    run_menu(page, "Tags, note and score")


def fork(page: Page) -> None:
    dialog = run_menu(page, "Fork from here…")
    dialog.get_by_label("Script").first.check()
    expect(dialog.locator(".cm-content")).to_be_visible()


Place = Callable[[Page], None]
PLACES: dict[str, Place] = {
    "form of a state": state_form,
    "form of the pack": pack_form,
    "text": text_drawer,
    "history": history,
    "start dialog": start_dialog,
    "tools": tools_dialog,
    "models": models,
    "git export": git_export,
}
RUN_PLACES: dict[str, Place] = {"answer": answer, "marks of a run": run_marks, "fork": fork}
"""Places of a run that waits for a person."""
ALL_PLACES = {**PLACES, **RUN_PLACES}

QUICK = ("form of a state", "start dialog")
"""Places of `make test`: one that is saved while one types, and one that is kept until it is
sent."""


def open_place(page: Page, place: str) -> str:
    """Open the editor, with a run if the place is one of a run. Returns its address."""
    page.goto("/runs/")  # "Back" leads there.
    open_sample(page, "promptpack/customer-support", f"typed {place}")
    if place in RUN_PLACES:
        body = {"pack": int(pack_of(page)), "driver": "manual", "inputs": {"request": "Where?"}}
        reopen(page, f"{page.url}?run={api(page, 'POST', 'runs/', body)['id']}")
        expect(page.locator(".question").first).to_be_visible()
    return page.url


def reopen(page: Page, address: str) -> None:
    page.goto(address)
    Canvas(page).stand()


Ending = Callable[[Page, str], Page]


def reload(page: Page, address: str) -> Page:
    page.reload()
    Canvas(page).stand()
    return page


def another_address(page: Page, address: str) -> Page:
    page.goto("/runs/")
    reopen(page, address)
    return page


def tab_closed(page: Page, address: str) -> Page:
    context = page.context
    page.close(run_before_unload=False)
    page = context.new_page()
    reopen(page, address)
    return page


def offline(page: Page, address: str) -> Page:
    """The page is left while the server cannot be reached, after it could not be sent."""
    page.context.set_offline(True)
    page.evaluate("document.activeElement.blur()")
    page.context.set_offline(False)
    return tab_closed(page, address)


def session_expired(page: Page, address: str) -> Page:
    """The session ends. If something is to be sent, the page asks and sends it after signing in."""
    kept = page.context.cookies()
    page.context.clear_cookies(name=re.compile("sessionid"))
    page.evaluate("document.activeElement.blur()")
    mark = page.locator("[data-saved]")
    assert mark.get_attribute("data-saved") == "false"
    asked = page.get_by_role("dialog", name="Sign in again")
    if "not sent yet" in mark.inner_text():
        page.reload()
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    else:
        # Nothing is to be sent if all that is left cannot be applied.
        expect(asked.or_(mark.filter(has_text="not applied")).first).to_be_visible()
    page.context.add_cookies(kept)
    expect(asked).to_have_count(0)
    reopen(page, address)
    return page


def back(page: Page, address: str) -> Page:
    """Back goes through the selected states first."""
    path = urlsplit(address).path
    while urlsplit(page.url).path == path:
        page.go_back()
    reopen(page, address)
    return page


ENDINGS: dict[str, Ending] = {
    "reload": reload,
    "another address": another_address,
    "back": back,
    "tab closed": tab_closed,
    "offline": offline,
    "session expired": session_expired,
}


def type_and_end(page: Page, place: str, end: Ending) -> None:
    address = open_place(page, place)
    ALL_PLACES[place](page)
    boxes = boxes_of(page)
    assert boxes
    before = head_of(page)
    for box in boxes:
        type_into(page, box)
        if head_of(page) == before:
            assert page.locator("[data-saved]").get_attribute("data-saved") == "false", box
    page = end(page, address)
    # Unsent texts are sent now, or the status names the one that cannot be.
    expect(page.locator("[data-saved]")).not_to_contain_text("Saving")
    ALL_PLACES[place](page)
    expect(page.locator("dialog .code-loading, .pane .code-loading")).to_have_count(0)
    for text in page.locator(".text-view .cm-content").all():
        text.click()
        page.keyboard.press("Control+End")  # Only the visible lines are drawn.
    missing: list[str] = []

    def is_kept() -> bool:
        missing[:] = lost(page, boxes)
        return not missing

    wait_until(is_kept, missing)


def lost(page: Page, boxes: list[Box]) -> list[str]:
    """Labels of the fields whose text is neither on the page nor in the files."""
    values: dict[str, str] = {}
    for box in boxes_of(page):
        values[box.label] = values.get(box.label, "") + value_of(page, box)
    # A new entry of a list has a field of its own, and long texts are drawn in part.
    everywhere = "".join(values.values()) + text_of(page)
    kept = [
        box.text in (values.get(box.label, "") if len(box.text) == 1 else everywhere)
        for box in boxes
    ]
    return [box.label for box, is_kept in zip(boxes, kept, strict=True) if not is_kept]


@pytest.mark.parametrize(
    "place", quick_and_slow(QUICK, [one for one in ALL_PLACES if one not in QUICK])
)
def test_a_reload_keeps_what_was_typed(page: Page, watch: PageMonitor, place: str) -> None:
    pardon_lost_requests(watch)
    type_and_end(page, place, reload)


@pytest.mark.quick
def test_a_session_that_ends_loses_no_word(page: Page, watch: PageMonitor) -> None:
    pardon_lost_requests(watch)
    address = open_place(page, "form of a state")
    Canvas(page).state("answer").click()
    page.locator(".prompt-section .cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Kept words")
    session_expired(page, address)
    assert "Kept words" in text_of(page)


@pytest.mark.slow
@pytest.mark.parametrize("place", ALL_PLACES)
@pytest.mark.parametrize("ending", [one for one in ENDINGS if one != "reload"])
def test_every_ending_keeps_every_place(
    page: Page, watch: PageMonitor, place: str, ending: str
) -> None:
    pardon_lost_requests(watch)
    type_and_end(page, place, ENDINGS[ending])


@pytest.mark.slow
@pytest.mark.parametrize("place", ALL_PLACES)
def test_a_killed_server_loses_nothing(
    own_server: LiveServer, own_server_page: Page, watch: PageMonitor, place: str
) -> None:
    pardon_lost_requests(watch)

    def kill(page: Page, address: str) -> Page:
        own_server.end(signal.SIGKILL)
        page.evaluate("document.activeElement.blur()")
        own_server.start()
        return tab_closed(page, address)

    type_and_end(own_server_page, place, kill)


@pytest.mark.slow
@pytest.mark.parametrize("place", ALL_PLACES)
def test_a_killed_browser_loses_nothing(
    playwright: Playwright,
    browser_type_launch_args: dict[str, Any],
    server: LiveServer,
    signed_in: Any,
    tmp_path: Path,
    place: str,
) -> None:
    """Its storage is written behind: the test waits until the last words are on the disk."""

    profile = tmp_path / "profile"

    def launch() -> BrowserContext:
        context = playwright.chromium.launch_persistent_context(
            profile,
            base_url=server.url,
            viewport={"width": 1440, "height": 900},
            **browser_type_launch_args,
        )
        context.add_cookies(signed_in["cookies"])
        return context

    def kill(page: Page, address: str) -> Page:
        kept = "JSON.stringify(localStorage)"
        wait_until(lambda: written(profile) >= set(TEXT.findall(page.evaluate(kept))))
        for pid in running(str(profile)):
            os.kill(pid, signal.SIGKILL)
        page = launch().new_page()
        reopen(page, address)
        return page

    type_and_end(launch().new_page(), place, kill)


TEXT = re.compile(r"Sno\d+x")


def written(profile: Path) -> set[str]:
    """The typed texts in the files of the browser's storage."""
    files = profile.glob("**/Local Storage/leveldb/*")
    texts = [one.read_bytes().decode("latin-1") for one in files if one.is_file()]
    return {text for one in texts for text in TEXT.findall(one.replace("\0", ""))}


def pardon_lost_requests(watch: PageMonitor) -> None:
    watch.pardon(r"ERR_INTERNET_DISCONNECTED|status of 401|WebSocket connection|ERR_ABORTED")
    watch.pardon(r"status of 422 .*/git/plan/")  # Nothing typed here is a repository.


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["reload", "another address", "back", "tab closed"])
def test_every_form_of_every_page_keeps_its_text(page: Page, ending: str) -> None:
    """A secret is not kept: the browser asks before the page is left."""
    open_sample(page, "promptpack/customer-support", "typed pages")
    lost: list[str] = []
    for address in list(linked_pages(page, "/")):
        page.goto("/runs/")
        page.goto(address)
        ready(page)
        asked = Asked(page)
        boxes = boxes_of(page)
        for box in boxes:
            type_into(page, box)
        if ending == "tab closed":
            with page.expect_event("close"):
                page.close(run_before_unload=True)
            page = page.context.new_page()
        elif ending == "back":
            page.go_back()
        elif ending == "another address":
            page.goto("/runs/")
        else:
            page.reload()
        asked.stop()
        page.goto(address)
        ready(page)
        found = [(box.label, value_of(page, box)) for box in boxes_of(page)]
        for box in boxes:
            if not any(label == box.label and box.text in value for label, value in found):
                lost += [] if asked.count else [f"{address} {box.label}"]
    assert lost == []


def test_words_typed_while_a_field_changes_elsewhere_are_both_shown(page: Page) -> None:
    page.add_init_script(SLOW_TYPING)
    canvas = open_sample(page, "promptpack/customer-support", "typed-both")
    canvas.state("answer").click()
    prompt = page.locator(".prompt-section .cm-content")
    other = page.locator(".prompt-section .conflict-place")

    def type_while_changed(mine: str, theirs: str) -> None:
        prompt.click()
        page.keyboard.press("Control+End")
        page.keyboard.type(mine)
        change_prompt(page, theirs)
        expect(other).to_be_visible()
        expect(page.locator("[data-saved]")).to_have_attribute("data-saved", "false")
        expect(page.locator("[data-saved]")).to_contain_text("changed elsewhere too")
        expect(other.get_by_label("Theirs")).to_contain_text(theirs)
        expect(prompt).to_contain_text(mine)
        assert mine not in text_of(page)

    type_while_changed(" Mine", "Theirs one")
    reload(page, page.url)
    expect(prompt).to_contain_text("Mine")
    expect(other.get_by_label("Theirs")).to_contain_text("Theirs one")
    other.get_by_role("button", name="Keep mine").click()
    canvas.wait_saved()
    assert "Mine" in text_of(page)
    assert "Theirs one" not in text_of(page)

    type_while_changed(" Second words", "Theirs two")
    other.get_by_role("button", name="Take theirs").click()
    canvas.wait_saved()
    expect(prompt).to_have_text("Theirs two")
    assert "Theirs two" in text_of(page)
    assert "Second words" not in text_of(page)


def change_prompt(page: Page, text: str) -> None:
    """As another person or program does."""
    edit = {"type": "set_field", "element": "prompt:answer", "field": "/system_template"}
    body = {"base": head_of(page), "edits": [{**edit, "value": text}]}
    api(page, "POST", f"packs/{pack_of(page)}/edits/", body)


SLOW_TYPING = """
const later = setTimeout
window.setTimeout = (act, delay, ...more) => later(act, delay === 500 ? 60_000 : delay, ...more)
"""
"""The pause of half a second after which words are stored is a minute, so that another change
arrives before, on any machine."""


def test_typing_continues_while_its_beginning_is_saved_and_is_one_undo_step(page: Page) -> None:
    """The answer to an earlier request never overwrites later keys."""
    canvas = open_sample(page, "promptpack/customer-support", "typed-undo")
    before = text_of(page)
    canvas.state("answer").click()
    prompt = page.locator(".prompt-section .cm-content")
    prompt.click()
    page.keyboard.press("Control+End")
    for word in ("One", " two", " three"):
        page.keyboard.type(word)
        expect(page.locator("[data-saved]")).to_have_attribute("data-saved", "false")
        canvas.wait_saved()
    assert "One two three" in text_of(page)
    assert head_of(page) > 2
    text = " ".join(f"word{number}" for number in range(10))
    page.keyboard.type(" " + text, delay=60)
    canvas.wait_saved()
    assert text in text_of(page)
    expect(prompt).to_contain_text(text)
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    page.keyboard.press("Control+z")
    canvas.wait_saved()
    assert text_of(page) == before


def test_a_text_that_cannot_be_applied_is_kept_with_its_line(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "typed-broken")
    before = text_of(page)
    text_drawer(page)
    page.locator(".text-view .cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" oops")
    mark = page.locator("[data-saved]")
    expect(mark).to_contain_text("Text not applied: line")
    assert mark.get_attribute("data-saved") == "false"
    reload(page, page.url)
    text_drawer(page)
    page.locator(".text-view .cm-content").click()
    page.keyboard.press("Control+End")
    expect(page.locator(".text-view .cm-content")).to_contain_text("oops")
    expect(mark).to_contain_text("Text not applied")
    assert text_of(page) == before
    page.locator(".text-view .cm-content").click()
    page.keyboard.press("Control+End")
    for _ in " oops":
        page.keyboard.press("Backspace")
    canvas.wait_saved()


def test_a_half_typed_name_is_kept_and_not_applied(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "typed-name")
    canvas.state("answer").click()
    name = page.get_by_role("complementary", name="Inspector").get_by_label("Id", exact=True)
    name.click()
    page.keyboard.press("End")
    page.keyboard.type("_half")
    reload(page, page.url)
    expect(canvas.state("answer")).to_be_visible()
    expect(page.locator("[data-saved]")).to_contain_text("Id not applied")
    canvas.state("answer").click()
    expect(name).to_have_value("answer_half")
    name.click()
    page.keyboard.press("Escape")
    canvas.wait_saved()
    # Ctrl+S stores it.
    name.click()
    page.keyboard.press("End")
    page.keyboard.type("_it")
    expect(page.locator("[data-saved]")).to_contain_text("Id not applied")
    page.keyboard.press("Control+s")
    expect(canvas.state("answer_it")).to_be_visible()
    canvas.wait_saved()
    # A name in a menu holds the page.
    canvas.state("answer_it").click()
    page.keyboard.press("F2")
    page.keyboard.type("half")
    page.on("dialog", Dialog.dismiss)
    with page.expect_event("dialog") as asked:
        page.evaluate("setTimeout(() => location.assign('/runs/'))")
    assert asked.value.type == "beforeunload"
    expect(page.get_by_label("New name for answer_it")).to_have_value("half")


def test_an_answer_is_kept_until_it_is_sent(page: Page) -> None:
    open_sample(page, "promptpack/customer-support", "typed-answer")
    made = api(
        page,
        "POST",
        "runs/",
        {"pack": int(pack_of(page)), "driver": "manual", "inputs": {"request": "Where is it?"}},
    )
    address = f"/runs/{made['id']}/"
    page.goto(address)
    page.locator(".question").get_by_role("button", name="Write…").click()
    box = page.locator(".question .cm-content")
    expect(box).to_be_focused()
    page.keyboard.type("Half a sentence")
    page.reload()
    expect(box).to_contain_text("Half a sentence")
    box.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(".")
    page.keyboard.press("Control+Enter")
    expect(box).to_have_count(0)
    events = json.dumps(api(page, "GET", f"runs/{made['id']}/events/"))
    assert "Half a sentence." in events


def test_the_forms_of_pages_keep_what_is_typed(page: Page, context: BrowserContext) -> None:
    page.goto("/roles/")
    page.get_by_text("New role…").click()
    name = page.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    page.keyboard.type("Half a role")
    page.reload()
    expect(name).to_have_value("Half a role")
    page.get_by_role("button", name="Discard it").click()
    expect(name).to_have_value("")
    page.reload()
    expect(page.locator("[data-restored]")).to_have_count(0)
