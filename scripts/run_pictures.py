"""Pictures of a run in every state, for review: `python -m scripts.run_pictures FOLDER`.

Each state is pictured in windows of 1280 and 1920 pixels, light and dark, as
`<state>-<width>-<theme>.png`. A server and a model server on loopback are started for them; the
browser is that of the browser tests.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import chromium, sign_in, start_server
from tests.browser.page_actions import Canvas, api, attribute
from tests.browser.test_state_inspector import as_a_reviewer, promptpack
from tests.support.live_server import LiveServer
from tests.support.model_server import (
    Answer,
    ErrorReply,
    ModelRequest,
    ModelServer,
    NoReply,
    TextReply,
)

SIZES = {1280: 800, 1920: 1080}
THEMES = ("light", "dark")
PATIENCE_MS = 60_000
LAST_REVIEW = TextReply(
    text="The change greets the user, and its test passes. One more remark: " * 3
)
FAILING_SCRIPT = {
    "replies": [{"event": "ChangeReady"}, {"error": "The provider has no capacity left."}]
}


@dataclass
class StoppedModel:
    """Answers as the reviewer of the sample does, and from request number `at` with `then`."""

    at: int = 0
    then: Answer = LAST_REVIEW
    requests: int = 0

    def __post_init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def __call__(self, request: ModelRequest) -> Answer:
        self.requests += 1
        if self.at and self.requests >= self.at:
            return self.then
        return as_a_reviewer(request, self.counts)


@dataclass
class Studio:
    """The page in which runs are started. Each run has a connection and a model of its own."""

    page: Page
    servers: list[ModelServer]

    def started(self, model: StoppedModel, **options: Any) -> str:
        server = ModelServer(otherwise=model)
        server.__enter__()
        self.servers.append(server)
        name = f"Model {len(self.servers)}"
        connection = {
            "name": name,
            "kind": "openai",
            "base_url": server.url("openai"),
            "model": "gpt-4o",
            "key": "sk-not-to-be-seen",
            "prices": {"*": {"input": 500, "output": 1000}},
        }
        api(self.page, "POST", "connections/", connection)
        task = {"task": "Write a script that greets the user."}
        body = {"driver": "model", "connection": name, "inputs": task, **options}
        run: str = api(self.page, "POST", "runs/", {"pack": promptpack(self.page), **body})["id"]
        self.page.goto(f"/runs/{run}/")
        Canvas(self.page).stand()
        return run

    def approve(self) -> None:
        question = self.page.locator(".question").filter(has_text="read_file")
        question.get_by_role("button", name="Approve", exact=True).click()

    def wait_for(self, status: str) -> None:
        shown = self.page.locator(".run-area [data-run-status]")
        expect(shown).to_have_attribute("data-run-status", status, timeout=PATIENCE_MS)


def running(studio: Studio) -> str:
    run = studio.started(StoppedModel(at=5, then=NoReply(says=LAST_REVIEW, pieces=3)))
    studio.approve()
    expect(studio.page.locator(attribute("data-story-visit", "implement:2"))).to_be_visible()
    return f"/runs/{run}/"


def waiting(studio: Studio) -> str:
    run = studio.started(StoppedModel())
    studio.wait_for("waiting")
    return f"/runs/{run}/"


def paused_by_fault(studio: Studio) -> str:
    refusal = ErrorReply(status=401, message="Incorrect API key provided.")
    run = studio.started(StoppedModel(at=4, then=refusal))
    studio.approve()
    studio.wait_for("paused")
    return f"/runs/{run}/"


def failed(studio: Studio) -> str:
    body = {"driver": "script", "script": FAILING_SCRIPT, "inputs": {"task": "Greet the user."}}
    run = api(studio.page, "POST", "runs/", {"pack": promptpack(studio.page), **body})["id"]
    studio.page.goto(f"/runs/{run}/")
    studio.wait_for("failed")
    return f"/runs/{run}/"


def done(studio: Studio) -> str:
    run = studio.started(StoppedModel())
    studio.approve()
    studio.wait_for("completed")
    return f"/runs/{run}/"


def forked(studio: Studio) -> str:
    """A fork of the last run, from its last model call, answered by a rehearsal."""
    run = studio.page.url.rstrip("/").rpartition("/")[2]
    log = api(studio.page, "GET", f"runs/{run}/events/?limit=5000")["events"]
    asked = [event["n"] for event in log if event["type"] == "model.asked"]
    body = {"at": asked[len(asked) // 2], "driver": "rehearsal"}
    fork = api(studio.page, "POST", f"runs/{run}/fork/", body)["run"]["id"]
    studio.page.goto(f"/runs/{fork}/")
    studio.wait_for("completed")
    return f"/runs/{fork}/"


def compared(studio: Studio) -> str:
    """The last run, a fork, compared with its origin."""
    fork = studio.page.url.rstrip("/").rpartition("/")[2]
    return f"/runs/{fork}/compare/{api(studio.page, 'GET', f'runs/{fork}/')['forked_from']['run']}/"


STATES: tuple[Callable[[Studio], str], ...] = (
    running,
    waiting,
    paused_by_fault,
    failed,
    done,
    forked,
    compared,
)
"""In this order: each of the last two shows the run before it. They return an address."""


def main(argv: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(prog="python -m scripts.run_pictures")
    options.add_argument("folder", type=Path)
    options.add_argument("--chosen", metavar="STATE", help="select this state on each run's page")
    given = options.parse_args(argv)
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        server = start_server(Path(data))
        try:
            for path in pictures(browser, server, given.folder, given.chosen):
                print(path)
        finally:
            browser.close()
            server.stop()
    return 0


def pictures(
    browser: Browser, server: LiveServer, folder: Path, chosen: str | None
) -> Iterator[Path]:
    cookies = sign_in(server.link)
    wishes = {"storage_state": cookies, "base_url": server.url, "reduced_motion": "reduce"}
    studio = Studio(page=browser.new_context(**wishes).new_page(), servers=[])
    try:
        for state in STATES:
            address = state(studio)
            for theme in THEMES:
                for width, height in SIZES.items():
                    size = {"width": width, "height": height}
                    context = browser.new_context(**wishes, viewport=size, color_scheme=theme)
                    page = context.new_page()
                    _show(page, address, chosen)
                    path = folder / f"{state.__name__}-{width}-{theme}.png"
                    page.screenshot(path=path)
                    context.close()
                    yield path
    finally:
        for one in studio.servers:
            one.__exit__(None, None, None)


def _show(page: Page, address: str, chosen: str | None) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    if "/compare/" in address:
        return
    Canvas(page).stand()
    expect(page.locator("[data-story-visit]").first).to_be_visible()
    if chosen:
        page.locator(attribute("data-state", chosen)).click()
        expect(page.locator(attribute("data-inspected", chosen))).to_be_visible()
    page.wait_for_timeout(300)  # Panes that are loaded on demand.


if __name__ == "__main__":
    raise SystemExit(main())
