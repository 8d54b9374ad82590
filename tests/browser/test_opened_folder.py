"""`signalbox open`: a person on the canvas and another program on the files."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening, sign_in
from tests.browser.page_actions import Canvas, api, type_into, wait_until
from tests.browser.page_monitor import PageMonitor
from tests.support.folder_server import FolderServer
from tests.support.git_program import init
from tests.support.live_server import ROOT

SAMPLE = ROOT / "workflows/core/dialects/promptpack/samples/review-loop.pack.json"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[FolderServer]:
    (tmp_path / "folder").mkdir()
    shutil.copy(SAMPLE, tmp_path / "folder")
    made = FolderServer.opening(tmp_path / "folder", tmp_path / "data")
    yield made
    made.stop()


@pytest.fixture
def editor(opened: FolderServer, opening: Opening, watch: PageMonitor) -> Page:
    """The editor page of the folder's pack."""
    watch.host = urlsplit(opened.url).netloc
    page = opening(opened, sign_in(opened.link)).new_page()
    page.goto("/")
    # The database of a test server begins with the samples.
    page.goto(f"/packs/{max(one['id'] for one in packs_of(page))}/")
    Canvas(page).stand()
    return page


def packs_of(page: Page) -> list[dict[str, Any]]:
    """The packs of the gallery."""
    found: list[dict[str, Any]] = api(page, "GET", "packs/?limit=100")["results"]
    return found


def test_a_conflict_is_a_notice_and_undo_brings_the_edit_back(
    opened: FolderServer, editor: Page
) -> None:
    place, page = opened.folder / SAMPLE.name, editor
    canvas, before = Canvas(page), place.read_bytes()
    canvas.state("draft").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_label("Id", exact=True)).to_have_value("draft")
    inspector.get_by_role("button", name="Rarely used").click()
    field = inspector.get_by_role("textbox", name="Description")
    expect(field).to_be_visible()
    old = field.inner_text().strip()
    assert before.count(old.encode()) == 1
    # After a long pause typing is another undo step, and a busy machine makes long pauses.
    page.clock.set_fixed_time(time.time())
    with place.open("r+b") as other:  # the edit is not written before this program closes the file
        field.click()
        page.keyboard.press("Control+a")
        page.keyboard.type("From the canvas")
        page.keyboard.press("Tab")
        saved = page.locator("[data-saved]")
        expect(saved).to_contain_text(f"{SAMPLE.name} is open in another program")
        expect(saved).to_have_attribute("data-saved", "false")
        assert place.read_bytes() == before
        gallery = page.request.get("/").text()
        assert f'data-unwritten title="{SAMPLE.name} is open in another program' in gallery
        other.write(before.replace(old.encode(), b"From the disk"))
        other.truncate()
    notice = page.get_by_role("alert").filter(has_text="in the same place as revision")
    expect(notice).to_contain_text(SAMPLE.name)
    expect(notice).to_contain_text("Undo restores the edit")
    expect(field).to_have_text("From the disk")
    assert place.read_bytes() == before.replace(old.encode(), b"From the disk")
    page.get_by_role("button", name=re.compile("^Undo")).click()
    expect(field).to_have_text("From the canvas")
    wait_until(lambda: place.read_bytes() == before.replace(old.encode(), b"From the canvas"))


def test_commits_branches_and_runs_in_the_repository_of_the_folder(
    tmp_path: Path, opening: Opening, watch: PageMonitor
) -> None:
    """Nothing but the pack is committed, a run begins at that commit, and a deleted pack that
    `git checkout` restores keeps its id."""
    repository = init(tmp_path / "folder")
    repository.commit({f"packs/{SAMPLE.name}": SAMPLE.read_bytes(), "staged.txt": b"1\n"}, "first")
    repository.write({"staged.txt": b"2\n", "untracked.txt": b"?\n"})
    repository.git("add", "staged.txt")
    repository.git("config", "user.name", "Ada")
    repository.git("config", "user.email", "ada@example.org")
    hook = repository.folder / ".git/hooks/pre-commit"
    repository.write({".git/hooks/pre-commit": b"#!/bin/sh\nexit 1\n"})
    hook.chmod(0o755)
    first = repository.git("rev-parse", "main")
    server = FolderServer.opening(repository.folder / "packs", tmp_path / "data")
    try:
        watch.host = urlsplit(server.url).netloc
        page = opening(server, sign_in(server.link)).new_page()
        page.goto("/")
        page.goto(f"/packs/{max(one['id'] for one in packs_of(page))}/")
        canvas = Canvas(page)
        canvas.stand()
        canvas.rename("draft", "outline")
        page.get_by_role("button", name="main", exact=True).click()
        dialog = page.get_by_role("dialog", name="Commit")
        expect(dialog).to_contain_text("Signalbox runs no hooks: pre-commit.")
        expect(dialog).to_contain_text("Ada <ada@example.org>")
        expect(dialog).to_contain_text(f"One file changes on the branch main, after {first[:12]}.")
        dialog.get_by_label("Branch").fill("feature/outline")
        expect(dialog).to_contain_text("One file changes on the new branch feature/outline")
        dialog.get_by_label("Message").fill("Call it an outline")
        dialog.get_by_role("button", name="Commit", exact=True).click()
        done = page.get_by_role("dialog", name="Committed")
        expect(done).to_contain_text(f"changed packs/{SAMPLE.name}")
        done.get_by_role("button", name="Done").click()
        expect(page.locator("[data-checkout='feature/outline']")).to_be_visible()
        made = repository.git("rev-parse", "feature/outline")
        assert repository.git("rev-parse", "main", f"{made}^").split() == [first, first]
        assert repository.git("symbolic-ref", "--short", "HEAD") == "feature/outline"
        assert repository.changes(first, made) == [f"M\tpacks/{SAMPLE.name}"]
        status = repository.run("status", "--porcelain").decode().splitlines()
        assert status == ["M  staged.txt", "?? untracked.txt"]
        page.get_by_role("button", name="Run", exact=True).click()
        start = page.get_by_role("dialog", name="Run")
        start.get_by_role("radio", name="Manual").check()
        start.get_by_role("button", name="Git work tree").click()
        expect(start.get_by_label("Repository")).to_have_value(str(repository.folder))
        for field in start.locator("[aria-required=true]").all():
            type_into(field, "a letter")
        start.get_by_role("button", name="Run", exact=True).click()
        expect(start).to_be_hidden()
        run = api(page, "GET", "runs/")["results"][0]["id"]
        started = api(page, "GET", f"runs/{run}/events/")["events"][0]
        assert (started["workspace"]["kind"], started["workspace"]["base"]) == ("git", made)

        page.goto("/")
        pack = max(one["id"] for one in packs_of(page))
        card = page.locator(f"[data-pack='{pack}']")
        card.get_by_label(re.compile("^More about")).click()
        card.get_by_role("button", name="Delete forever").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete forever").click()
        wait_until(lambda: not (repository.folder / "packs" / SAMPLE.name).exists())
        repository.git("checkout", "--", ".")
        wait_until(lambda: pack in {one["id"] for one in packs_of(page)})
    finally:
        server.stop()
