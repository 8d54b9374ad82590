"""Export of a pack to another format, and conversion to another dialect."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, attribute, open_sample, type_into
from tests.support.git_program import init
from tests.support.live_server import LiveServer

SAMPLE = "promptpack/mail-triage"
ROOT = Path(__file__).parents[2]


def test_a_pack_is_exported_for_an_older_version_and_converted(page: Page) -> None:
    canvas = open_sample(page, SAMPLE, "to-be-converted")
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="In another form").click()
    dialog = page.get_by_role("dialog", name="Export")
    own = dialog.locator(attribute("data-export", "own")).get_by_role("radio")
    expect(own).to_be_checked()
    dialog.get_by_text("PromptPack 1.4", exact=True).click()
    said = dialog.get_by_role("region", name="About PromptPack 1.4")
    expect(said.get_by_role("listitem").filter(has_text="omposition").first).to_be_visible()
    with page.expect_download() as downloaded:
        dialog.get_by_role("button", name="Download").click()
    path = downloaded.value.path()
    assert json.loads(Path(path).read_bytes())["id"] == "to-be-converted"
    expect(dialog).to_have_count(0)

    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Convert").click()
    dialog = page.get_by_role("dialog", name="Convert")
    dialog.locator(attribute("data-dialect", "stages")).click()
    dialog.get_by_role("button", name="Convert", exact=True).click()
    report = page.get_by_role("dialog", name=re.compile("Converted into"))
    dropped = report.locator("li" + attribute("data-fate", "dropped"))
    kept = report.locator("li" + attribute("data-fate", "kept"))
    expect(dropped.filter(has_text="Only PromptPack runs a composition").first).to_be_visible()
    expect(kept).to_have_count(0)
    report.locator("button" + attribute("data-fate", "kept")).click()
    expect(kept.first).to_be_visible()
    type_into(report.get_by_label("Filter the report"), "sampl")
    expect(kept).to_have_count(0)
    expect(dropped.first).to_contain_text("sampling")
    report.get_by_role("link", name="Open to-be-converted").click()
    expect(canvas.state("read-letter")).to_be_visible()


def test_an_export_to_git_shows_the_difference_first(page: Page, server: LiveServer) -> None:
    """A conflict is shown with both sides; a new branch gets the change alone."""
    repository = init(server.data / "repositories" / "previewed")
    main = ROOT / "workflows/core/dialects/promptpack/samples/mail-triage.pack.json"
    repository.commit({main.name: main.read_bytes()})
    taken = api(page, "POST", "import/git/", {"repository": str(repository.folder)})
    number, path = taken["packs"][0]["id"], taken["packs"][0]["main"]
    repository.git("switch", "--quiet", "--create", "team")
    theirs = main.read_bytes().replace(b'"1.0.0"', b'"1.1.0"', 1)
    assert theirs != main.read_bytes()
    repository.commit({main.name: theirs})
    repository.git("switch", "--quiet", "main")
    mine = main.read_text().replace('"1.0.0"', '"2.0.0"', 1)
    edit = {"type": "write_file", "path": path, "text": mine}
    api(page, "POST", f"packs/{number}/edits/", {"base": 1, "edits": [edit]})

    page.goto(f"/packs/{number}/")
    Canvas(page).stand()
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="git").click()
    dialog = page.get_by_role("dialog", name="Export to a git repository")
    expect(dialog.get_by_label("Repository")).to_have_value(str(repository.folder))
    commit = dialog.get_by_role("button", name="Commit")
    expect(commit).to_be_disabled()
    type_into(dialog.get_by_label("Branch"), "team")
    conflicts = dialog.get_by_role("region", name="Conflicts")
    expect(conflicts.get_by_label("Theirs")).to_contain_text("1.1.0")
    expect(conflicts.get_by_label("Yours")).to_contain_text("2.0.0")
    expect(commit).to_be_disabled()
    type_into(dialog.get_by_label("Branch"), "mine")
    preview = dialog.get_by_role("region", name="Preview")
    expect(preview).to_contain_text('+  "version": "2.0.0"')
    expect(preview).to_contain_text("new branch mine")
    type_into(dialog.get_by_label("Message"), "Release 2")
    commit.click()
    expect(page.get_by_role("dialog", name="Committed")).to_contain_text(f"changed {main.name}")
    assert repository.show("mine", main.name).decode() == mine
    assert repository.git("show", "-s", "--format=%s", "mine") == "Release 2"
    assert repository.git("status", "--porcelain") == ""
    assert repository.is_clean()
