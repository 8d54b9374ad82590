"""Keys and mouse on large packs in Chromium: from the input to the drawing, and to "Saved".

    python -m bench.gestures [--keys 20] [--sizes 500 5000] [--drags 200 1000 5000]

A real server on loopback and a real Chromium. "key to repainted" alternates Delete on a selected
state and Ctrl+Z: the time from the browser's timestamp of the key to the frame after the card is
gone or back. "first drag" moves one card in a pack without saved places: the time from the release
of the button to "Saved"; the places of all cards are saved.
"""

from __future__ import annotations

import argparse

from playwright.sync_api import Browser, Page, sync_playwright

from bench._rows import Row, print_rows
from bench.edits import Api, server
from bench.pages import context_of, imported
from tests.support.chromium import chromium

KEY_GOALS = {500: 50.0, 5_000: 150.0}
"""States → the most milliseconds of the 95th percentile."""
DRAG_GOALS = {200: 100.0, 1_000: 150.0, 5_000: 500.0}
"""States → the most milliseconds."""
PATIENCE = 60_000
CHOSEN = "s1"

AFTER_KEY = """([id, there]) => {
  window.tookMs = null;
  const pressed = (event) => {
    if (event.key === "Control") return;
    removeEventListener("keydown", pressed, true);
    const look = () => {
      if ((window.signalbox.locate(id) !== null) !== there) return requestAnimationFrame(look);
      requestAnimationFrame((now) => { window.tookMs = now - event.timeStamp; });
    };
    requestAnimationFrame(look);
  };
  addEventListener("keydown", pressed, true);
}"""

AFTER_DRAG = """() => {
  window.tookMs = null;
  addEventListener("pointerup", (event) => {
    let begun = false;
    const look = () => {
      const saved = document.querySelector("[data-saved]")?.dataset.saved === "true";
      begun ||= !saved;
      if (!begun || !saved) return requestAnimationFrame(look);
      window.tookMs = performance.now() - event.timeStamp;
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true });
}"""


def opened(browser: Browser, api: Api, pack_id: int) -> Page:
    """The editor page with its graph drawn."""
    page = context_of(browser, api).new_page()
    page.goto(f"/packs/{pack_id}/")
    page.wait_for_function("() => window.drawnAt", timeout=PATIENCE)
    page.wait_for_load_state("networkidle")
    return page


def show(page: Page, state: str) -> tuple[float, float]:
    """Bring a state into view with the search. Returns the middle of its card."""
    page.keyboard.press("Control+f")
    box = page.get_by_role("dialog", name="Search the canvas").get_by_role("combobox")
    box.fill(state)
    box.press("Enter")
    card = page.locator(f'[data-state="{state}"]')
    card.wait_for(timeout=PATIENCE)
    page.wait_for_timeout(500)
    at = page.evaluate("(id) => window.signalbox.locate(id)", state)
    return at["x"], at["y"]


def saved(page: Page) -> None:
    page.wait_for_selector('[data-saved="true"]', timeout=PATIENCE)


def took(page: Page) -> float:
    """Milliseconds that the page has measured."""
    page.wait_for_function("() => window.tookMs !== null", timeout=PATIENCE)
    return float(page.evaluate("window.tookMs"))


def key_times(page: Page, keys: int) -> list[float]:
    """Milliseconds of each key, in pairs of removal and undo."""
    times = []
    middle = show(page, CHOSEN)
    for _ in range(keys // 2):
        page.mouse.click(*middle)
        for key, there in (("Delete", False), ("Control+z", True)):
            page.evaluate(AFTER_KEY, [CHOSEN, there])
            page.keyboard.press(key)
            times.append(took(page))
            saved(page)
    return sorted(times)


def key_rows(browser: Browser, api: Api, states: int, keys: int) -> list[Row]:
    page = opened(browser, api, imported(api, states, placed=True))
    times = key_times(page, keys)
    page.context.close()
    name = f"key to repainted, {states:,} states"
    late = times[min(len(times) - 1, len(times) * 95 // 100)]
    return [
        Row(name=f"{name}, p50", value=times[len(times) // 2], unit="ms"),
        Row(name=f"{name}, p95", value=late, unit="ms", goal=KEY_GOALS.get(states)),
    ]


def drag_row(browser: Browser, api: Api, states: int) -> Row:
    page = opened(browser, api, imported(api, states, placed=False))
    x, y = show(page, CHOSEN)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=5)
    page.evaluate(AFTER_DRAG)
    page.mouse.up()
    value = took(page)
    page.context.close()
    name = f"first drag to Saved, {states:,} states"
    return Row(name=name, value=value, unit="ms", goal=DRAG_GOALS.get(states))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(KEY_GOALS))
    parser.add_argument("--drags", type=int, nargs="*", default=list(DRAG_GOALS))
    given = parser.parse_args()
    with server() as api, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for states in given.sizes:
            print_rows(key_rows(browser, api, states, given.keys))
        for states in given.drags:
            print_rows([drag_row(browser, api, states)])
        browser.close()


if __name__ == "__main__":
    main()
