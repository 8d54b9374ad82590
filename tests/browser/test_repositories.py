"""The whole way of a change between the canvas and a repository of a forge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, api, attribute, type_into
from tests.support.forge_server import ForgeServer, Project
from tests.support.live_server import ROOT

SAMPLE = ROOT / "workflows/core/dialects/promptpack/samples/review-loop.pack.json"
MAIN = "packs/review-loop.pack.json"
TEXT = SAMPLE.read_bytes()
OLD = b'"description": "Say whether it can go out."'


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[ForgeServer]:
    with ForgeServer(tmp_path / "forge") as server:
        yield server


def project(forge: ForgeServer, kind: str, name: str) -> Project:
    files = {MAIN: TEXT, "tests/fixture.pack.json": TEXT, "README.md": b"# Packs\n"}
    return forge.add(kind, name, files)  # type: ignore[arg-type]


def connect(page: Page, project: Project, token: str, name: str) -> None:
    """Add a repository on its page, and follow the pack that is ticked."""
    page.goto("/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Repositories").click()
    form = page.locator("[data-add=repository]")
    type_into(form.get_by_label("Address", exact=True), project.url)
    type_into(form.get_by_label("Name", exact=True), name)
    form.get_by_label("Forge").select_option(project.kind)
    form.get_by_label("Credential").select_option("token")
    type_into(form.get_by_label("Token or private key"), token)
    form.get_by_role("button", name="Add the repository").click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    expect(page.locator("[data-problem]")).to_have_count(0)
    assert token not in page.content()
    page.get_by_role("button", name="Scan the branch").click()
    expect(page.get_by_label(f"Follow {MAIN}")).to_be_checked()
    expect(page.get_by_label("Follow tests/fixture.pack.json")).not_to_be_checked()
    page.get_by_role("button", name="Follow the chosen packs").click()
    row = page.locator(attribute("data-followed", MAIN))
    expect(row).to_have_attribute("data-status", "in-step")
    row.get_by_role("link").first.click()
    Canvas(page).stand()


def badge(page: Page, status: str) -> None:
    expect(page.locator("[data-upstream]")).to_have_attribute("data-upstream", status)


def menu(page: Page, item: str) -> None:
    page.locator("[data-upstream]").get_by_role("button").click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def describe(page: Page, state: str, text: str) -> None:
    """Change the description of a state in the inspector."""
    canvas = Canvas(page)
    canvas.state(state).click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_label("Id", exact=True)).to_have_value(state)
    type_into(description(page), text)
    page.keyboard.press("Tab")
    canvas.wait_saved()


def description(page: Page) -> Locator:
    """The description of the selected state, among the rarely used fields of the inspector."""
    inspector = page.get_by_role("complementary", name="Inspector")
    rare = inspector.get_by_role("button", name="Rarely used")
    if rare.get_attribute("aria-expanded") == "false":
        rare.click()
    return inspector.get_by_role("textbox", name="Description", exact=True)


def proposed(page: Page, message: str) -> Locator:
    """Propose from the menu of the badge; the dialog with the result."""
    menu(page, "Propose…")
    dialog = page.get_by_role("dialog", name=re.compile("^Propose to"))
    expect(dialog.get_by_role("region", name="Preview")).to_be_visible()
    type_into(dialog.get_by_label("Message of the commit"), message)
    dialog.get_by_role("button", name="Propose", exact=True).click()
    return page.get_by_role("dialog", name="Proposed")


def test_a_change_goes_from_the_canvas_to_the_forge_and_back(
    page: Page, forge: ForgeServer
) -> None:
    token = forge.add_token()
    github = project(forge, "github", "team/hub")
    canvas = Canvas(page)

    connect(page, github, token, "Hub")
    badge(page, "in-step")
    canvas.draw_arrow("draft", "done", "Stop")
    canvas.wait_saved()
    badge(page, "edited")
    first_proposal(page)
    assert (github.pull(1).title, github.pull(1).state) == ("Stop a draft", "open")
    branch = github.pull(1).head
    assert json.loads(github.show(branch, MAIN))["workflow"]["states"]["draft"]["on_event"] == {
        "Next": "review",
        "Stop": "done",
    }

    # A reviewer's fix on the branch, and an answer to the review: the same pull request.
    github.commit({"README.md": b"# Reviewed\n"}, "Fix the title", branch=branch)
    menu(page, "Fetch")
    describe(page, "draft", "Write the text.")
    result = proposed(page, "Shorten a description")
    expect(result).to_be_visible()
    page.keyboard.press("Escape")
    assert len(github.pulls) == 1
    assert github.show(branch, "README.md") == b"# Reviewed\n"
    assert b'"Write the text."' in github.show(branch, MAIN)

    # A colleague and the user change the same state.
    theirs = TEXT.replace(OLD, b'"description": "Decide if it can be sent."')
    github.commit({MAIN: theirs}, "Send it")
    describe(page, "review", "Judge whether it can go out.")
    menu(page, "Fetch")
    badge(page, "both")
    resolve(page)
    badge(page, "edited")
    expect(canvas.state("review")).not_to_have_attribute("data-conflict", re.compile("."))
    result = proposed(page, "Merge both descriptions")
    expect(result.get_by_role("link", name=re.compile("Pull request #1"))).to_be_visible()
    page.keyboard.press("Escape")
    assert len(github.pulls) == 1

    tip = github.merge(1)
    menu(page, "Fetch")
    badge(page, "in-step")
    menu(page, "Repository Hub")
    row = page.locator(attribute("data-followed", MAIN))
    expect(row).to_have_attribute("data-status", "in-step")
    expect(row).to_contain_text(tip[:12])
    expect(page.locator(attribute("data-change", branch))).to_have_attribute(
        "data-status", "merged"
    )
    assert b"Judge whether it can be sent." in github.show("main", MAIN)
    assert forge.leaks_of(token) == []


def first_proposal(page: Page) -> None:
    """A proposal from the command palette, with all parts of its preview."""
    page.keyboard.press("Control+k")
    page.keyboard.type("Propose to the repository")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Propose to Hub")
    expect(dialog.get_by_role("region", name="Preview")).to_contain_text('"Stop": "done"')
    drawing = dialog.get_by_role("img", name=re.compile("Drawing of the difference"))
    expect(drawing).to_be_visible()
    assert drawing.evaluate("one => one.naturalWidth") > 100
    type_into(dialog.get_by_label("Title"), "Stop a draft")
    type_into(dialog.get_by_label("Author"), "Grace <grace@example.org>")
    dialog.get_by_role("button", name="Check coverage and recorded runs").click()
    checks = dialog.get_by_role("region", name="Checks")
    expect(checks).to_contain_text(re.compile(r"Before: \d+ of \d+ transitions. After: \d+ of \d+"))
    expect(checks).to_contain_text("No recorded run would diverge.")
    dialog.get_by_text("Commands for git").click()
    expect(dialog.get_by_label("Git commands")).to_contain_text("git fetch origin signalbox/")
    dialog.get_by_role("button", name="Propose", exact=True).click()
    done = page.get_by_role("dialog", name="Proposed")
    expect(done.get_by_role("link", name=re.compile("Pull request #1"))).to_be_visible()
    page.keyboard.press("Escape")


def resolve(page: Page) -> None:
    """Pull, and decide the conflict at its state with a text."""
    canvas = Canvas(page)
    menu(page, "Pull…")
    dialog = page.get_by_role("dialog", name="Pull from Hub")
    expect(dialog.get_by_role("list", name="Commits")).to_contain_text("Send it")
    dialog.get_by_role("button", name="Resolve conflicts").click()
    panel = page.get_by_role("dialog", name="Conflicts")
    marked = canvas.state("review")
    expect(marked).to_have_attribute("data-conflict", "state:review")
    expect(canvas.state("done")).not_to_have_attribute("data-conflict", re.compile("."))
    group = panel.get_by_role("region", name="State review")
    expect(group.get_by_label("Mine").first).to_contain_text("Judge whether it can go out.")
    expect(group.get_by_label("Theirs").first).to_contain_text("Decide if it can be sent.")
    canvas.state("draft").click()
    expect(group).not_to_have_class(re.compile("selected"))
    group.get_by_role("button", name="State review").click()
    expect(group).to_have_class(re.compile("selected"))
    expect(marked).to_have_attribute("aria-pressed", "true")
    pull = panel.get_by_role("button", name="Pull", exact=True)
    expect(pull).to_be_disabled()
    group.get_by_role("radio", name="Edited").click()
    type_into(group.get_by_label("Edited text"), "Judge whether it can be sent.")
    pull.click()
    expect(panel).to_have_count(0)


@pytest.mark.slow
def test_a_pack_that_only_git_changes_has_disabled_fields_and_palette(
    page: Page, forge: ForgeServer
) -> None:
    connect(page, project(forge, "gitea", "team/packs"), forge.add_token(), "Guarded")
    rows = {row["name"]: row["id"] for row in api(page, "GET", "repositories/")}
    api(page, "PATCH", f"repositories/{rows['Guarded']}/", {"git_wins": True})
    page.reload()
    Canvas(page).state("review").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector).to_contain_text("This pack is read-only here")
    expect(description(page)).not_to_be_editable()
    Canvas(page).state("draft").click(modifiers=["Shift"])
    expect(inspector).to_contain_text("2 states selected")
    expect(inspector).to_contain_text("This pack is read-only here")
    expect(inspector.get_by_role("button", name="Delete the selection")).to_have_count(0)
    visits = inspector.get_by_role("textbox", name="Maximum visits")
    expect(visits).not_to_be_editable()
    page.get_by_role("tab", name="Palette").click()
    item = page.get_by_role("list", name="Kinds of states").get_by_role("button").first
    expect(item).to_be_disabled()
    expect(item).to_have_attribute("title", re.compile("read-only here"))


def followed(page: Page, project: Project, token: str, name: str, *mains: str) -> list[int]:
    """Add a repository and follow these packs, without its page."""
    row = api(
        page,
        "POST",
        "repositories/",
        {
            "url": project.url,
            "name": name,
            "forge": project.kind,
            "credential": "token",
            "secret": token,
        },
    )
    made = api(page, "POST", f"repositories/{row['id']}/track/", {"packs": list(mains)})
    return [one["id"] for one in made["packs"]]


def retarget(page: Page, pack: int, target: str) -> None:
    """Change the target of `Next` in the first revision."""
    edit = {"type": "retarget", "transition": "draft|Next|review", "target": target}
    api(page, "POST", f"packs/{pack}/edits/", {"base": 1, "edits": [edit]})


@pytest.mark.slow
def test_a_transition_with_a_conflict_has_an_outline(page: Page, forge: ForgeServer) -> None:
    page.goto("/")
    hub = project(forge, "gitea", "team/arrows")
    (pack,) = followed(page, hub, forge.add_token(), "Arrows", MAIN)
    retarget(page, pack, "done")
    hub.commit({MAIN: TEXT.replace(b'"Next": "review"', b'"Next": "draft"')}, "Again")
    page.goto(f"/packs/{pack}/")
    canvas = Canvas(page)
    canvas.stand()
    menu(page, "Fetch")
    badge(page, "both")
    menu(page, "Pull…")
    page.get_by_role("dialog", name="Pull from Arrows").get_by_role(
        "button", name="Resolve conflicts"
    ).click()
    arrow = canvas.transition("draft", "Next", "done")
    expect(arrow).to_have_attribute("data-conflict", "transition:draft|Next|done")
    expect(arrow).to_have_accessible_name(re.compile("changed on both sides"))
    expect(page.locator(".arrow-outline")).to_have_count(1)
    assert arrow.locator(".arrow-outline").evaluate("one => getComputedStyle(one).strokeWidth") == (
        "9px"
    )
    panel = page.get_by_role("dialog", name="Conflicts")
    panel.get_by_role("radio", name="Theirs").click()
    panel.get_by_role("button", name="Pull", exact=True).click()
    expect(canvas.transition("draft", "Next", "draft")).to_have_count(1)
    expect(page.locator("[data-conflict]")).to_have_count(0)
