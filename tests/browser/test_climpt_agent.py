"""A real Climpt agent: one new transition changes gate, enum and transitions; undo reverts it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import (
    Canvas,
    api,
    exported,
    import_zip,
    open_sample,
    zipped,
)
from tests.support.corpus import CORPUS, SHIPPED


@pytest.mark.parametrize(
    ("agent", "unit", "schema_name"),
    [
        ("clerk", "letter", "s.json"),
        pytest.param(
            "iterator",
            "issue",
            "issue.schema.json",
            marks=[pytest.mark.third_party, pytest.mark.slow],
        ),
    ],
)
def test_an_intent_is_added_by_dragging_and_taken_back(
    page: Page, agent: str, unit: str, schema_name: str
) -> None:
    folder = SHIPPED if agent == "clerk" else CORPUS
    first, last = f"initial.{unit}", f"closure.{unit}"
    packed, files = zipped(folder / "steps-registry" / agent)
    pack = import_zip(page, agent, packed)
    canvas = Canvas(page)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    before = exported(page, pack)
    assert before
    assert all(files[name] == data for name, data in before.items())

    canvas.stand()
    expect(canvas.state(last)).to_be_visible()
    canvas.zoom_out_to(first, last)
    canvas.draw_arrow(first, last, "handoff")
    canvas.wait_saved()

    after = exported(page, pack)
    changed = {name for name in before if before[name] != after[name]}
    assert set(after) == set(before)
    registry = f".agent/{agent}/steps_registry.json"
    schema = f".agent/{agent}/schemas/{schema_name}"
    assert changed == {registry, schema}
    step: Any = json.loads(after[registry])["steps"][first]
    assert step["structuredGate"]["allowedIntents"] == ["next", "repeat", "handoff"]
    assert step["transitions"]["handoff"] == {"target": last}
    assert b'"handoff"' in after[schema]
    findings = api(page, "GET", f"packs/{pack}/findings/")
    listed = findings["results"] if isinstance(findings, dict) else findings
    assert not [one for one in listed if one["level"] == "error" and "enum" in one["message"]]

    page.locator(".react-flow").press("Control+z")
    expect(canvas.transition(first, "handoff", last)).to_have_count(0)
    canvas.wait_saved()
    assert exported(page, pack) == before


CARDS_BESIDE_THEIR_PLACE = """
[...document.querySelectorAll(".state-card")]
    .map((card) => [card.dataset.state, card, card.parentElement])
    .filter(([_, ...boxes]) => new Set(boxes.map((box) => box.getBoundingClientRect().y)).size > 1)
    .map(([state]) => state)
"""
"""The layout keeps cards apart, so one that is drawn elsewhere covers another."""


def test_our_own_agent_is_drawn_and_rehearsed(page: Page) -> None:
    (ours,) = [one for one in api(page, "GET", "samples/") if one["name"] == "triage-bot"]
    canvas = open_sample(page, "steps_registry/triage-bot", "ours")
    expect(page.locator("[data-state]")).to_have_count(ours["states"])
    expect(page.locator("[data-end]")).to_have_count(1)
    assert page.evaluate(CARDS_BESIDE_THEIR_PLACE) == []
    expect(canvas.transition("closure.report", "closing", "")).to_have_count(1)
    expect(canvas.transition("closure.report", "retry", "verification.review")).to_have_count(1)
    page.get_by_role("button", name="Rehearse").click()
    figure = page.locator("[data-coverage]")
    expect(figure).to_have_attribute("data-coverage", "100")
    for arrow in canvas.transitions():
        if arrow.split("|")[1] == "next: default":
            continue  # The schema allows no answer that leads to it.
        taken = canvas.transition(*arrow.split("|")).get_attribute("data-visits")
        assert int(taken or 0) > 0, arrow


def answer(intent: str, **values: Any) -> dict[str, Any]:
    return {"structured": {**values, "next_action": {"action": intent}}}
