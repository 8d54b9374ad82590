"""Verdicts of gates, and their consequences."""

from __future__ import annotations

from typing import Any

import pytest

from roles.core.template_choice import STEP_KINDS, select
from roles.core.verdict import ATTEMPTS, Verdict, follow, markers, read_verdict
from tests.support.role_configs import config

OUTPUTS = config("valid/01-architect.json")["output_templates"]


@pytest.mark.parametrize(
    ("text", "tool", "verdict", "by"),
    [
        ("PASS", {"verdict": "fail", "reasoning": "no"}, "fail", "tool"),
        ("FAIL", "PASS", "pass", "tool"),
        ("PASS", {"verdict": "maybe"}, "pass", "marker"),
        ("PASS", {}, "pass", "marker"),
        ('FAIL {"verdict": "Pass", "reasoning": "y"}', None, "pass", "json"),
        ('{"a": {"verdict": "pass"}}', None, "inconclusive", "none"),
        ('{"verdict": "pass"} or {"verdict": "fail"}', None, "inconclusive", "none"),
        ('{ {"verdict": "fail"}', None, "fail", "json"),
        ('{"verdict": true}', None, "inconclusive", "none"),
        ("I'll pass this along.", None, "inconclusive", "none"),
        ("pass", None, "inconclusive", "none"),
        ("**PASS** well done", None, "pass", "marker"),
        ("PASS-ish", None, "inconclusive", "none"),
        ("PASS: fine", None, "pass", "marker"),
        ("```\nPASS\n```", None, "inconclusive", "none"),
        ("", None, "inconclusive", "none"),
        ("{" * 5_000, None, "inconclusive", "none"),
    ],
)
def test_a_verdict_is_read(text: str, tool: Any, verdict: str, by: str) -> None:
    found = read_verdict(text, OUTPUTS, tool)
    assert (found.verdict, found.decided_by) == (verdict, by)


def test_reasons_come_with_the_verdict() -> None:
    assert read_verdict("", OUTPUTS, {"verdict": "fail", "reasoning": "late"}).reasoning == "late"
    assert read_verdict('{"verdict":"fail","reasoning":"r"}', OUTPUTS).reasoning == "r"


@pytest.mark.parametrize(
    ("passing", "failing", "found"),
    [
        ("PASS", "FAIL: why", ("PASS", "FAIL")),
        ("VERDICT pass", "VERDICT fail", None),
        ("Pass", "FAIL", None),
        ("A pass", "FAIL", None),
        ("NEEDS-NOTHING", "NEEDS-WORK", ("NEEDS-NOTHING", "NEEDS-WORK")),
        ("", "FAIL", None),
    ],
)
def test_markers_are_words_in_capitals_that_differ(passing: str, failing: str, found: Any) -> None:
    assert markers({"gate_pass": passing, "gate_fail": failing}) == found


def test_an_unclear_verdict_is_requested_again_and_then_fails() -> None:
    unclear = Verdict(verdict="inconclusive", decided_by="none")
    assert [follow(unclear, attempt) for attempt in (1, 2, 3)] == ["retry", "fail", "fail"]
    assert ATTEMPTS == 2
    assert follow(Verdict(verdict="pass", decided_by="tool"), 1) == "pass"
    assert follow(Verdict(verdict="fail", decided_by="tool"), 1) == "fail"


def test_every_kind_of_step_has_its_answer() -> None:
    found = {kind: select(kind, "ticket", {}).template for kind in STEP_KINDS}
    assert found == {
        "agent": "ticket_task",
        "council": "chat_task",
        "gate": "gate_eval",
        "cron": "ticket_task",
        "chat": "chat_task",
        "lambda": None,
        "terminal": None,
        "terminal_fail": None,
    }
    assert select("agent", "chat", {}).template == "chat_task"
    assert select("gate", "cron", {"cron_task": "x"}).outputs == ("gate_pass", "gate_fail")
