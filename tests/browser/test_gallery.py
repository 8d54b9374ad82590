"""The gallery: first visit, new packs, actions of the gallery, keys on every page, imports."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, api, attribute, tab_to
from tests.support.checks import quick_and_slow

PAGES = (
    "/", "/packs/new/", "/runs/", "/approvals/", "/roles/", "/roles/memory/", "/roles/modes/",
    "/templates/", "/rules/", "/settings/", "/settings/groups/", "/settings/audit/",
    "/settings/rights/", "/second-factor/totp/activate/",
)  # fmt: skip
BROKEN = """{
  "id": "broken",
  "version": "1.0.0",
  "name": "Broken",
  "template_engine": {"version": "v1", "syntax": "{{variable}}"},
  "prompts": {
    "a": {"id": "a", "name": "a", "version": "1.0.0",, "system_template": "x"}
  },
  "workflow": {"version": 1, "entry": "one", "states": {"one": {"prompt_task": "a"}}}
}
"""


def card(page: Page, name: str) -> Locator:
    title = page.locator(".card-title", has_text=re.compile(f"^{re.escape(name)}$"))
    return page.locator("[data-pack]", has=title)


def test_a_pack_is_started_with_a_key_and_opened_by_its_name(page: Page) -> None:
    page.goto("/runs/")
    page.keyboard.press("Control+k")
    page.keyboard.type("new pack")
    page.keyboard.press("Enter")
    page.wait_for_url("**/packs/new/")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.goto("/")
    page.keyboard.press("n")
    page.wait_for_url("**/packs/new/")
    page.keyboard.type("Parcel desk")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/packs/\d+/"))
    expect(page.get_by_label("Name of the pack")).to_have_value("Parcel desk")
    expect(Canvas(page).state("start")).to_be_visible()
    address = page.url
    page.goto("/rules/")
    page.keyboard.press("Control+k")
    page.keyboard.type("parcel")
    expect(page.get_by_role("option", name=re.compile("Parcel desk"))).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(address)


def test_a_broken_file_opens_at_its_problem_and_is_repaired_there(page: Page) -> None:
    page.goto("/")
    with page.expect_file_chooser() as chooser:
        page.locator("[data-drop-zone] label").click()
    chooser.value.set_files(
        {"name": "broken.json", "mimeType": "application/json", "buffer": BROKEN.encode()}
    )
    page.wait_for_url(re.compile(r"/packs/\d+/"))
    shown = page.locator("[data-empty-finding]")
    expect(shown).to_contain_text("broken.json is not JSON")
    expect(shown).to_contain_text("Look at line 7")
    text = page.get_by_role("tabpanel").locator(".cm-content")
    expect(text).to_be_visible()
    place = page.locator(".cm-line", has_text=",,")
    expect(place).to_be_in_viewport()
    expect(page.locator(".cm-lint-marker")).to_have_count(1)
    place.click()
    page.keyboard.press("Home")
    for _ in range(len('    "a": {"id": "a", "name": "a", "version": "1.0.0",') - 4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    page.keyboard.press("Control+Enter")
    expect(Canvas(page).state("one")).to_be_visible()
    expect(shown).to_have_count(0)


def test_packs_are_renamed_moved_copied_loved_and_deleted(page: Page) -> None:
    made = api(page, "POST", "packs/", {"sample": "promptpack/blank", "name": "Otter"})
    page.goto("/")
    page.keyboard.press("/")
    page.keyboard.type("otter")
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("More about Otter"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("link", name="Rename or move…"))
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("Otter two")
    tab_to(page, page.get_by_label("Folder"))
    page.keyboard.type("River")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"/\?q=otter.*#pack-{made['id']}$"))
    expect(card(page, "Otter two")).to_contain_text("River")

    page.get_by_role("button", name="Favourite: Otter two").click()
    page.wait_for_url(re.compile(rf"/\?q=otter.*#pack-{made['id']}$"))
    loved = page.get_by_role("button", name="Favourite: Otter two")
    expect(loved).to_have_attribute("aria-pressed", "true")
    page.goto("/")
    expect(page.locator("[data-group=Favourites]")).to_contain_text("Otter two")
    page.get_by_role("combobox", name="Group by").select_option("folder")
    page.wait_for_url("**group=folder**")
    page.goto("/?q=otter")

    card(page, "Otter two").locator("summary").click()
    card(page, "Otter two").get_by_role("button", name="Duplicate").click()
    page.wait_for_url(re.compile(r"/packs/\d+/"))
    expect(page.get_by_label("Name of the pack")).to_have_value("Otter two (copy)")
    page.goto("/?q=otter&group=")
    card(page, "Otter two (copy)").locator("summary").click()
    card(page, "Otter two (copy)").get_by_role("button", name="Delete forever").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete forever").click()
    expect(page.get_by_role("status")).to_contain_text("Otter two (copy) was deleted.")
    page.goto("/?q=otter")
    expect(page.locator("[data-pack]")).to_have_count(1)


@pytest.mark.parametrize("place", quick_and_slow(["/rules/"], ["editor"]))
def test_files_are_dropped_on_any_page(page: Page, place: str) -> None:
    if place == "editor":
        made = api(page, "POST", "packs/", {"sample": "stages/blank"})
        page.goto(f"/packs/{made['id']}/")
        Canvas(page).stand()
        place = f"/packs/{made['id']}/"
    else:
        page.goto(place)
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.pack.json"));
            for (const name of ["dragenter", "dragover", "drop"])
                document.body.dispatchEvent(new DragEvent(name,
                    {bubbles: true, cancelable: true, dataTransfer: data}));
        }""",
        BROKEN.replace(",,", ","),
    )
    expect(Canvas(page).state("one")).to_be_visible()


@pytest.mark.slow
def test_every_tile_has_its_drawing(page: Page) -> None:
    page.goto("/packs/new/")
    for tile in page.locator("[data-sample]").all():
        tile.scroll_into_view_if_needed()
        picture = tile.locator("img")
        expect(picture).to_have_js_property("complete", value=True)
        assert picture.evaluate("one => one.naturalWidth") > 0
    tab_to(page, page.get_by_role("button", name="Open a copy: Release"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/packs/\d+/"))
    expect(Canvas(page).state("take_back")).to_have_count(1)


@pytest.mark.slow
@pytest.mark.parametrize("address", PAGES)
def test_shortcuts_and_palette_open_on_every_page(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("button", name="Search Ctrl K")).to_be_visible()
    expect(page.get_by_role("button", name="Keyboard shortcuts")).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Shift+?")
    shortcuts = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(shortcuts).to_contain_text("Command palette")
    page.keyboard.press("Escape")
    expect(shortcuts).to_have_count(0)
    fields = page.locator("main input:visible, main textarea:visible")
    if fields.count():
        fields.first.focus()
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Command palette")
    expect(palette.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("appro")
    expect(palette.get_by_role("option").first).to_contain_text("Approvals")
    page.keyboard.press("Escape")
    expect(palette).to_have_count(0)


@pytest.mark.slow
def test_a_key_in_the_frame_in_which_a_dialog_closes_is_not_lost(page: Page) -> None:
    page.goto("/settings/groups/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.evaluate(
        """() => {
          const input = document.activeElement;
          document.querySelector("dialog").close();
          input.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }));
        }"""
    )
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


@pytest.mark.slow
def test_thumbnails_are_kept_by_the_browser_and_follow_the_pack(page: Page) -> None:
    made = api(page, "POST", "packs/", {"sample": "promptpack/code-review", "name": "Heron"})
    page.goto("/?q=heron")
    picture = page.locator(attribute("data-pack", str(made["id"]))).locator("img")
    expect(picture).to_have_attribute("src", re.compile(r"v=1-"))
    assert picture.evaluate("one => one.decode().then(() => one.naturalWidth)") > 0
    canvas_edit = {"base": 1, "edits": [{"type": "move", "positions": {"review": [900, 900]}}]}
    api(page, "POST", f"packs/{made['id']}/edits/", canvas_edit)
    page.reload()
    expect(picture).to_have_attribute("src", re.compile(r"v=2-"))
