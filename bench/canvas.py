"""Frame times of the canvas and of plain React Flow in the same run.

Build the benchmark page first (`npm run bench` in frontend_static), then:

    python -m bench.canvas [--sizes 1000 5000] [--json FILE]

Drives Chromium with mouse input and measures the time between frames. "interactive" is the time
from the loaded graph to the first frame that shows it; the other columns are mean and p95 of frames
in milliseconds while the mouse pans, wheels or drags. "fit" is with the whole graph in view.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import statistics
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench._rows import Row, print_rows
from tests.support.chromium import chromium

PAGE = Path(__file__).resolve().parent.parent / "frontend_static" / "node_modules" / ".bench"
WIDTH, HEIGHT = 1280, 800
PLAIN_MOST = 5_000
"""Plain React Flow needs minutes above this."""

RECORD = """() => {
  const frames = []; let last = performance.now(); let on = true;
  const tick = (now) => { if (!on) return; frames.push(now - last); last = now;
    requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  window.stopFrames = () => { on = false; return frames.slice(2); };
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Write no log."""


def serve() -> str:
    handler = functools.partial(Quiet, directory=str(PAGE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/index.html"


def frames(page: Page, act: Any) -> tuple[float, float]:
    """Mean and p95 of the frame times during `act`."""
    page.evaluate(RECORD)
    act()
    found = sorted(page.evaluate("() => window.stopFrames()"))
    if not found:
        return (0.0, 0.0)
    return (statistics.fmean(found), found[min(len(found) - 1, int(len(found) * 0.95))])


def sweep(page: Page, start: tuple[float, float], steps: int = 60) -> None:
    """Drag the mouse, about one step per frame."""
    x, y = start
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(steps):
        page.mouse.move(x + 4 * (step % 30), y + 3 * (step % 20) - 20)
    page.mouse.up()


def wheel(page: Page, turns: int = 30) -> None:
    """Zoom in and out. The wheel alone pans the canvas."""
    page.mouse.move(WIDTH / 2, HEIGHT / 2)
    page.keyboard.down("Control")
    for turn in range(turns):
        page.mouse.wheel(0, -60 if turn < turns / 2 else 60)
    page.keyboard.up("Control")


def fit_view(count: int) -> dict[str, float]:
    """The viewport that shows the whole grid of the benchmark graph."""
    columns = -(-((count / 2.2) ** 0.5) // 1)
    width, height = -(-count // columns) * 340, columns * 130
    zoom = min((WIDTH - 80) / width, (HEIGHT - 80) / height)
    return {"x": 40, "y": 40, "zoom": zoom}


def go(page: Page, view: dict[str, float]) -> None:
    page.evaluate("(view) => window.bench.goTo(view)", view)
    page.wait_for_timeout(300)


def first_box(page: Page, ours: bool) -> tuple[float, float]:
    """Page coordinates inside a visible card."""
    if ours:
        for index in range(0, 400):
            at = page.evaluate("(id) => window.signalbox.locate(id)", f"state_{index}")
            if at and 200 < at["x"] < WIDTH - 300 and 150 < at["y"] < HEIGHT - 250:
                return (at["x"], at["y"])
        return (WIDTH / 2, HEIGHT / 2)
    box = page.locator(".react-flow__node").nth(1).bounding_box() or {}
    return (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def measure(page: Page, address: str, view: str, count: int) -> dict[str, Any]:
    ours = view == "ours"
    page.goto(f"{address}?n={count}&view={view}&placed=1")
    page.wait_for_function("() => window.bench && window.bench.ready !== null", timeout=120_000)
    row: dict[str, Any] = {
        "view": view,
        "n": count,
        "interactive": page.evaluate("window.bench.ready"),
    }
    near = {"x": 40, "y": 40, "zoom": 1}
    go(page, near)
    row["pan"] = frames(page, lambda: sweep(page, (300, 142)))
    go(page, near)
    row["zoom"] = frames(page, lambda: wheel(page))
    go(page, near)
    start = first_box(page, ours)
    row["drag"] = frames(page, lambda: sweep(page, start))
    far = fit_view(count)
    go(page, far)
    row["pan at fit"] = frames(page, lambda: sweep(page, (20, 20)))
    go(page, far)
    row["zoom at fit"] = frames(page, lambda: wheel(page))
    go(page, far)
    start = first_box(page, ours)
    row["drag at fit"] = frames(page, lambda: sweep(page, start))
    if ours:
        page.keyboard.press("Control+a")
        start = first_box(page, ours)
        row["drag all"] = frames(page, lambda: sweep(page, start))
    row["heap MB"] = page.evaluate("Math.round(performance.memory.usedJSHeapSize / 1e6)")
    return row


COLUMNS = ("pan", "zoom", "drag", "pan at fit", "zoom at fit", "drag at fit", "drag all")


def table(rows: list[dict[str, Any]]) -> str:
    head = ["view", "N", "interactive", *COLUMNS, "heap MB"]
    lines = [" | ".join(head), " | ".join("---" for _ in head)]
    for row in rows:
        cells = [row["view"], f"{row['n']:,}", f"{row['interactive']:.0f}"]
        for name in COLUMNS:
            cells.append(f"{row[name][0]:.0f}/{row[name][1]:.0f}" if name in row else "")
        lines.append(" | ".join([*cells, str(row["heap MB"])]))
    return "\n".join(lines)


def ratios(rows: list[dict[str, Any]]) -> str:
    """Ratio of p95 frame times: plain React Flow to the canvas."""
    lines = []
    for row in rows:
        plain = next((r for r in rows if r["n"] == row["n"] and r["view"] == "plain"), None)
        if row["view"] != "ours" or plain is None:
            continue
        parts = [f"interactive ×{plain['interactive'] / row['interactive']:.1f}"]
        parts += [
            f"{name} ×{plain[name][1] / max(row[name][1], 1):.1f}"
            for name in COLUMNS
            if name in plain
        ]
        lines.append(f"{row['n']:,}: " + ", ".join(parts))
    return "\n".join(lines)


def compared(rows: list[dict[str, Any]]) -> Iterator[Row]:
    """The p95 frame times of the canvas, with plain React Flow as the peer."""
    plain = {row["n"]: row for row in rows if row["view"] == "plain"}
    for row in rows:
        if row["view"] != "ours":
            continue
        peer = plain.get(row["n"], {})
        for name in COLUMNS:
            beside = max(peer[name][1], 1.0) if name in peer else None
            value = max(row[name][1], 1.0)
            yield Row(
                name=f"{name}, {row['n']:,} states",
                value=value,
                unit="ms",
                peer=beside,
                peer_name="plain React Flow",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 5_000])
    parser.add_argument("--only", choices=["ours", "plain"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not (PAGE / "index.html").exists():
        raise SystemExit("The benchmark page is missing. Run `npm run bench` in frontend_static.")
    address = serve()
    rows: list[dict[str, Any]] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for count in options.sizes:
            for view in ("ours", "plain"):
                if (options.only and view != options.only) or (
                    view == "plain" and count > PLAIN_MOST
                ):
                    continue
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                rows.append(measure(page, address, view, count))
                page.close()
        browser.close()
    print(table(rows), "", ratios(rows), sep="\n")
    print_rows(compared(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
