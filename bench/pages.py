"""Bytes and requests of the editor page, the time to its first drawing, and the time of a run.

    python -m bench.pages [--sizes 200 1000 5000] [--repeat 5]

A real server on loopback and a real Chromium without a cache. "wire" counts the bytes that Chromium
received, with headers, until the graph is drawn and the network is quiet; "again" is the same page
opened a second time in the same browser. "open" is the time from the start of the navigation to
the first frame that shows the graph. "run" is the time from the click on Run to the frame that
shows the completed run. Times are medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, sync_playwright

from bench._rows import Row, print_rows
from bench.edits import Api, pack, server
from tests.support.chromium import chromium

OPEN_GOALS = {200: 350.0, 1_000: 400.0, 5_000: 550.0}
"""States → the most milliseconds."""
UNPLACED = 200
SHOWN_WITHIN, MOST_LOST = 20_000, 3
"""Milliseconds of one run, and runs that may take longer: a busy machine stops the frames."""
MOST_DRAWN = 10_000
"""States of a pack that the canvas draws."""
MOST_MOVED = 5_000
"""States that one edit of the benchmark places."""

DRAWN = """(() => {
  const look = () => {
    const drawn = window.signalbox?.locate?.("s0") || document.querySelector("[data-state]");
    if (!drawn) return requestAnimationFrame(look);
    requestAnimationFrame(() => { window.drawnAt = performance.now(); });
  };
  requestAnimationFrame(look);
})()"""

NO_DELAY = """(() => {
  const pack = /^\\/packs\\/(\\d+)/.exec(location.pathname)?.[1];
  if (pack) localStorage.setItem(`signalbox.start.${pack}`, JSON.stringify({ delay: "0" }));
})()"""

SHOWN = """() => {
  window.shownAfter = null;
  addEventListener("click", () => {
    const began = performance.now();
    const look = () => {
      if (!document.querySelector('[data-run-status="completed"]'))
        return requestAnimationFrame(look);
      requestAnimationFrame(() => { window.shownAfter = performance.now() - began; });
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true });
}"""


@dataclass(kw_only=True)
class Traffic:
    """Bytes and requests of one page, as Chromium counts them."""

    requests: list[str] = field(default_factory=list)
    bytes: int = 0

    def follow(self, page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.loadingFinished", self._finished)

    def _sent(self, message: dict[str, Any]) -> None:
        if not message["request"]["url"].startswith("data:"):
            self.requests.append(message["request"]["url"])

    def _finished(self, message: dict[str, Any]) -> None:
        self.bytes += int(message["encodedDataLength"])


def imported(api: Api, states: int, *, placed: bool) -> int:
    """The id of a new pack of this many states."""
    text = pack(states).decode()
    made = api("POST", "import/", {"text": text, "name": f"open{states}.pack.json"})["packs"][0]
    if placed:
        columns = max(1, round((states / 2.2) ** 0.5))
        head = made["head"]
        for start in range(0, min(states, MOST_DRAWN), MOST_MOVED):
            places = {
                f"s{number}": [number % columns * 340, number // columns * 130]
                for number in range(start, min(states, start + MOST_MOVED))
            }
            body = {"base": head, "edits": [{"type": "move", "positions": places}]}
            head = api("POST", f"packs/{made['id']}/edits/", body)["revision"]
    return int(made["id"])


def three_states(api: Api) -> int:
    """The id of a pack whose run enters three states and ends."""
    body = json.loads(pack(3))
    states = body["workflow"]["states"]
    for name, ways in (("s0", {"Next": "s1"}), ("s1", {"Next": "s2"}), ("s2", {})):
        states[name]["on_event"] = ways
    states["s2"]["terminal"] = True
    text = json.dumps(body)
    made = api("POST", "import/", {"text": text, "name": "three.pack.json"})["packs"][0]
    places = {f"s{number}": [number * 340, 0] for number in range(3)}
    move = {"base": made["head"], "edits": [{"type": "move", "positions": places}]}
    api("POST", f"packs/{made['id']}/edits/", move)
    return int(made["id"])


def context_of(browser: Browser, api: Api) -> BrowserContext:
    """A browser without a cache, signed in."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=api.root)
    cookies: list[Any] = [
        {"name": one.name, "value": one.value or "", "url": api.root} for one in api.jar
    ]
    context.add_cookies(cookies)
    context.add_init_script(DRAWN)
    # A rehearsal waits between its answers unless its delay is 0.
    context.add_init_script(NO_DELAY)
    return context


def opened(context: BrowserContext, pack_id: int) -> tuple[float, Traffic]:
    """Milliseconds to the first drawing, and the traffic until the network is quiet."""
    page, traffic = context.new_page(), Traffic()
    traffic.follow(page)
    page.goto(f"/packs/{pack_id}/", wait_until="commit")
    page.wait_for_function("() => window.drawnAt", timeout=120_000)
    took = page.evaluate("window.drawnAt")
    page.wait_for_load_state("networkidle")
    page.close()
    return took, traffic


def open_row(browser: Browser, api: Api, states: int, repeat: int, *, placed: bool) -> Row:
    pack_id = imported(api, states, placed=placed)
    times = []
    for _ in range(repeat):
        context = context_of(browser, api)
        times.append(opened(context, pack_id)[0])
        context.close()
    goal = OPEN_GOALS[states] if placed else 700.0
    name = f"open {states:,}" if placed else f"open {states:,} unplaced"
    return Row(
        name=name,
        value=statistics.median(times),
        unit="ms",
        goal=goal,
    )


def wire_rows(browser: Browser, api: Api, show: bool) -> list[Row]:
    pack_id = three_states(api)
    context = context_of(browser, api)
    _, first = opened(context, pack_id)
    _, again = opened(context, pack_id)
    context.close()
    if show:
        for url in first.requests:
            print("   ", url.removeprefix(api.root))
    return [
        Row(name="editor page, wire", value=first.bytes / 1000, unit="kB", goal=200),
        Row(name="editor page, requests", value=len(first.requests), unit=""),
        Row(name="editor page again, wire", value=again.bytes / 1000, unit="kB"),
    ]


def run_row(browser: Browser, api: Api, repeat: int) -> Row:
    pack_id = three_states(api)
    context = context_of(browser, api)
    page = context.new_page()
    page.goto(f"/packs/{pack_id}/")
    page.wait_for_function("() => window.drawnAt", timeout=120_000)
    times: list[float] = []
    lost = 0
    while len(times) <= repeat:
        page.get_by_role("button", name="Run", exact=True).click()
        dialog = page.get_by_role("dialog", name="Run")
        button = dialog.get_by_role("button", name="Run", exact=True)
        button.wait_for()
        page.wait_for_load_state("networkidle")
        page.evaluate(SHOWN)
        button.click()
        try:
            page.wait_for_function("() => window.shownAfter", timeout=SHOWN_WITHIN, polling=20)
            times.append(page.evaluate("window.shownAfter"))
        except TimeoutError:
            lost += 1
            print("  A run was not shown in time, and is measured again.", flush=True)
            if lost > MOST_LOST:
                raise
        page.get_by_role("button", name="Hide the run").click()
    times = times[1:]  # The first run also loads code.
    context.close()
    return Row(name="run, click to shown", value=statistics.median(times), unit="ms", goal=40)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(OPEN_GOALS))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print the addresses of the requests")
    options = parser.parse_args()
    with server() as api, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        print_rows(wire_rows(browser, api, options.show))
        print_rows([run_row(browser, api, options.repeat * 2)])
        for states in options.sizes:
            print_rows([open_row(browser, api, states, options.repeat, placed=True)])
        print_rows([open_row(browser, api, UNPLACED, options.repeat, placed=False)])
        browser.close()


if __name__ == "__main__":
    main()
