"""The page of a run with 24,000 events: opened, searched, scrubbed and folded into its story.

    python -m bench.long_run [--events 24000] [--json FILE]

Starts `signalbox serve`, writes a finished run into its database and opens it in Chromium with a
mouse and a keyboard. "open" is the time from the request of the page to the first frame with the
whole log and its story. The others are the times from an input to the frame after the page has
answered it: median and worst. "stall" is the longest task of the page's own thread while it opens.
Build the canvas first.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench._rows import Row, print_rows

ROOT = Path(__file__).resolve().parent.parent
EVENTS, PER_VISIT = 24_000, 8
LIMITS = {"open": 3_000.0, "search": 100.0, "scrub": 100.0, "unfold": 100.0}
"""Measured → the most milliseconds."""

RECORD = """
window.tasks = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((e) => e.duration)))
  .observe({ type: 'longtask', buffered: true });
window.answers = [];
for (const name of ['input', 'click'])
  addEventListener(name, (event) => {
    const began = event.timeStamp;
    requestAnimationFrame(() => requestAnimationFrame(() =>
      window.answers.push(performance.now() - began)));
  }, true);
"""

WRITE = """
import json, sys
from django.contrib.auth.models import User
from django.utils.timezone import now
from workflows.actions.packs import create_from_sample
from workflows.models import Run, RunEvent
events = int(sys.stdin.read())
owner = User.objects.get()
pack = create_from_sample("promptpack/code-review", owner=owner)
run = Run.objects.create(pack=pack, revision=1, profile=pack.profile, driver="model", owner=owner,
    status="completed", last=events, finished_at=now())
states, text = ("implement", "review"), "A sentence of an answer, as a model writes it. " * 8
rows = [("run.started", {"inputs": {"task": "Write a greeting."}, "driver": "model"})]
while len(rows) < events - 1:
    visit = len(rows) // 8
    state, other = states[visit % 2], states[(visit + 1) % 2]
    label = "ChangeReady" if state == "implement" else "ChangesRequested"
    here, key = {"position": "0", "state": state}, {"key": f"0:{visit}"}
    rows += [
        ("state.entered", {**here, "visit": 1 + visit // 2, "terminal": False}),
        ("prompt.logged", {**here, **key, "text": text, "hash": "0" * 64}),
        ("model.asked", {**here, **key}),
        ("model.replied", {**here, **key, "text": f"Answer {visit}. {text}", "error": "",
            "usage": {"input_tokens": 900, "output_tokens": 60, "cost": 0.002}}),
        ("tool.called", {**here, "name": "read_file", "arguments": {"path": f"{visit}.py"}}),
        ("tool.returned", {**here, "name": "read_file", "result": text, "error": ""}),
        ("state.left", here),
        ("transition.taken", {"position": "0", "source": state, "target": other, "label": label,
            "transition": f"{state}|{label}|{other}", "redirected": False}),
    ]
rows = [*rows[:events - 1], ("run.finished", {"status": "completed", "reason": ""})]
RunEvent.objects.bulk_create([RunEvent(run=run, n=n, at=1e9 + n * 0.37, type=type, fields=fields)
    for n, (type, fields) in enumerate(rows, start=1)], batch_size=500)
print(run.pk)
"""


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.long_run")
    options.add_argument("--events", type=int, default=EVENTS)
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    from tests.support.live_server import ROOT, LiveServer

    with tempfile.TemporaryDirectory() as folder:
        server = LiveServer(Path(folder), program=ROOT)
        server.start()
        try:
            run = written(folder, given.events)
            found = measured(server.url, server.link, run, given.events)
        finally:
            server.stop()
    missed = [name for name, most in LIMITS.items() if worst(found[name]) > most]
    for name, values in found.items():
        figures = f"{statistics.median(values):7.0f} ms, worst {worst(values):.0f} ms"
        print(f"{name:8} {figures}{'   over its limit' if name in missed else ''}")
    print_rows(
        Row(
            name=f"{name}, {given.events:,} events",
            value=worst(values),
            unit="ms",
            goal=LIMITS.get(name),
        )
        for name, values in found.items()
    )
    if given.json:
        given.json.write_text(json.dumps(found))
    return 1 if missed else 0


def worst(values: list[float]) -> float:
    return max(values, default=0.0)


def written(folder: str, events: int) -> str:
    """Write the run into the server's database; its id."""
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", WRITE],
        cwd=ROOT,
        env={**os.environ, "SIGNALBOX_DATA": folder, "SIGNALBOX_DATABASE": ""},
        input=str(events),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.split()[-1]


def measured(url: str, link: str, run: str, events: int) -> dict[str, list[float]]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(link)
        page.get_by_role("button", name="Sign in as").click()
        page.wait_for_url(f"{url}/")
        page.add_init_script(RECORD)
        opens = [opened(page, f"{url}/runs/{run}/", events) for _ in range(3)]
        found: dict[str, list[float]] = {
            "open": opens,
            "stall": [float(page.evaluate("Math.max(0, ...window.tasks)"))],
        }
        found["search"] = searched(page)
        found["scrub"] = scrubbed(page)
        found["unfold"] = unfolded(page)
        browser.close()
        return found


def opened(page: Page, address: str, events: int) -> float:
    page.goto(address)
    whole = """(events) => document.querySelector('[data-story-visit]')
        && document.querySelector('[data-run-at]')?.textContent.endsWith(`/${events}`)
        && performance.now()"""
    return float(page.wait_for_function(whole, arg=events, timeout=120_000).json_value())


def answers(page: Page, act: Any) -> list[float]:
    """The times of the answers to the inputs of `act`."""
    page.evaluate("() => { window.answers.length = 0 }")
    act()
    page.wait_for_timeout(1_000)
    found: list[float] = page.evaluate("window.answers")
    return found


def searched(page: Page) -> list[float]:
    box = page.get_by_role("searchbox", name="Search the log")
    if not box.count():
        box = page.get_by_placeholder("Search the log")
    box.first.click()
    return answers(page, lambda: page.keyboard.type("answer 29", delay=150))


def scrubbed(page: Page) -> list[float]:
    box = page.get_by_label("Event shown").bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2

    def drag() -> None:
        page.mouse.move(box["x"] + box["width"] - 8, middle)
        page.mouse.down()
        for step in range(40):
            page.mouse.move(box["x"] + box["width"] * (40 - step) / 42, middle)
            page.wait_for_timeout(60)
        page.mouse.up()

    return answers(page, drag)


def unfolded(page: Page) -> list[float]:
    def unfold() -> None:
        for index in range(5):
            page.locator(".story-fold").nth(index).click()

    return answers(page, unfold)


if __name__ == "__main__":
    raise SystemExit(main())
