"""The time from a save on disk to the canvas, in a folder that `signalbox open` serves.

    python -m bench.folder [--saves 60] [--files 2000]

A real server, its watcher, and a real Chromium. Each save renames a state in the file, half of them
in place and half through a rename; the time ends with the frame in which the canvas has the state's
new card. `--files` is the number of other files in the folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bench._rows import Row, print_rows
from tests.support.folder_server import FolderServer
from tests.support.live_server import ROOT

SAMPLE = ROOT / "workflows/core/dialects/promptpack/samples/review-loop.pack.json"
GOAL_MS = 300.0
STATE = "draft"

WATCH = """(id) => {
  window.shownAt = new Promise((resolve) => {
    const look = () =>
      document.querySelector(`[data-state="${id}"]`)
        ? requestAnimationFrame(() => resolve(Date.now()))
        : requestAnimationFrame(look);
    look();
  });
}"""


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench.folder")
    options.add_argument("--saves", type=int, default=60)
    options.add_argument("--files", type=int, default=2_000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "folder")
        (folder / "src").mkdir(parents=True)
        for number in range(given.files):
            (folder / "src" / f"{number}.json").write_text('{"other": true}')
        shutil.copy(SAMPLE, folder)
        server = FolderServer.opening(folder, Path(place, "data"))
        try:
            times = sorted(measured(server, folder / SAMPLE.name, given.saves))
        finally:
            server.stop()
    print(f"{given.saves} saves; load {os.getloadavg()[0]:.1f}")
    middle, late = times[len(times) // 2], times[len(times) * 95 // 100]
    print_rows(
        (
            Row(name="disk to canvas p50", value=middle, unit="ms"),
            Row(name="disk to canvas p95", value=late, unit="ms", goal=GOAL_MS),
        )
    )


def measured(server: FolderServer, file: Path, saves: int) -> list[float]:
    """Milliseconds of each save."""
    with sync_playwright() as playwright:
        found = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_context(base_url=server.url).new_page()
        page.goto(server.link)
        page.get_by_role("button", name="Sign in as").click()
        page.wait_for_url(f"{server.url}/")
        packs = page.request.get("/api/v1/packs/?limit=100").json()["results"]
        page.goto(f"/packs/{max(one['id'] for one in packs)}/")
        page.locator(f'[data-state="{STATE}"]').wait_for()
        original = file.read_bytes()
        times = [saved(page, file, original, number) for number in range(saves)]
        browser.close()
    return times


def saved(page: Page, file: Path, original: bytes, number: int) -> float:
    """Save the file once, and wait for the drawing."""
    name = f"{STATE}{number}"
    text = original.replace(f'"{STATE}"'.encode(), f'"{name}"'.encode())
    page.evaluate(WATCH, name)
    began = time.time()
    if number % 2:
        file.write_bytes(text)
    else:
        made = file.with_name("editor.tmp")
        made.write_bytes(text)
        made.replace(file)
    shown = page.evaluate("window.shownAt")
    return float(shown) - began * 1000


if __name__ == "__main__":
    main()
