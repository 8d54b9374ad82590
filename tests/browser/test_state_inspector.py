"""The inspector of a state in a run shows what the model's server received.

The run has three visits of a state, a request that fails and is sent again, a tool call and an
approval. The server's own record is compared with the page.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, api, attribute, import_zip, pack_zip
from tests.support.live_server import ROOT
from tests.support.model_server import Answer, ErrorReply, ModelRequest, ModelServer, TextReply

DIALECTS = ROOT / "workflows/core/dialects"
Message = tuple[str, str, list[tuple[str, Any]]]
"""Role, text, and the name and arguments of each call."""


def call(name: str, text: str = "", /, **arguments: Any) -> TextReply:
    return TextReply(text=text, tool_calls=((name, arguments),))


def messages_of(body: Mapping[str, Any]) -> Iterator[Message]:
    """The messages of a request in OpenAI's protocol."""
    for turn in body["messages"]:
        calls = [one["function"] for one in turn.get("tool_calls") or ()]
        yield (
            turn["role"],
            turn.get("content") or "",
            [(one["name"], json.loads(one["arguments"])) for one in calls],
        )


@dataclass
class Model:
    """Answers the requests of a run. The second one fails and is sent again."""

    answer: Callable[[ModelRequest, Counter[str]], TextReply]
    counts: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    failed: list[int] = field(default_factory=list)

    def __call__(self, asked: ModelRequest) -> Answer:
        self.requests += 1
        if self.requests == 2:
            self.failed.append(self.requests - 1)
            return ErrorReply(status=500, message="Try again.")
        return self.answer(asked, self.counts)


def promptpack(page: Page) -> int:
    pack = json.loads((DIALECTS / "promptpack/samples/code-review.pack.json").read_bytes())
    pack["tools"]["read_file"]["action_scope"] = {"reversibility": "irreversible"}
    packed = pack_zip({"code-review.pack.json": json.dumps(pack, indent=2).encode()})
    number = int(import_zip(page, "inspected", packed))
    canned = {"kind": "canned", "settings": {"result": "print('hello')"}}
    for tool in ("read_file", "run_tests"):
        api(page, "PUT", f"packs/{number}/tools/{tool}/", canned)
    return number


def as_a_reviewer(asked: ModelRequest, counts: Counter[str]) -> TextReply:
    transition = "workflow__transition"
    names = [tool["function"]["name"] for tool in asked.body.get("tools", ())]
    if transition not in names:
        return TextReply(text="It is done.")
    if "read_file" in names and not counts["read"]:
        counts["read"] += 1
        return call("read_file", "Let me look.", path="hello.py")
    if "Approved" not in json.dumps(asked.body["tools"]):
        return call(transition, event="ChangeReady", context="Here it is.")
    counts["reviews"] += 1
    event = "Approved" if counts["reviews"] == 3 else "ChangesRequested"
    return call(transition, f"Review {counts['reviews']}.", event=event, context="So be it.")


def test_each_visit_shows_what_the_server_received(page: Page) -> None:
    answering = Model(as_a_reviewer)
    with ModelServer(otherwise=answering) as server:
        address = {"base_url": server.url("openai"), "model": "gpt-4o", "key": "sk-not-to-be-seen"}
        api(page, "POST", "connections/", {"name": "Recorder", "kind": "openai", **address})
        body = {"driver": "model", "connection": "Recorder", "inputs": {"task": "Say hello."}}
        run = api(page, "POST", "runs/", {"pack": promptpack(page), **body})["id"]
        page.goto(f"/runs/{run}/")
        asked = page.locator(".question").filter(has_text="read_file")
        asked.get_by_role("button", name=re.compile("^(Approve|Call it once)$")).click()
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "completed")
    assert server.refused == []
    received = [dict(asked.body) for asked in server.asked]
    (again,) = answering.failed
    assert received[again] == received[again + 1], "the failed request is sent again"
    del received[again]

    shown: dict[int, tuple[Any, list[Message], int]] = {}
    canvas = Canvas(page)
    canvas.stand()
    visited = {row["state"] for row in _events(page, run) if row["type"] == "model.asked"}
    for one in sorted(visited):
        canvas.state(one).click()
        visits = _inspected(page, one, shown)
        if one == "implement":
            assert visits == 3
    assert [body for body, _, _ in _in_order(shown)] == received
    assert [messages for _, messages, _ in _in_order(shown)] == [
        list(messages_of(body)) for body in received
    ]
    talks = _conversations(page, sorted(visited))
    assert [messages for messages, _ in _in_order(talks)] == [
        list(messages_of(body)) for body in received
    ]
    assert all(answered for _, answered in talks.values())
    tries = [count for _, _, count in _in_order(shown)]
    assert tries == [2 if index == again else 1 for index in range(len(received))]
    assert "sk-not-to-be-seen" not in page.content()


def _events(page: Page, run: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api(page, "GET", f"runs/{run}/events/?limit=5000")["events"]
    return found


def _in_order(shown: Mapping[int, Any]) -> list[Any]:
    return [shown[number] for number in sorted(shown)]


def _inspected(page: Page, state: str, shown: dict[int, Any]) -> int:
    """Read every request of every visit of a state from its inspector. The number of visits."""
    side = page.get_by_role("complementary", name="Inspector")
    expect(side.locator(".node-head")).to_contain_text(state)
    side.get_by_role("tab", name="Prompts").click()
    pager = side.get_by_role("group", name="Visits")
    numbers = _visit_numbers(side)
    choices = side.get_by_role("list", name="Prompts sent").get_by_role("button")
    for number in numbers or [0]:
        if number:
            pager.get_by_role("button", name=f"Visit {number}", exact=True).click()
        side.get_by_role("button", name="Whole prompt").click()
        texts: dict[int, Exchange] = {}
        for choice in choices.all():
            choice.click()
            (read,) = _exchanges(side.locator("[data-request]"))
            assert read.source == "sent"
            texts[read.request] = read
        side.get_by_role("button", name="JSON", exact=True).click()
        for choice, (request, read) in zip(choices.all(), texts.items(), strict=True):
            choice.click()
            wire = side.locator(attribute("data-wire", str(request)))
            shown[request] = (json.loads(_text(wire)), read.messages, read.tries)
    return len(numbers) or 1


def _conversations(page: Page, states: list[str]) -> dict[int, tuple[list[Message], bool]]:
    """The messages of each request in the tab Conversation, and whether its answer follows."""
    found = {}
    side = page.get_by_role("complementary", name="Inspector")
    for state in states:
        Canvas(page).state(state).click()
        expect(side.locator(".node-head")).to_contain_text(state)
        side.get_by_role("tab", name="Conversation").click()
        for number in _visit_numbers(side):
            side.get_by_role("button", name=f"Visit {number}", exact=True).click()
            expect(side.locator(attribute("data-visit", str(number)))).to_be_visible()
            # A visit begins with its first request, which shows all its messages.
            expect(side.locator(".wire-visit > *").first).to_have_class(re.compile("wire-exchange"))
            folded = side.get_by_role("button", name=re.compile("of the last request$"))
            assert side.locator(".wire-exchange").first.locator(folded).count() == 0
            while folded.count():
                folded.first.click()
            for read in _exchanges(side.locator(".wire-exchange")):
                found[read.request] = (read.messages, read.replies == 1)
    return found


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A request on the page: the number of its event, its messages, its tries and its answers."""

    request: int
    source: str
    messages: list[Message]
    tries: int
    replies: int


# One call for all of them: a call for each text takes most of the time of a test.
READ_EXCHANGES = """places => places.map(place => {
    const head = place.matches("[data-request]") ? place : place.querySelector("[data-request]");
    const messages = [...place.querySelectorAll("[data-message]")].map(one => [
        one.dataset.message,
        one.querySelector("[data-message-text]")?.textContent ?? "",
        [...one.querySelectorAll("[data-wire-call]")].map(
            call => [call.dataset.wireCall, call.querySelector("pre").textContent]
        ),
    ]);
    return {
        request: Number(head.dataset.request),
        source: head.dataset.source,
        tries: Number(place.querySelector("[data-tries]")?.dataset.tries ?? 1),
        replies: place.querySelectorAll("[data-reply]").length,
        messages,
    };
})"""


def _exchanges(places: Locator) -> list[Exchange]:
    expect(places.first).to_be_visible()
    return [
        Exchange(
            **{
                **read,
                "messages": [
                    (role, text, [(name, json.loads(given)) for name, given in calls])
                    for role, text, calls in read["messages"]
                ],
            }
        )
        for read in places.evaluate_all(READ_EXCHANGES)
    ]


def _visit_numbers(side: Locator) -> list[int]:
    buttons = side.get_by_role("group", name="Visits").get_by_role("button", name="Visit ")
    names = buttons.evaluate_all("all => all.map(one => one.ariaLabel)")
    return [int(name.split()[1]) for name in names if name.split()[1].isdigit()]


def _text(place: Locator) -> str:
    return place.text_content() or ""
