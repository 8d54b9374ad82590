"""The demo page of the site, as `make .make/demo` builds it: no server but one of files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.static_site import served
from workflows.core.dialects import dialects
from workflows.demo.answers import Demo
from workflows.installation import ROOT

DEMO = ROOT / "frontend_static/dist-demo"
pytestmark = pytest.mark.slow
GRAPH = "/api/v1/packs/1/graph/"
LOADED = 120_000
"""Milliseconds; Python is compiled by the browser, on a machine that runs other tests too."""
OPEN = """async ([dialect, sample]) => {
  window.asked ??= 0;
  const call = (call) => new Promise((done) => {
    const id = ++window.asked;
    const listen = ({ data }) => {
      if (data.id !== id) return;
      window.python.removeEventListener("message", listen);
      done(data.problem ?? JSON.parse(data.text));
    };
    window.python.addEventListener("message", listen);
    window.python.postMessage({ id, home: new URL("python/", document.baseURI).href, call });
  });
  const opened = await call({ name: "open_sample", dialect, sample });
  const answer = (method, address, text = "") => call({
    name: "answer", method, address: `/api/v1/packs/1/${address}`, text });
  return [
    await answer("GET", "graph/"), await answer("GET", "fields/?element=pack"),
    await answer("GET", "worst-case/"),
    await answer("POST", "rehearse/", JSON.stringify({ runs: 5, seed: 1 })),
  ];
}"""


@pytest.fixture
def address() -> Iterator[str]:
    assert (DEMO / "python/core.zip.gz").exists(), "Build the page first: make .make/demo"
    with served(DEMO) as url:
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without a server of Signalbox, and without anything in its cache."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def states(page: Page) -> set[str]:
    return set(page.locator("[data-state]").evaluate_all("all => all.map(s => s.dataset.state)"))


def test_packs_are_drawn_checked_and_rehearsed_offline(page: Page, address: str) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(address)
    expect(page.get_by_role("button", name="customer-support")).to_be_enabled(timeout=LOADED)
    page.context.set_offline(True)
    loaded = len(requests)

    page.get_by_role("button", name="customer-support").click()
    sample = dialects()["promptpack"].samples()["customer-support"]
    expect(page.locator("[data-state]").first).to_be_visible(timeout=LOADED)
    assert states(page) == {one["id"] for one in Demo(sample).answer("GET", GRAPH)[1]["states"]}
    expect(page.get_by_role("button", name="Show the worst case")).to_be_visible()
    page.get_by_role("tab", name="Findings").click()
    expect(page.locator("[data-finding=PP514]")).to_be_visible()
    page.get_by_role("button", name="Rehearse").first.click()
    expect(page.get_by_text("in 100 walks")).to_be_visible(timeout=LOADED)

    page.get_by_role("button", name="Open another pack").click()
    text = page.get_by_label("Text of a pack")
    text.fill("no pack <img src=x onerror=alert(1)>")
    page.get_by_role("button", name="Open the text").click()
    expect(page.get_by_role("alert")).to_contain_text("None of these files is a pack")
    [data] = sample.values()
    renamed = data.decode().replace('"Customer support"', '"<b>Pasted</b>"')
    text.fill(renamed)
    page.get_by_role("button", name="Open the text").click()
    expect(page.locator("h1.pack-name")).not_to_be_empty(timeout=LOADED)
    expect(page.locator("[data-state]").first).to_be_visible(timeout=LOADED)
    assert not problems
    assert [one for one in requests[loaded:] if not one.startswith("blob:")] == []


def test_files_at_an_address_are_opened(page: Page, address: str, tmp_path: Path) -> None:
    [data] = dialects()["promptpack"].samples()["review-loop"].values()
    (tmp_path / "mine.pack.json").write_bytes(data)
    page.goto(address)
    expect(page.get_by_role("button", name="customer-support")).to_be_enabled(timeout=LOADED)
    field = page.get_by_label("Address of a file", exact=False)
    with served(tmp_path) as files:
        field.fill(f"{files}away.json")
        page.get_by_role("button", name="Open the address").click()
        expect(page.get_by_role("alert")).to_contain_text("answered with 404")
        field.fill(f"{files}mine.pack.json")
        page.get_by_role("button", name="Open the address").click()
        expect(page.locator("[data-state=review]")).to_be_visible(timeout=LOADED)


def test_every_sample_is_answered_as_without_a_browser(page: Page, address: str) -> None:
    page.goto(address)
    [worker] = [f"assets/{one.name}" for one in (DEMO / "assets").glob("worker-*.js")]
    page.evaluate("name => { window.python = new Worker(name, { type: 'module' }) }", worker)
    for name, dialect in dialects().items():
        for key, files in dialect.samples().items():
            demo = Demo(files)
            body = json.dumps({"runs": 5, "seed": 1})
            here = [
                demo.answer("GET", GRAPH),
                demo.answer("GET", "/api/v1/packs/1/fields/?element=pack"),
                demo.answer("GET", "/api/v1/packs/1/worst-case/"),
                demo.answer("POST", "/api/v1/packs/1/rehearse/", body),
            ]
            there = page.evaluate(OPEN, [name, key])
            for one, other in zip(plain(there), plain(here), strict=True):
                assert one == other, key


def plain(answers: Any) -> Any:
    """Answers as JSON, without their time, and without the prices that the page leaves out."""
    values = json.loads(json.dumps(answers))
    for _, body in values:
        for name in ("saved_at", "cost"):
            body.pop(name, None)
    return values
