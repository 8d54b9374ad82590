"""A team at work: it grows on the canvas, works at once, waits for people, outlives its server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, api, attribute, pack_of, type_into

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
