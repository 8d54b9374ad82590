"""Real work from the page: a person opens a pack, starts it in a work tree of a repository with
commands allowed, watches it repair a failing test, and keeps the result as a branch."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import attribute, tab_to, type_into
from tests.real_work.coder import Coder
from tests.real_work.project import TASK, check_branch, make_project
from tests.support.git_repository import git, users_state
from tests.support.live_server import LiveServer
from tests.support.model_server import ModelServer

BRANCH = "signalbox/repair"
WORDS = {"openai": ("OpenAI", "gpt-4o"), "anthropic": ("Anthropic", "claude-opus-4-6")}
SAMPLES = {
    "stages": "stages/feature-delivery",
    "agent_graph": "agent_graph/feature-team",
}


@pytest.mark.slow
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize("dialect", ["climpt", "stages", "agent_graph"])
def test_a_person_has_a_failing_test_repaired_and_keeps_the_branch(
    commands_page: Page, commands_server: LiveServer, dialect: str, wire: str
) -> None:
    name = f"{dialect}-{wire}"
    repository = make_project(commands_server.data / "repositories" / name)
    before, coder = users_state(repository), Coder()
    page = commands_page
    with ModelServer(otherwise=coder) as models:
        connect(page, models, wire, name)
        open_pack(page, dialect, repository)
        start(page, repository, name)
        watch_to_the_end(page)
    assert coder.saw("FAILED (failures=1)"), "The failing test never reached the model."
    keep_as_branch(page)
    check_branch(repository, BRANCH)
    assert git(repository, "log", "--format=%s", f"main..{BRANCH}") == "Repair add"
    git(repository, "branch", "-D", BRANCH)
    assert users_state(repository) == before
    assert git(repository, "worktree", "list").count("\n") == 0


def connect(page: Page, models: ModelServer, wire: str, name: str) -> None:
    """Add a connection under Settings with the keyboard."""
    words, model = WORDS[wire]
    page.goto("/settings/")
    section = page.get_by_role("region", name="Connections to models")
    form = section.locator("form").last
    form.get_by_label("Name of a new connection").focus()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type(words)
    for label, text in (("Base URL", models.url(wire)), ("Model", model), ("Key", "sk-of-ada")):
        tab_to(page, form.get_by_label(label))
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(section.locator(attribute("data-connection", name))).to_be_visible()


def open_pack(page: Page, dialect: str, repository: Path) -> None:
    """Import the repository's own agent, or open a copy of a sample."""
    page.goto("/")
    if dialect in SAMPLES:
        page.goto("/packs/new/")
        card = page.locator(attribute("data-sample", SAMPLES[dialect]))
        card.get_by_role("button", name="Open a copy").click()
    else:
        page.get_by_text("From git…").click()
        form = page.locator("[data-import-git]")
        type_into(form.get_by_label("Git repository on the server"), str(repository))
        type_into(form.get_by_label("Branch, tag or commit"), "main")
        type_into(form.get_by_label("Folder in it"), ".agent/t")
        page.keyboard.press("Enter")
    page.wait_for_url("**/packs/*/")
    expect(page.locator("[data-state]").first).to_be_visible()


def start(page: Page, repository: Path, connection: str) -> None:
    """Start with the model, in a work tree of `main`, with commands."""
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_role("radio", name="Model A real").check()
    dialog.get_by_role("combobox", name="Connection").select_option(connection)
    dialog.get_by_label("May run commands").check()
    dialog.get_by_role("button", name="Git work tree").click()
    type_into(dialog.get_by_label("Repository"), str(repository))
    type_into(dialog.get_by_label("Branch, tag or commit"), "main")
    for field in dialog.get_by_label("Value of input").all():
        type_into(field, TASK)
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(dialog).to_have_count(0)


def watch_to_the_end(page: Page) -> None:
    """Approve what the run leaves to a person, until it has ended."""
    status = page.locator(".run-area [data-run-status]")
    ended = page.locator('.run-area [data-run-status="completed"]')
    approve = page.get_by_role("region", name="Waiting for you").get_by_role(
        "button", name="Approve", exact=True
    )
    while not is_now(ended):
        expect(ended.or_(approve).first).to_be_visible()
        if is_now(approve):
            approve.click()
    expect(status).to_have_attribute("data-run-status", "completed")


def is_now(place: Locator) -> bool:
    return place.count() > 0 and place.first.is_visible()


def keep_as_branch(page: Page) -> None:
    closed = page.locator('[data-event="workspace.closed"]')
    expect(closed).to_contain_text("1 changed file")
    page.get_by_role("button", name="Keep as branch").click()
    dialog = page.get_by_role("dialog", name="Keep the changes as a branch")
    type_into(dialog.get_by_label("Branch"), BRANCH)
    type_into(dialog.get_by_label("Message"), "Repair add")
    page.keyboard.press("Tab")
    dialog.get_by_role("button", name="Keep").click()
    expect(page.locator('[data-event="workspace.kept"]')).to_contain_text(BRANCH)
