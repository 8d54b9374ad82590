"""Bytes of the demo page, and the time from its address to a drawn pack.

    python -m bench.demo

A server of files on loopback sends Brotli, as hosts of static files do, to a real Chromium without
a cache. "wire" counts the bytes that Chromium received, also in its workers.
"""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

from playwright.sync_api import sync_playwright

from bench._rows import Row, print_rows
from tests.support.chromium import chromium
from tests.support.static_site import served
from workflows.installation import ROOT

DEMO = ROOT / "frontend_static/dist-demo"


def main() -> int:
    """Print the rows."""
    subprocess.run(["make", "--silent", ".make/demo"], cwd=ROOT, check=True)
    with served(DEMO) as address, sync_playwright() as program:
        browser = program.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        sizes: list[int] = []
        page.context.on(
            "requestfinished",
            lambda request: sizes.append(request.sizes()["responseBodySize"]),
        )
        start = perf_counter()
        page.goto(f"{address}?sample=promptpack/customer-support")
        page.locator("[data-state]").first.wait_for(timeout=120_000)
        seconds = perf_counter() - start
        page.get_by_role("button", name="Rehearse").first.click()
        start = perf_counter()
        page.get_by_text("in 100 walks").wait_for(timeout=120_000)
        rehearsed = perf_counter() - start
        browser.close()
    rows = [
        Row(name="demo page, wire", value=sum(sizes) / 1000, unit="kB", goal=8000),
        Row(name="demo page, drawn pack", value=seconds, unit="s", goal=6),
        Row(name="demo page, 100 walks", value=rehearsed, unit="s"),
    ]
    print_rows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
