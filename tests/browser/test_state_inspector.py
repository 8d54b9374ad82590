"""The inspector of a state in a run shows what the model's server received, in every dialect.

Each run has three visits of a state, a request that fails and is sent again, a tool call and an
approval. The server's own record is compared with the page. A workflow of `climpt_workflow` calls
no model: its visits show questions to a person and the answers.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, api, attribute, import_zip, pack_of, pack_zip, zipped
from tests.support.checks import quick_and_slow
from tests.support.live_server import ROOT
from tests.support.model_server import Answer, ErrorReply, ModelRequest, ModelServer, TextReply

DIALECTS = ROOT / "workflows/core/dialects"
Message = tuple[str, str, list[tuple[str, Any]]]
"""Role, text, and the name and arguments of each call."""


def call(name: str, text: str = "", /, **arguments: Any) -> TextReply:
    return TextReply(text=text, tool_calls=((name, arguments),))


# The messages of a request, read by the rules of its protocol.


def openai_messages(body: Mapping[str, Any]) -> Iterator[Message]:
    for turn in body["messages"]:
        calls = [one["function"] for one in turn.get("tool_calls") or ()]
        yield (
            turn["role"],
            turn.get("content") or "",
            [(one["name"], json.loads(one["arguments"])) for one in calls],
        )


def anthropic_messages(body: Mapping[str, Any]) -> Iterator[Message]:
    system = body.get("system") or ""
    yield "system", system if isinstance(system, str) else _texts(system), []
    for turn in body["messages"]:
        parts = turn["content"]
        if isinstance(parts, str):
            yield turn["role"], parts, []
            continue
        for part in parts:
            if part["type"] == "tool_result":
                content = part["content"]
                yield "tool", content if isinstance(content, str) else _texts(content), []
        calls = [(one["name"], one["input"]) for one in parts if one["type"] == "tool_use"]
        text = _texts([one for one in parts if one["type"] == "text"])
        if text or calls:
            yield turn["role"], text, calls


def google_messages(body: Mapping[str, Any]) -> Iterator[Message]:
    yield "system", _texts(body["systemInstruction"]["parts"]), []
    for turn in body["contents"]:
        role = "assistant" if turn["role"] == "model" else "user"
        for part in turn["parts"]:
            if result := part.get("functionResponse"):
                yield "tool", json.dumps(result["response"], indent=2), []
        calls = [one["functionCall"] for one in turn["parts"] if "functionCall" in one]
        text = _texts(one for one in turn["parts"] if "text" in one)
        if text or calls:
            yield role, text, [(one["name"], one["args"]) for one in calls]


def _texts(parts: Any) -> str:
    return "\n\n".join(part["text"] for part in parts)


READERS = {
    "openai": ("gpt-4o", openai_messages),
    "compatible": ("qwen-local", openai_messages),
    "anthropic": ("claude-opus-4-8", anthropic_messages),
    "google": ("gemini-3.8-flash", google_messages),
}


# A pack of each dialect, and a model for it.


@dataclass
class Model:
    """Answers the requests of a run. The second one fails and is sent again."""

    answer: Callable[[ModelRequest, Counter[str]], TextReply]
    counts: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    failed: list[int] = field(default_factory=list)
    answers: list[TextReply] = field(default_factory=list)
    """Of the requests that did not fail."""

    def __call__(self, asked: ModelRequest) -> Answer:
        self.requests += 1
        if self.requests == 2:
            self.failed.append(self.requests - 1)
            return ErrorReply(status=500, message="Try again.")
        self.answers.append(self.answer(asked, self.counts))
        return self.answers[-1]


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


def stages(page: Page) -> int:
    _, files = zipped(DIALECTS / "stages/samples/review-loop")
    draft = "stages/draft.md"
    files[draft] = files[draft].replace(b"allowedTools: []", b"allowedTools: [read]")
    number = int(import_zip(page, "inspected", pack_zip(files)))
    canned = {"kind": "canned", "settings": {"result": "All is well."}}
    api(page, "PUT", f"packs/{number}/tools/bash/", canned)
    return number


def as_a_writer(asked: ModelRequest, counts: Counter[str]) -> TextReply:
    names = [tool["name"] for tool in asked.body["tools"]]
    if "submit_draft" in names:
        if not counts["bash"]:
            counts["bash"] += 1
            return call("bash", "I check first.", command="make check")
        counts["drafts"] += 1
        return call("submit_draft", text=f"Ducks can swim, version {counts['drafts']}.")
    if "submit_review" in names:
        decision = "approve" if counts["drafts"] == 3 else "changes"
        return call("submit_review", notes="Shorter.", decision=decision)
    return call("submit_done")


def steps_registry(page: Page) -> int:
    _, files = zipped(DIALECTS / "steps_registry/samples/review-loop")
    agent = "agent/review-loop/agent.json"
    files[agent] = files[agent].replace(b'"allowedTools": []', b'"allowedTools": ["lookup"]')
    number = int(import_zip(page, "inspected", pack_zip(files)))
    canned = {"kind": "canned", "settings": {"result": "Ducks are birds.", "ask": True}}
    api(page, "PUT", f"packs/{number}/tools/lookup/", canned)
    return number


def as_a_step(asked: ModelRequest, counts: Counter[str]) -> TextReply:
    schema = json.dumps(asked.body["generationConfig"])
    if '"text"' in schema:
        if not counts["lookup"]:
            counts["lookup"] += 1
            return call("lookup", "I look it up.", topic="ducks")
        counts["drafts"] += 1
        text = f"Ducks can swim, version {counts['drafts']}."
        return TextReply(structured={"text": text, "next_action": {"action": "next"}})
    if '"decision"' in schema:
        decision = "approve" if counts["drafts"] == 3 else "changes"
        review = {"notes": "Shorter, please.", "decision": decision}
        return TextReply(structured={**review, "next_action": {"action": "next"}})
    return TextReply(structured={"next_action": {"action": "closing"}})


TEAM = {
    "agent_graph": 1,
    "goal": "Write the page.",
    "run_mode": "AUTO",
    "nodes": [
        {
            "id": "lead",
            "role": "orchestrator",
            "instructions": "Begin.",
            "permissions": {"cliPermissionsMode": "gated"},
        },
        {"id": "writer", "role": "implementer"},
    ],
    "edges": [{"from": "lead", "to": "writer", "bidirectional": True}],
}


def agent_graph(page: Page) -> int:
    page.goto("/")
    text = json.dumps(TEAM).encode()
    page.locator("input[name=files]").set_input_files(
        {"name": "team.agents.json", "mimeType": "application/json", "buffer": text}
    )
    page.wait_for_url("**/packs/*/")
    return int(pack_of(page))


def as_a_team(asked: ModelRequest, counts: Counter[str]) -> TextReply:
    counts["turns"] += 1
    match counts["turns"]:
        case 1:
            return call("list_files", "Let me look.")
        case 2 | 4:
            return call("send_handoff", to="writer", message=f"Part {counts['turns']}, please.")
        case 3 | 5:
            return call("send_handoff", to="lead", message=f"Part {counts['turns'] - 1} is done.")
        case _:
            return TextReply(text="All is written.")


def chats(
    received: Sequence[Mapping[str, Any]], answers: Sequence[TextReply]
) -> dict[str, list[tuple[str, ...]]]:
    """The chat of each agent by the record of its model's server: turns, texts, calls with their
    results, and messages of other agents."""
    inputs = [body["messages"][-1]["content"] for body in received]
    agents = [re.findall(r"^Node: (\w+) ", text, re.MULTILINE)[0] for text in inputs]
    lines: dict[str, list[tuple[str, ...]]] = {agent: [] for agent in agents}
    for index, (agent, answer) in enumerate(zip(agents, answers, strict=True)):
        number = agents[: index + 1].count(agent)
        lines[agent].append(("turn", f"Turn {number}"))
        if answer.text:
            lines[agent].append(("reply", answer.text))
        for name, arguments in answer.tool_calls:
            if name == "send_handoff":
                other, message = arguments["to"], arguments["message"]
                later = inputs[agents.index(other, index) :]
                assert any(f"- from {agent}: {message}" in text for text in later)
                lines[agent].append(("out", other, message))
                lines[other].append(("in", agent, message))
            else:
                following = inputs[agents.index(agent, index + 1)]
                (result,) = re.findall(rf"- {name} \(\w+\): ok\n  (.*)", following)
                lines[agent].append(("call", name, json.dumps(arguments), result))
    return lines


CASES: dict[str, tuple[Callable[[Page], int], Any, str, str, dict[str, str]]] = {
    "promptpack": (promptpack, as_a_reviewer, "openai", "implement", {"task": "Say hello."}),
    "stages": (stages, as_a_writer, "anthropic", "draft", {"brief": "Ducks."}),
    "steps_registry": (steps_registry, as_a_step, "google", "draft", {"brief": "Ducks."}),
    "agent_graph": (agent_graph, as_a_team, "compatible", "lead", {}),
}
APPROVALS = {
    "promptpack": ["read_file"],
    "stages": ["bash"],
    "steps_registry": ["lookup"],
    "agent_graph": ["list_files", "Part 2", "Part 4"],
}
"""A text in each question, in order."""


APPROVE = re.compile("^(Approve|Call it once)$")


@pytest.mark.parametrize(
    "dialect", quick_and_slow(["promptpack"], ["agent_graph", "stages", "steps_registry"])
)
def test_each_visit_shows_what_the_server_received(page: Page, dialect: str) -> None:
    make, answer, kind, state, inputs = CASES[dialect]
    model, messages_of = READERS[kind]
    answering = Model(answer)
    with ModelServer(otherwise=answering) as server:
        address = {"base_url": server.url(kind), "model": model, "key": "sk-not-to-be-seen"}
        api(page, "POST", "connections/", {"name": f"To {dialect}", "kind": kind, **address})
        pack = make(page)
        body = {"pack": pack, "driver": "model", "connection": f"To {dialect}", "inputs": inputs}
        run = api(page, "POST", "runs/", body)["id"]
        page.goto(f"/runs/{run}/")
        status = page.locator(".run-area [data-run-status]")
        for question in APPROVALS[dialect]:
            asked = page.locator(".question").filter(has_text=question)
            asked.get_by_role("button", name=APPROVE).click()
        if dialect == "agent_graph":  # Its agents wait for the next message.
            said = page.locator('[data-event="model.replied"]').filter(has_text="All is written.")
            expect(said.first).to_be_visible()
            expect(status).to_have_attribute("data-run-status", "waiting")
        else:
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
        if one == state:
            assert visits == 3
    assert [body for body, _, _ in _in_order(shown)] == received
    assert [messages for _, messages, _ in _in_order(shown)] == [
        list(messages_of(body)) for body in received
    ]
    if dialect == "agent_graph":  # Its agents have a chat, and requests in the tab Prompts.
        expected = chats(received, answering.answers)
        assert {agent: _chat(page, agent) for agent in sorted(visited)} == expected
    else:
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


READ_CHAT = """lines => lines.map(line => {
    const parts = [...line.querySelectorAll("pre, :scope > p")].map(one => one.textContent);
    if (line.matches(".chat-turn")) return ["turn", line.textContent.split(" ", 2).join(" ")];
    if (line.matches(".chat-reply")) return ["reply", line.textContent];
    if (line.dataset.call) return ["call", line.dataset.call, ...parts];
    return [line.dataset.handoff, line.querySelector("header button").textContent, ...parts];
})"""


def _chat(page: Page, agent: str) -> list[tuple[str, ...]]:
    """The lines of an agent's chat, without notes about approvals and progress."""
    Canvas(page).state(agent).click()
    side = page.get_by_role("complementary", name="Inspector")
    expect(side.locator(".node-head")).to_contain_text(agent)
    side.get_by_role("tab", name="Chat").click()
    lines = side.get_by_role("log", name=f"Chat with {agent}")
    expect(lines).to_be_visible()
    return [
        tuple(line) for line in lines.locator(":scope > :not(.chat-note)").evaluate_all(READ_CHAT)
    ]


def _visit_numbers(side: Locator) -> list[int]:
    buttons = side.get_by_role("group", name="Visits").get_by_role("button", name="Visit ")
    names = buttons.evaluate_all("all => all.map(one => one.ariaLabel)")
    return [int(name.split()[1]) for name in names if name.split()[1].isdigit()]


def _text(place: Locator) -> str:
    return place.text_content() or ""
