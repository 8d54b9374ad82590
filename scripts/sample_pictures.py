"""Take a picture of the editor with every sample, in the light and the dark theme.

    .venv/bin/python -m scripts.sample_pictures FOLDER

The server is one of its own, with a new database in a temporary folder. The window has 1440 by 900
pixels. The pictures are named `<dialect>-<sample>-<theme>.png`. Compare the folders of two commits
before a change of the canvas or the layout is merged.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.page_actions import Canvas, api
from tests.support.live_server import LiveServer

WINDOW = {"width": 1440, "height": 900}
THEMES = ("light", "dark")
SETTLED = """() => document.querySelectorAll("[data-state]").length > 0
    && document.fonts.status === "loaded"
    && document.getAnimations().every(one => one.playState !== "running")"""


def signed_in(browser: Browser, server: LiveServer) -> Page:
    """A page of a signed-in person."""
    context = browser.new_context(base_url=server.url, viewport=WINDOW, reduced_motion="reduce")
    page = context.new_page()
    page.goto(server.link)
    page.get_by_role("button", name="Sign in as").click()
    page.wait_for_url(f"{server.url}/")
    return page


def take_pictures(page: Page, folder: Path) -> int:
    """Picture every sample in every theme. Returns the number of pictures."""
    count = 0
    for sample in api(page, "GET", "samples/"):
        name = f"{sample['dialect']}/{sample['name']}"
        made = api(page, "POST", "packs/", {"sample": name})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            page.goto(f"/packs/{made['id']}/")
            Canvas(page).stand()
            page.wait_for_function(SETTLED)
            page.screenshot(path=folder / f"{name.replace('/', '-')}-{theme}.png")
            count += 1
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder for the pictures")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("SIGNALBOX_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        server = LiveServer(Path(data))
        server.start()
        try:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
            )
            print(f"{take_pictures(signed_in(browser, server), folder)} pictures in {folder}")
            browser.close()
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
