"""A team at work: it grows on the canvas, works at once, waits for people, outlives its server."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, api, attribute, exported, pack_of, type_into
from tests.support.live_server import LiveServer

DATA = Path(__file__).resolve().parents[1] / "dialects/agent_graph/run/data"
TEAM = (DATA / "two-workers.agents.json").read_bytes()
MAIN = "two-workers.agents.json"


def _script() -> dict[str, Any]:
    """Its answers and results of tools come from a person and from the run's own folder."""
    script: dict[str, Any] = json.loads((DATA / "two-workers.script.json").read_text())
    return {"replies": script["replies"]}


def _imported(page: Page, team: dict[str, Any] | bytes) -> int:
    text = team if isinstance(team, bytes) else json.dumps(team).encode()
    page.goto("/")
    page.locator("input[name=files]").set_input_files(
        {"name": MAIN, "mimeType": "application/json", "buffer": text}
    )
    page.wait_for_url("**/packs/*/")
    return int(pack_of(page))


def _started(page: Page, pack: int, **how: Any) -> str:
    run: str = api(page, "POST", "runs/", {"pack": pack, **how})["id"]
    page.goto(f"/runs/{run}/")
    return run


def _events(page: Page, run: str) -> list[dict[str, Any]]:
    answer = api(page, "GET", f"runs/{run}/events/?after=0&limit=5000")
    events: list[dict[str, Any]] = answer["events"]
    assert [event["n"] for event in events] == list(range(1, answer["last"] + 1))
    return events


def _status(page: Page) -> Locator:
    return page.locator(".run-area [data-run-status]")


def _look_at(page: Page, number: int) -> None:
    page.get_by_label("Event shown").fill(str(number))
    expect(page.locator("[data-run-at]")).to_have_attribute("data-run-at", str(number))


def _of(events: list[dict[str, Any]], type: str, **fields: Any) -> dict[str, Any]:
    return next(
        one
        for one in events
        if one["type"] == type and all(one.get(name) == value for name, value in fields.items())
    )


@pytest.mark.slow
def test_the_inspector_shows_an_agent_at_any_event(page: Page) -> None:
    script = _script()
    spends = {"input_tokens": 120, "output_tokens": 30, "cost": 0.25}
    for reply in script["replies"]:
        reply["usage"] = spends
    run = _started(page, _imported(page, TEAM), driver="script", script=script)
    canvas = Canvas(page)
    expect(canvas.state("clerk")).to_have_attribute("data-status", "waiting")
    canvas.find("writer")  # The question that waits takes much of the window.
    agent = page.locator(attribute("data-node", "writer"))
    chat = agent.get_by_role("log", name="Chat with writer")
    expect(chat.locator("[data-handoff=in]").first).to_contain_text("Write docs/page.md.")
    expect(chat.locator("[data-handoff=out]")).to_contain_text("Please check.")
    expect(chat).to_contain_text("Writing.")
    agent.get_by_role("tab", name="Diffs").click()
    expect(agent.get_by_label("Difference in docs/page.md")).to_contain_text("+# Page")
    agent.get_by_role("tab", name="Tools").click()
    written = agent.locator("[data-call=write_file]")
    written.locator("summary").click()
    expect(written).to_contain_text("wrote docs/page.md")
    agent.get_by_role("tab", name="Usage").click()
    expect(agent.get_by_text("Tokens in").locator("xpath=..")).to_contain_text("240")
    agent.get_by_role("tab", name="Prompts").click()
    expect(agent.get_by_role("list", name="Prompts sent").get_by_role("button")).to_have_count(2)
    agent.get_by_role("tab", name="Setup").click()
    expect(agent).to_contain_text("Added in this run by lead.")
    agent.get_by_role("tab", name="Chat").click()
    handed = _of(_events(page, run), "agent_graph.handoff", target="writer")["n"]
    _look_at(page, handed)
    expect(chat.locator("[data-handoff=in]")).to_have_count(1)
    expect(chat).not_to_contain_text("Writing.")


def test_a_person_sends_a_message_and_stops_agents(page: Page) -> None:
    team = {
        "agent_graph": 1,
        "run_mode": "INTERACTIVE",
        "nodes": [
            {"id": "a", "role": "helper", "instructions": "Begin."},
            {"id": "b", "role": "helper"},
        ],
    }
    run = _started(page, _imported(page, team), driver="manual")
    canvas = Canvas(page)
    expect(canvas.state("a")).to_have_attribute("data-active", "true")
    canvas.stand()
    canvas.state("a").click()
    agent = page.locator(attribute("data-node", "a"))
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        agent.get_by_role("button", name="Stop").click()
    expect(canvas.state("a")).to_have_attribute("data-status", "waiting")
    assert _of(_events(page, run), "agent_graph.stopped")["node"] == "a"

    canvas.state("b").click()
    panel = page.get_by_role("region", name="Waiting for you", exact=True)
    panel.get_by_role("button", name="Write…").click()
    panel.get_by_label("Agent").select_option("b")
    type_into(panel.get_by_label("Message"), "Your turn.")
    panel.get_by_role("button", name="Send the answer").click()
    expect(canvas.state("b")).to_have_attribute("data-active", "true")
    other = page.locator(attribute("data-node", "b"))
    expect(other.get_by_role("log")).to_contain_text("Your turn.")

    other.get_by_role("checkbox", name="Interrupt").check()
    words = other.get_by_role("textbox", name="Write to b")
    type_into(words, "Something else.")
    page.keyboard.press("Enter")
    expect(other.get_by_role("log")).to_contain_text("The turn was broken off")
    expect(other.get_by_role("log")).to_contain_text("A person, interrupting")
    page.get_by_role("button", name="IMPLEMENTATION. Switch to PLANNING").click()
    expect(page.get_by_role("button", name="PLANNING. Switch to IMPLEMENTATION")).to_be_visible()

    other.get_by_role("button", name="Stop").click()
    asked = page.get_by_role("region", name="b waits for you")
    asked.get_by_role("button", name="finish").click()
    expect(_status(page)).to_have_attribute("data-run-status", "completed")


@pytest.mark.slow
def test_a_team_grows_works_at_once_and_outlives_its_server(
    own_server_page: Page, own_server: LiveServer
) -> None:
    page = own_server_page
    run = _started(page, _imported(page, TEAM), driver="script", script=_script(), delay_ms=1500)
    canvas = Canvas(page)
    expect(page.locator('[data-state][data-active="true"]').nth(1)).to_be_attached()
    expect(canvas.state("writer")).to_have_attribute("data-grown", "true")
    expect(canvas.transition("lead", "task", "checker")).to_have_count(1)
    own_server.end(signal.SIGKILL)
    expect(page.get_by_role("alert").filter(has_text="Stale since")).to_be_visible()
    own_server.start()

    clerk = canvas.state("clerk")
    expect(clerk).to_have_attribute("data-status", "waiting")
    clerk.click()
    asked = page.get_by_role("region", name="clerk waits for you")
    expect(asked).to_contain_text("requests approval to call spawn_node")
    own_server.end(signal.SIGKILL)
    own_server.start()
    asked.get_by_role("button", name="Edit…").click()
    arguments = asked.get_by_role("textbox", name="Arguments of the call")
    arguments.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    wanted = {"label": "Proof reader", "alias": "reader", "roleTemplate": "investigator"}
    page.keyboard.insert_text(json.dumps({**wanted, "instructions": "Read it aloud."}))
    asked.get_by_role("button", name="Approve as edited").click()
    expect(canvas.state("reader")).to_contain_text("Proof reader")
    expect(_status(page)).to_have_attribute("data-run-status", "completed")

    events = _events(page, run)
    ended = next(event for event in events if event["type"] == "run.finished")
    assert ended["reason"] == "Written and checked."
    assert _of(events, "agent_graph.approval")["resolution"] == "modified"
    for kind in ("model.asked", "model.replied", "tool.called", "tool.returned"):
        keys = [event["key"] for event in events if event["type"] == kind]
        assert len(keys) == len(set(keys)), f"{kind}: nothing is done twice"
    handed = [one["envelope"]["id"] for one in events if one["type"] == "agent_graph.handoff"]
    assert len(handed) == len(set(handed)) == 7
    _is_seen_as_it_was(page, canvas, events)
    _is_kept_as_a_pack(page, canvas)


def _apart(canvas: Canvas) -> tuple[float, float]:
    """The place of `reader` as seen from `lead`: the view itself can move while a run is shown."""
    boxes = [canvas.state(id).bounding_box() for id in ("lead", "reader")]
    assert boxes[0]
    assert boxes[1]
    return boxes[1]["x"] - boxes[0]["x"], boxes[1]["y"] - boxes[0]["y"]


def _is_seen_as_it_was(page: Page, canvas: Canvas, events: list[dict[str, Any]]) -> None:
    """In the past, later additions are missing; at the end they are back in their places."""
    everybody = canvas.states()
    assert everybody == {"lead", "clerk", "writer", "checker", "reader"}
    stood = _apart(canvas)
    added = _of(events, "agent_graph.node_added", parent="clerk")["n"]
    _look_at(page, added - 1)
    expect(canvas.state("reader")).to_have_count(0)
    _look_at(page, added)
    expect(canvas.state("reader")).to_have_count(1)
    owed = _of(events, "agent_graph.reply_owed", open=True)["n"]
    _look_at(page, owed + 1)
    way_back = canvas.transition("checker", "task", "lead")
    expect(way_back).to_have_attribute("data-owed", "true")
    expect(canvas.state("checker").locator("[data-inbox]")).to_have_attribute("data-inbox", "1")
    first = _of(events, "agent_graph.node_added")["n"]
    _look_at(page, first - 1)
    canvas.expect_states({"lead", "clerk"})
    assert not any("writer" in arrow for arrow in canvas.transitions())
    page.get_by_role("button", name="To the newest").click()
    expect(canvas.state("reader")).to_have_count(1)
    canvas.expect_states(everybody)
    assert _apart(canvas) == stood
    expect(way_back).not_to_have_attribute("data-owed", "true")


def _is_kept_as_a_pack(page: Page, canvas: Canvas) -> None:
    page.get_by_role("button", name="More of this run").click()
    page.get_by_role("menuitem", name="Save the graph as a new pack").click()
    dialog = page.get_by_role("dialog", name="Save the graph as a new pack")
    type_into(dialog.get_by_label("Name"), "Grown team")
    dialog.get_by_role("button", name="Save as a new pack").click()
    page.wait_for_url("**/packs/*/")
    canvas.stand()
    canvas.expect_states({"lead", "clerk", "writer", "checker", "reader"})
    written = exported(page, pack_of(page))[MAIN]
    rest = iter(written)
    assert all(byte in rest for byte in TEAM), "every byte of the author's stays, in order"


@pytest.mark.slow
def test_a_denial_carries_its_reason_and_a_stalled_agent_gets_a_message(page: Page) -> None:
    boss = {"id": "boss", "role": "orchestrator", "permissions": {"cliPermissionsMode": "gated"}}
    lists = '{"tool_call":{"name":"list_files","args":{}}}'
    script = {"replies": [{"text": lists}, {"text": "All right."}], "repeat_last": True}
    team = {"agent_graph": 1, "stall_threshold": 1, "nodes": [{**boss, "instructions": "Begin."}]}
    pack = _imported(page, team)
    run = _started(page, pack, driver="script", script=script)
    canvas = Canvas(page)
    expect(canvas.state("boss")).to_have_attribute("data-status", "waiting")
    canvas.state("boss").click()
    asked = page.get_by_role("region", name="boss waits for you")
    asked.get_by_role("button", name="Deny…").click()
    type_into(asked.get_by_label("Reason"), "Nothing there is yours.")
    asked.get_by_role("button", name="Deny", exact=True).click()
    expect(asked).to_contain_text("made no progress")
    type_into(asked.get_by_label("Message"), "Try the other way.")
    asked.get_by_role("button", name="Stop…").click()
    asked.get_by_role("button", name="Stop…").click()
    asked.get_by_role("button", name="Continue").click()  # The only one, and with the message.
    expect(page.get_by_role("log", name="Chat with boss")).to_contain_text("Try the other way.")
    expect(asked).to_contain_text("made no progress")
    asked.get_by_role("button", name="Stop…").click()
    asked.get_by_role("button", name="Stop", exact=True).click()
    asked.get_by_role("button", name="finish").click()
    expect(_status(page)).to_have_attribute("data-run-status", "completed")
    events = _events(page, run)
    denied = _of(events, "agent_graph.approval")
    assert (denied["resolution"], denied["reason"]) == ("denied", "Nothing there is yours.")
    _of(events, "approval.given", event="Continue", text="Try the other way.")
    _of(events, "approval.given", event="Stop", approve=False)


@pytest.mark.slow
def test_a_person_removes_an_edge_and_an_agent_from_the_run(page: Page) -> None:
    team = {
        "agent_graph": 1,
        "run_mode": "INTERACTIVE",
        "nodes": [
            {"id": "lead", "role": "orchestrator", "instructions": "Begin."},
            {"id": "b", "role": "helper", "instructions": "Begin."},
        ],
        "edges": [{"from": "lead", "to": "b"}],
    }
    run = _started(page, _imported(page, team), driver="manual")
    canvas = Canvas(page)
    expect(canvas.state("b")).to_have_attribute("data-active", "true")
    canvas.state("b").click()
    agent = page.locator(attribute("data-node", "b"))
    agent.get_by_role("tab", name="Setup").click()
    agent.get_by_role("button", name="Remove the edge from b to lead").click()
    expect(canvas.transition("b", "task", "lead")).to_have_count(0)
    expect(canvas.transition("lead", "task", "b")).to_have_count(1)

    agent.get_by_role("button", name="Remove the agent…").click()
    dialog = page.get_by_role("dialog", name="Remove b from this run")
    expect(dialog).to_contain_text("This ends its current turn, removes 1 edge.")
    dialog.get_by_role("button", name="Remove").press("Enter")
    expect(canvas.state("b")).to_have_count(0)
    events = _events(page, run)
    removed = _of(events, "agent_graph.node_removed", node="b")["n"]
    _look_at(page, removed - 1)
    expect(canvas.state("b")).to_have_count(1)
    page.get_by_role("button", name="To the newest").click()
    expect(canvas.state("b")).to_have_count(0)
    canvas.expect_states({"lead"})
