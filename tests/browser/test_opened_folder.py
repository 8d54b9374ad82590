"""`signalbox open`: a person on the canvas and another program on the files."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a file system of its own, of 256 KB."""
    place = tmp_path / "folder"
    place.mkdir()
    if not mounts("-t", "tmpfs", "-o", "size=256k", "tmpfs", place):
        pytest.skip("this machine does not let the tests mount a file system")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def mounts(*options: str | Path) -> bool:
    return subprocess.run(["mount", *options], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.machine
def test_a_read_only_folder_and_a_full_disk_are_named_until_the_edit_is_written(
    tmp_path: Path, small_disk: Path, opening: Opening, watch: PageMonitor
) -> None:
    """Also after the server was killed and started again, which does not show the old file."""
    place = small_disk / SAMPLE.name
    shutil.copy(SAMPLE, place)
    server = FolderServer.opening(small_disk, tmp_path / "data")
    try:
        watch.host = urlsplit(server.url).netloc
        watch.pardon(r"ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|WebSocket connection")
        page = opening(server, sign_in(server.link)).new_page()
        page.goto("/")
        page.goto(f"/packs/{max(one['id'] for one in packs_of(page))}/")
        canvas, saved = Canvas(page), page.locator("[data-saved]")
        canvas.stand()
        before = place.read_bytes()

        def name_state(id: str, key: str) -> None:
            canvas.state(id).click()
            page.keyboard.press("F2")
            page.keyboard.type(key)
            page.keyboard.press("Enter")
            expect(canvas.state(key)).to_be_visible()

        def expect_reason(reason: str) -> None:
            said = f"{SAMPLE.name} cannot be written: {reason}"
            expect(saved).to_contain_text(said)
            expect(saved).to_have_attribute("data-saved", "false")
            assert f'data-unwritten title="{said}' in page.request.get("/").text()
            assert place.read_bytes() == before

        assert mounts("-o", "remount,ro", small_disk)
        name_state("draft", "outline")
        expect_reason("Read-only file system")
        server.end(signal.SIGKILL)
        server.start()
        page.reload()
        canvas.stand()
        expect(canvas.state("outline")).to_be_visible()
        expect_reason("Read-only file system")
        assert mounts("-o", "remount,rw", small_disk)
        expect(saved).to_have_attribute("data-saved", "true")
        before = place.read_bytes()
        assert b"outline" in before

        filler = small_disk / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 1024)
        name_state("outline", "sketch")
        expect_reason("No space left on device")
        filler.unlink()
        expect(saved).to_have_attribute("data-saved", "true")
        assert b"sketch" in place.read_bytes()
        assert [one.name for one in small_disk.iterdir()] == [SAMPLE.name]
    finally:
        server.stop()


@pytest.mark.slow
def test_files_deleted_on_disk_come_back_by_undo_and_deleting_the_pack_deletes_them(
    opened: FolderServer, editor: Page
) -> None:
    place, page = opened.folder / SAMPLE.name, editor
    before = place.read_bytes()
    place.unlink()
    notice = page.get_by_role("alert").filter(has_text="Deleted in the folder")
    expect(notice).to_contain_text("Undo writes its files again")
    page.get_by_role("button", name=re.compile("^Undo")).click()
    wait_until(lambda: place.exists() and place.read_bytes() == before)
    expect(Canvas(page).state("draft")).to_be_visible()
    place.rename(opened.folder / "renamed.pack.json")
    wait_until(lambda: "renamed.pack.json" in {one["main"] for one in packs_of(page)})
    page.goto("/")
    # The sample of the same name has an older change.
    card = page.locator("[data-pack]").filter(has_text=name_in(before)).first
    card.get_by_label(re.compile("^More about")).click()
    card.get_by_role("button", name="Delete forever").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"Its files in {opened.folder} are deleted too.")
    dialog.get_by_role("button", name="Delete forever").click()
    wait_until(lambda: not any(opened.folder.iterdir()))


def name_in(data: bytes) -> str:
    """The name of a pack, from its file."""
    return str(json.loads(data)["name"])


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
