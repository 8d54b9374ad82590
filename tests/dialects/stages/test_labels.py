"""Conditions as text, and their parsing."""

from __future__ import annotations

from typing import Any

from tests.support.checks import each_row
from workflows.core.dialects.stages.graph.labels import describe_condition, parse_condition


def compared(path: str, op: str, value: Any) -> dict[str, Any]:
    return {"path": path, "op": op, "value": value}


BOTH_WAYS = [
    ("approved = true", compared("result.parsed.approved", "equals", True)),
    ('risk.level != "low"', compared("result.parsed.risk.level", "notEquals", "low")),
    ("score >= 3", compared("result.parsed.score", "gte", 3)),
    ("score < 0.5", compared("result.parsed.score", "lt", 0.5)),
    ('tag in ["a", "b"]', compared("result.parsed.tag", "in", ["a", "b"])),
    ("slot.plan exists", compared("slot.plan", "exists", True)),
    ("notes is missing", compared("result.parsed.notes", "exists", False)),
    ('verdict = "fail"', compared("result.verdict", "equals", "fail")),
    ("capHit = true", compared("result.capHit", "equals", True)),
    ('input.mode = "fast"', compared("run.input.mode", "equals", "fast")),
    ("ctx.task = null", compared("ctx.task", "equals", None)),
    ("run.visits.plan >= 2", compared("run.visits.plan", "gte", 2)),
    ("result.parsed.verdict = 1", compared("result.parsed.verdict", "equals", 1)),
    ("result.output.x = 1", compared("result.output.x", "equals", 1)),
]


@each_row(BOTH_WAYS)
def test_a_comparison_is_written_and_parsed(text: str, predicate: dict[str, Any]) -> None:
    assert parse_condition(text) == predicate
    assert describe_condition(predicate) == text


@each_row([("approved=true", "approved = true"), ("status = done", 'status = "done"'),
     ("a ≥ 1", "a >= 1"), ("a == 1", "a = 1"), ("a <> b", 'a != "b"')])  # fmt: skip
def test_typed_conditions_are_parsed(typed: str, told_as: str) -> None:
    assert describe_condition(parse_condition(typed)) == told_as


@each_row(["", "approved", "= 3", "a b = 3", "a and b = 3", "exists", "a ="])
def test_an_invalid_condition_is_none(text: str) -> None:
    assert parse_condition(text) is None


@each_row(
    [
        ({"all": [compared("a", "equals", 1), compared("b", "lt", 2)]}, "a = 1 and b < 2"),
        (
            {"any": [{"all": [compared("a", "equals", 1)]}, compared("b", "lt", 2)]},
            "a = 1 or b < 2",
        ),
        (
            {"not": {"any": [compared("a", "equals", 1), compared("b", "lt", 2)]}},
            "not (a = 1 or b < 2)",
        ),
        ({"not": compared("slot.a", "equals", 1)}, "not (slot.a = 1)"),
        ({}, ""),
        ("x", ""),
        ({"path": 3, "op": "equals"}, ""),
        ({"all": "x"}, ""),
    ]
)
def test_combined_conditions_are_written(predicate: Any, text: str) -> None:
    assert describe_condition(predicate).replace("ctx.", "") == text


def test_a_condition_that_never_ends_is_cut() -> None:
    deep: Any = compared("a", "equals", 1)
    for _ in range(100):
        deep = {"not": deep}
    assert len(describe_condition(deep)) < 200
