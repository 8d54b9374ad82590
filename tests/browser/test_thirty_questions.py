"""Thirty questions about a recorded run, each answered on its page by at most two clicks.

The run has three visits of a state, a request that fails and is sent again, a refused tool call, a
tool call that a person approves, prices, and an end. The page is opened again for each question.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api
from tests.browser.test_state_inspector import Model, call, promptpack
from tests.support.model_server import ModelRequest, ModelServer, TextReply

MOST_CLICKS = 2


def reviewer(asked: ModelRequest, counts: Counter[str]) -> TextReply:
    """Calls a tool with wrong arguments, then with right ones; approves the third review."""
    names = [tool["function"]["name"] for tool in asked.body.get("tools", ())]
    if "workflow__transition" not in names:
        return TextReply(text="Hello is said, and the review is content.")
    if "read_file" in names and counts["read"] < 2:
        counts["read"] += 1
        arguments = {"path": "hello.py"} if counts["read"] == 2 else {"file": "hello.py"}
        return call("read_file", "Let me look.", **arguments)
    if "Approved" not in json.dumps(asked.body["tools"]):
        counts["changes"] += 1
        context = f"Change {counts['changes']} is ready."
        return call("workflow__transition", "Done.", event="ChangeReady", context=context)
    counts["reviews"] += 1
    event = "Approved" if counts["reviews"] == 3 else "ChangesRequested"
    context = f"Remark {counts['reviews']}: name it."
    return call(
        "workflow__transition", f"Review {counts['reviews']}.", event=event, context=context
    )


def recorded(page: Page) -> str:
    """The id of a finished run."""
    with ModelServer(otherwise=Model(reviewer)) as server:
        connection = {
            "name": "Priced",
            "kind": "openai",
            "base_url": server.url("openai"),
            "model": "gpt-4o",
            "key": "sk-not-to-be-seen",
            "prices": {"*": {"input": 5000, "output": 10000}},
        }
        api(page, "POST", "connections/", connection)
        body = {"driver": "model", "connection": "Priced", "inputs": {"task": "Say hello."}}
        run: str = api(page, "POST", "runs/", {"pack": promptpack(page), **body})["id"]
        page.goto(f"/runs/{run}/")
        for argument in ('"file"', '"path"'):
            question = page.locator(".question").filter(has_text=argument)
            question.get_by_role("button", name="Approve", exact=True).click()
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "completed")
    return run


@dataclass(frozen=True, kw_only=True)
class Question:
    """`clicks`: selectors, in order. `place`: its element; `answer`: a text in it."""

    question: str
    clicks: tuple[str, ...] = ()
    place: str
    answer: str


TOTALS, INSPECTOR, FIGURES = "[data-story-totals]", ".pane.right", ".pane.right [data-figures]"
END = ".run-area"
RESULTS, PROMPTS, RESULT_TAB = "#tab-visit-results", "#tab-visit-prompts", "#tab-result"


def visit(state: str, number: int) -> str:
    return f'[data-story-visit="{state}:{number}"] .story-open'


def ask(question: str, *clicks: str, place: str = INSPECTOR, answer: str) -> Question:
    return Question(question=question, clicks=clicks, place=place, answer=answer)


QUESTIONS = (
    ask("How did it end?", place=f"{END} [data-run-status]", answer="completed"),
    ask("In which state did it end?", place=END, answer="Ended in done"),
    ask("What did it answer?", place=END, answer="Hello is said, and the review is content."),
    ask("What did it cost?", place=TOTALS, answer="$1.13"),
    ask("How many tokens did it use?", place=TOTALS, answer="162 tokens"),
    ask("How many visits were there?", place=TOTALS, answer="7 visits"),
    ask("Did anything fail?", place=TOTALS, answer="1 failure"),
    ask("How many model calls were there?", place=END, answer="9 calls"),
    ask("Who answered for the model?", place=f"{END} .run-status", answer="model · r1"),
    ask("In which visit did something fail?", place="[data-failures]", answer="implement"),
    ask("Which tool failed?", visit("implement", 1), RESULTS, answer="read_file"),
    ask("Why did it fail?", visit("implement", 1), RESULTS, answer="is a required property"),
    ask("Who approved the call?", visit("implement", 1), RESULTS, answer="operator"),
    ask("What did the tool return?", visit("implement", 1), answer="print('hello')"),
    ask("How many requests had the first visit?", visit("implement", 1), place=FIGURES, answer="3"),
    ask("Was a request sent again?", visit("implement", 1), place=FIGURES, answer="4 tries"),
    ask("What did the first review say?", visit("review", 1), answer="Review 1."),
    ask("What did the second review say?", visit("review", 2), answer="Review 2."),
    ask("What did the second review decide?", visit("review", 2), answer="ChangesRequested"),
    ask("What did the third review remark?", visit("review", 3), answer="Remark 3: name it."),
    ask("What was the third review told?", visit("review", 3), answer="Change 3 is ready."),
    ask("Which model reviewed?", visit("review", 1), answer="gpt-4o"),
    ask("What did a review cost?", visit("review", 1), place=FIGURES, answer="$0.125"),
    ask("What was the reviewer's prompt?", visit("review", 2), PROMPTS, answer="You review a"),
    ask("Which state was visited most?", place='[data-state="review"]', answer="3×"),
    ask(
        "Which state cost most?",
        RESULT_TAB,
        place='[data-cost-of="implement"]',
        answer="$0.625",
    ),
    ask(
        "How many tool calls were there?", RESULT_TAB, place='[data-total="Tool calls"]', answer="7"
    ),
    ask(
        "What was it told to do?",
        "[data-story-mark='run.started'] button",
        place=".pane.bottom",
        answer="Say hello.",
    ),
    ask(
        "Which event ended the second review?",
        '[data-story-visit="review:2"] .story-fold',
        place='[data-story-event="54"]',
        answer="ChangesRequested",
    ),
    ask(
        "What did the reviewer see at that event?",
        '[data-story-visit="review:2"] .story-fold',
        '[data-story-event="50"]',
        place=".pane.bottom [aria-label=Event]",
        answer="Remark 2: name it.",
    ),
)


@pytest.mark.slow
def test_thirty_questions_are_answered_by_two_clicks(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    run = recorded(page)
    assert len(QUESTIONS) == 30
    unanswered: list[str] = []
    for one in QUESTIONS:
        assert len(one.clicks) <= MOST_CLICKS, one.question
        page.evaluate("localStorage.clear()")
        page.goto(f"/runs/{run}/")
        Canvas(page).stand()
        expect(page.locator("[data-story-visit]").first).to_be_visible()
        for place in one.clicks:
            page.locator(place).click()
        shown = page.locator(one.place).filter(has_text=one.answer).first
        try:
            expect(shown).to_be_visible()
        except AssertionError:
            unanswered.append(one.question)
    assert unanswered == []
