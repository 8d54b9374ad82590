"""Workspaces on the page: a work tree is chosen at the start, and its changes become a branch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, open_sample, pack_of, type_into
from tests.browser.page_monitor import PageMonitor
from tests.support.git_repository import git, make_repository, users_state
from tests.support.live_server import LiveServer

WRITE = {"name": "read_file", "arguments": {"path": "a.txt", "content": "two\n"}}


def repository_of(server: LiveServer, name: str) -> Path:
    return make_repository(server.data / "repositories" / name, {"a.txt": "one\n"})


@pytest.mark.slow
def test_a_run_is_started_in_a_work_tree(
    page: Page, server: LiveServer, watch: PageMonitor
) -> None:
    watch.pardon(r"status of 422 .*/runs/")
    repository = repository_of(server, "chosen")
    open_sample(page, "promptpack/code-review", "in a work tree")
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    expect(dialog.get_by_role("group", name="Workspace of the run")).to_have_count(0)
    dialog.get_by_role("radio", name="Manual You answer").check()
    dialog.get_by_role("button", name="Git work tree").click()
    type_into(dialog.get_by_label("Repository"), str(repository))
    type_into(dialog.get_by_label("Branch, tag or commit"), "nowhere")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("no commit 'nowhere'")
    type_into(dialog.get_by_label("Branch, tag or commit"), "main")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(dialog).to_have_count(0)
    (run,) = api(page, "GET", f"runs/?pack={pack_of(page)}")["results"]
    first = api(page, "GET", f"runs/{run['id']}/events/")["events"][0]
    assert first["workspace"]["base"] == git(repository, "rev-parse", "main")


@pytest.mark.slow
def test_the_changes_of_a_run_become_a_branch(
    page: Page, server: LiveServer, watch: PageMonitor
) -> None:
    watch.pardon(r"status of 422 .*/branch/")
    repository = repository_of(server, "kept")
    before = users_state(repository)
    open_sample(page, "promptpack/code-review", "leaves a branch")
    look = {"kind": "files", "settings": {"operation": "write"}}
    body = {
        "pack": int(pack_of(page)),
        "driver": "script",
        "script": {"replies": [{"tool_calls": [WRITE]}], "repeat_last": True},
        "budget": {"model_calls": 2},
        "tools": {"read_file": look},
        "workspace": {"kind": "git", "path": str(repository), "ref": "main"},
    }
    run = api(page, "POST", "runs/", body)
    page.goto(f"/runs/{run['id']}/")
    expect(page.locator('[data-event="workspace.closed"]')).to_contain_text("1 changed file")
    page.get_by_role("button", name="Keep as branch").click()
    dialog = page.get_by_role("dialog", name="Keep the changes as a branch")
    type_into(dialog.get_by_label("Branch"), "main")
    dialog.get_by_role("button", name="Keep").click()
    expect(dialog.get_by_role("alert")).to_contain_text("exists already")
    type_into(dialog.get_by_label("Branch"), "kept/by-ada")
    type_into(dialog.get_by_label("Message"), "Two")
    dialog.get_by_role("button", name="Keep").click()
    expect(page.locator('[data-event="workspace.kept"]')).to_contain_text(re.compile("kept/by-ada"))
    assert git(repository, "show", "kept/by-ada:a.txt") == "two"
    assert git(repository, "log", "--format=%s", "main..kept/by-ada") == "Two"
    git(repository, "branch", "-D", "kept/by-ada")
    assert users_state(repository) == before
