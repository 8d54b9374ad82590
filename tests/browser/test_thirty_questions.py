"""Thirty questions about a recorded run, each answered on its page by at most two clicks.

The run has three visits of a state, a request that fails and is sent again, a refused tool call,
tool calls that a person approves or denies, prices, and an end.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, type_into
from tests.browser.test_state_inspector import Model, call, promptpack
from tests.support.model_server import ModelRequest, ModelServer, TextReply

MOST_CLICKS = 2
READS = ({"file": "hello.py"}, {"path": "hello.py"}, {"path": "keys.txt"})


def reviewer(asked: ModelRequest, counts: Counter[str]) -> TextReply:
    """Calls a tool with wrong arguments, then with right ones, then with a path that a person
    denies; approves the third review."""
    names = [tool["function"]["name"] for tool in asked.body.get("tools", ())]
    if "workflow__transition" not in names:
        return TextReply(text="Hello is said, and the review is content.")
    if "read_file" in names and counts["read"] < len(READS):
        counts["read"] += 1
        return call("read_file", "Let me look.", **READS[counts["read"] - 1])
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
        body |= {"budget": {"cost": 5}}
        run: str = api(page, "POST", "runs/", {"pack": promptpack(page), **body})["id"]
        page.goto(f"/runs/{run}/")
        for argument in ('"file"', '"path"'):
            question = page.locator(".question").filter(has_text=argument)
            question.get_by_role("button", name="Approve", exact=True).click()
        question = page.locator(".question").filter(has_text="keys.txt")
        question.get_by_role("button", name="Deny…").click()
        type_into(question.get_by_label("Reason"), "Nobody reads the keys.")
        page.keyboard.press("Enter")
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
WAITED, PEOPLE = '[data-total="Waited for people"]', "section[aria-label=People]"
REASON = "is a required property"
RESULTS, PROMPTS, RESULT_TAB = "#tab-visit-results", "#tab-visit-prompts", "#tab-result"


def visit(state: str, number: int) -> str:
    return f'[data-story-visit="{state}:{number}"] .story-open'


def ask(question: str, *clicks: str, place: str = INSPECTOR, answer: str) -> Question:
    return Question(question=question, clicks=clicks, place=place, answer=answer)


def result(question: str, place: str, answer: str) -> Question:
    return ask(question, RESULT_TAB, place=place, answer=answer)


QUESTIONS = (
    ask("How did it end?", place=f"{END} [data-run-status]", answer="completed"),
    ask("In which state did it end?", place=END, answer="Ended in done"),
    ask("What did it answer?", place=END, answer="Hello is said, and the review is content."),
    ask("What did it cost?", place=TOTALS, answer="$1.25"),
    ask("How many tokens did it use?", place=TOTALS, answer="180 tokens"),
    ask("How many visits were there?", place=TOTALS, answer="7 visits"),
    ask("Did anything fail?", place=TOTALS, answer="1 failure"),
    ask("How many model calls were there?", place=END, answer="10 calls"),
    ask("In which visit did something fail?", place="[data-failures]", answer="implement"),
    ask("Which state was visited most?", place='[data-state="review"]', answer="3×"),
    result("Who started it?", '[data-started="Started by"]', "operator"),
    result("How was it started?", '[data-started="How"]', "in the browser"),
    result("Which revision ran?", '[data-started="Revision"]', "r1"),
    result("Did a model answer, or a person?", '[data-started="Answers"]', "from models"),
    result("Over which connection?", '[data-started="Connection"]', "Priced"),
    result("With which model?", '[data-started="Model"]', "gpt-4o"),
    result("What was it limited to?", '[data-started="Limits"]', "cost 5"),
    result("Did it wait for people, and for how long?", WAITED, "s"),
    result("Who approved a call?", PEOPLE, "approved by operator"),
    result("Who refused a call?", PEOPLE, "denied by operator"),
    result("Why was it refused?", PEOPLE, "Nobody reads the keys."),
    result("How many calls were made?", '[data-total="Tool calls"]', "7"),
    result("Which state cost most?", '[data-cost-of="implement"]', "$0.75"),
    ask("Which call failed, and why?", visit("implement", 1), RESULTS, answer=REASON),
    ask("What did a real call return?", visit("implement", 1), answer="print('hello')"),
    ask("Was the refused call made?", visit("implement", 1), RESULTS, answer="denied by"),
    ask("Was a request sent again?", visit("implement", 1), place=FIGURES, answer="5 tries"),
    ask("What did the second review decide?", visit("review", 2), answer="ChangesRequested"),
    ask("What was the reviewer's prompt?", visit("review", 2), PROMPTS, answer="You review a"),
    ask(
        "What was it told to do?",
        "[data-story-mark='run.started'] button",
        place=".pane.bottom",
        answer="Say hello.",
    ),
)


@pytest.mark.slow
def test_thirty_questions_are_answered_by_two_clicks(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    run = recorded(page)
    assert len(QUESTIONS) == 30
    unanswered: list[str] = []
    clicked: tuple[str, ...] | None = None
    for one in QUESTIONS:
        assert len(one.clicks) <= MOST_CLICKS, one.question
        if one.clicks != clicked:  # Each way from the page as it opens.
            page.evaluate("localStorage.clear()")
            page.goto(f"/runs/{run}/")
            Canvas(page).stand()
            expect(page.locator("[data-story-visit]").first).to_be_visible()
            for place in one.clicks:
                page.locator(place).click()
            clicked = one.clicks
        shown = page.locator(one.place).filter(has_text=one.answer).first
        try:
            expect(shown).to_be_visible(timeout=5_000)
        except AssertionError:
            seen = page.locator(one.place).all_inner_texts()
            unanswered.append(f"{one.question} {seen}")
    assert unanswered == []
