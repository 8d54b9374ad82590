"""One command on a machine that has uv and a browser: the packs of a clone are drawn and rehearsed.

uv installs the libraries from the index of this machine, into an empty cache. Set SIGNALBOX_UV to
the program; without it the test is skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.support.chromium import chromium
from tests.support.corpus import CORPUS
from tests.support.git_program import clone, init
from tests.support.wheel import outside_environment

UV = os.environ.get("SIGNALBOX_UV", "")
FOLDER = CORPUS / "steps-registry/_all-1.13.27"
PATIENCE = 300
BROWSER = """#!/bin/sh
printf "%s" "$1" > "$OPENED.new" && mv "$OPENED.new" "$OPENED"
"""
"""The browser of the desktop: it writes down the address that it has to open."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.third_party,
    pytest.mark.machine,
    pytest.mark.skipif(not UV, reason="SIGNALBOX_UV names no program"),
]


def test_uvx_opens_a_clone_in_the_browser(wheel: Path, tmp_path: Path) -> None:
    remote = init(tmp_path / "remote")
    shutil.copytree(FOLDER, remote.folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    for folder, _, _ in os.walk(remote.folder):
        Path(folder).chmod(0o755)
    remote.commit({})
    folder = clone(remote, tmp_path / "clone").folder
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    environment = outside_environment(
        tmp_path,
        UV_CACHE_DIR=str(tmp_path / "cache"),
        BROWSER=str(browser),
        OPENED=str(opened),
    )
    command = [str(Path(UV).with_name("uvx")), "--python", sys.executable, "--from", str(wheel)]
    began = time.monotonic()
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [*command, "signalbox", "open", "."],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        while not opened.exists():
            assert process.poll() is None, (tmp_path / "log").read_text()
            assert time.monotonic() - began < PATIENCE
            threading.Event().wait(0.05)
        ready = time.monotonic()
        drawn, covered = draw_and_rehearse(opened.read_text())
    finally:
        process.terminate()
        process.wait(30)
    total = time.monotonic() - began
    print(
        f"{ready - began:.1f} s to the browser, {total:.1f} s in all: {drawn} packs drawn, "
        f"{covered} rehearsed; load {os.getloadavg()[0]:.1f}"
    )
    assert drawn == covered > 0
    assert init(folder).git("status", "--porcelain") == ""


def draw_and_rehearse(address: str) -> tuple[int, int]:
    """Number of packs that the canvas draws, and of those with a coverage."""
    drawn = covered = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        page.get_by_role("button", name="Sign in as").click()
        expect(page.locator("[data-pack]").first).to_be_visible()
        links = [card.get_attribute("href") for card in page.locator(".card-link").all()]
        origin = address.partition("/sign-in")[0]
        for link in links:
            page.goto(f"{origin}{link}")
            expect(page.locator("[data-state]").first).to_be_visible(timeout=60_000)
            drawn += 1
            page.get_by_role("tab", name="Rehearsal").click()
            panel = page.get_by_role("tabpanel", name="Rehearsal")
            panel.get_by_role("button", name="Rehearse", exact=True).click()
            expect(panel.locator(".big-figure[data-coverage]")).to_be_visible(timeout=60_000)
            covered += 1
        browser.close()
    return drawn, covered
