"""Ten failures: each place that lists a run has the cause in its first sentence, and at most two
clicks lead to the mend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, open_sample, pack_of
from tests.browser.test_model_run import leads
from tests.support.model_server import CutOffReply, ErrorReply, ModelServer, NoReply, TextReply

LOOP, TRIAGE = "promptpack/review-loop", "steps_registry/triage-bot"
HELP = "promptpack/customer-support"
GOOD = (leads("Next"), leads("Approve"), TextReply(text="On file."))
SEARCH = TextReply(tool_calls=(("search_help", {"query": "returns"}),))


def completed(page: Page) -> None:
    expect(page.locator(".run-area [data-run-status=completed]")).to_be_visible()


def key_of_connection(page: Page) -> None:
    expect(page.locator("[data-connection=Mine]").get_by_label("Key")).to_be_visible()


def state_read(page: Page) -> None:
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.locator(".node-head")).to_contain_text("initial.read")


def address_of_tool(page: Page) -> None:
    dialog = page.get_by_role("dialog", name="Tools")
    expect(dialog.locator(".tool-form").get_by_role("textbox", name="URL")).to_be_visible()


def most_cost(page: Page) -> None:
    expect(page.get_by_role("dialog", name="Run").get_by_label("Cost (USD)")).to_be_visible()


def missing_input(page: Page) -> None:
    dialog = page.get_by_role("dialog", name="Run")
    expect(dialog.get_by_label("brief", exact=False).first).to_be_visible()


@dataclass(frozen=True, kw_only=True)
class Failure:
    """`clicks`: names of the buttons and links to `mended`."""

    cause: str
    clicks: tuple[str, ...]
    mended: Callable[[Page], None]
    answers: tuple[Any, ...] = ()
    sample: str = LOOP
    inputs: dict[str, str] = field(default_factory=lambda: {"brief": "A letter"})
    budget: dict[str, float] = field(default_factory=dict)
    timeout: float = 20.0
    event: str = ""
    """The row of the log that has the cause, in a run that completed."""


CHANGE, AGAIN = "Change the connection Mine", "Try again"
FAILURES = {
    "wrong key": Failure(
        answers=(ErrorReply(status=401),),
        cause="“Mine” rejected its key: status 401",
        clicks=(CHANGE,),
        mended=key_of_connection,
    ),
    "refused schema": Failure(
        sample=TRIAGE,
        inputs={"issue": "7"},
        answers=(ErrorReply(status=400, message="Invalid schema for response_format."),) * 9,
        cause="“Mine” rejected the request: status 400, “Invalid schema for response_format”",
        clicks=("Open initial.read",),
        mended=state_read,
    ),
    "no JSON": Failure(
        sample=TRIAGE,
        inputs={"issue": "7"},
        answers=(TextReply(text='{"broken": tru'),) * 9,
        cause='is not the requested JSON: `{"broken": tru`',
        clicks=("Open initial.read",),
        mended=state_read,
    ),
    "cut stream": Failure(
        answers=(*(CutOffReply(says=GOOD[0], pieces=2),) * 4, *GOOD),
        cause="“Mine” closed the connection in the middle of an answer",
        clicks=(AGAIN,),
        mended=completed,
    ),
    "rate limit": Failure(
        answers=(ErrorReply(status=429, retry_after="3600"), *GOOD),
        cause="“Mine” has reached its rate limit: status 429",
        clicks=(AGAIN,),
        mended=completed,
    ),
    "server error": Failure(
        answers=(*(ErrorReply(status=500),) * 4, *GOOD),
        cause="“Mine” failed: status 500",
        clicks=(AGAIN,),
        mended=completed,
    ),
    "timeout": Failure(
        answers=(NoReply(), *GOOD),
        timeout=1.5,
        cause="“Mine” did not answer within 1.5 seconds",
        clicks=(AGAIN,),
        mended=completed,
    ),
    "failing tool": Failure(
        sample=HELP,
        inputs={"request": "Where is it?"},
        answers=(
            leads("RequestUnderstood"),
            SEARCH,
            *(ErrorReply(status=503),) * 4,
            leads("Solved"),
            TextReply(text="Goodbye."),
        ),
        event="tool.returned",
        cause="127.0.0.1 returned 503",
        clicks=("Change the tool search_help",),
        mended=address_of_tool,
    ),
    "cost limit": Failure(
        answers=GOOD,
        budget={"cost": 0.000001},
        cause="cost",
        clicks=("Again with other limits…", "Limits"),
        mended=most_cost,
    ),
    "missing input": Failure(
        inputs={}, cause="brief", clicks=("Again with these inputs…",), mended=missing_input
    ),
}


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def failed_run(page: Page, models: ModelServer, failure: Failure) -> None:
    """Open the page of a run that has stopped."""
    models.will(*failure.answers)
    connection = {"name": "Mine", "kind": "openai", "model": "gpt-4o", "key": "sk-1"}
    url = {"base_url": models.url("openai"), "timeout": failure.timeout}
    api(page, "POST", "connections/", {**connection, **url})
    open_sample(page, failure.sample, "Fails")
    pack = int(pack_of(page))
    if failure.sample == HELP:
        settings = {"url": f"{models.host}/search", "method": "GET"}
        body = {"kind": "http", "settings": settings}
        api(page, "PUT", f"packs/{pack}/tools/search_help/", body)
    options = {"driver": "model", "inputs": failure.inputs, "budget": failure.budget}
    run = api(page, "POST", "runs/", {"pack": pack, **options})["id"]
    page.goto(f"/runs/{run}/")
    Canvas(page).stand()
    expect(page.locator("[data-result-line]")).to_be_visible()


def first_sentences(page: Page, event: str) -> dict[str, str]:
    """Where the run or this event of it is listed, and the first sentence about it there."""
    if event:
        row = page.locator(f"[data-event='{event}']").filter(has_text="failed").first
        return {event: row.inner_text().replace("\n", " ").partition(". ")[0]}
    run = page.url.rstrip("/").rpartition("/")[2]
    texts = {
        "line": page.locator("[data-result-line] .truncate").inner_text(),
        "log": page.locator("[data-event='run.paused'], [data-event='run.finished']")
        .last.inner_text()
        .replace("\n", " "),
    }
    result = page.get_by_role("button", name="Show the result")
    if result.is_visible():
        result.click()
        texts["result"] = page.locator(".result-reason").inner_text()
    page.goto("/runs/")
    row = page.locator("tr", has=page.locator(f"a[href='/runs/{run}/']")).first
    texts["list"] = row.locator("[data-run-result]").inner_text()
    page.goto(f"/runs/{run}/")
    Canvas(page).stand()
    return {place: text.partition(". ")[0] for place, text in texts.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILURES)
def test_the_cause_comes_first_and_the_mend_is_two_clicks_away(
    page: Page, models: ModelServer, name: str
) -> None:
    failure = FAILURES[name]
    failed_run(page, models, failure)
    shown = first_sentences(page, failure.event)
    assert {place: text for place, text in shown.items() if failure.cause not in text} == {}
    for click in failure.clicks:
        names = {"name": click, "exact": True}
        ways = page.get_by_role("button", **names).or_(page.get_by_role("link", **names))
        ways.or_(page.locator("summary", has_text=click)).first.click()
    failure.mended(page)
