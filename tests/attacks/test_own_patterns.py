"""Signalbox's own expressions and readers take linear time for long texts of packs, models and
commands."""

from __future__ import annotations

import pytest

from tests.attacks.length_attacks import ATTACKS
from tests.attacks.limited_process import limited
from workflows.core.dialects.steps_registry.program.extractors import extract

KNOWN = 230
SECONDS = 1.0
"""Processor time of a text, on a machine that is busy."""

SLOW = (
    r"\$\{([^}.]+)[^}]*\}",
    r"\$\{([^{}.]+)[^{}]*\}",
    r"[A-Za-z]+|\d{1,3}|\s*\n\s*|[^\sA-Za-z\d]",
    r"(\S+\.tsx?)[(:]\d+",
    r"(?m)^\s*FAILED\s*\|\s*(.+)$",
    r"\s*(==|!=|<>|<=|>=|[=≠<>≤≥])\s*",
    r"/(v?\d+\.\d+[^/]*)/",
    r"“([^”]*)”",
    r"^(a+)+$",
    r"<!--.*?-->",
)
LINEAR = (
    r"\$\{([^{}.]+)(?:\.[^{}]*)?\}",
    r"[A-Za-z]+|\d{1,3}|\s+|[^\sA-Za-z\d]",
    r"\.tsx?(?=[(:]\d)",
    r"==|!=|<>|<=|>=|[=≠<>≤≥]",
    r"“([^“”]*)”",
    r"[a-z]+",
)


def test_no_expression_takes_more_than_linear_time() -> None:
    done = limited("tests.attacks.own_patterns", "slow", cpu=200)
    assert done.answer["count"] >= KNOWN
    assert done.answer["slow"] == {}


@pytest.mark.slow
def test_expressions_that_take_longer_are_found() -> None:
    done = limited("tests.attacks.own_patterns", "slow_ones", *SLOW, *LINEAR, cpu=100)
    assert [bool(text) for text in done.answer] == [True] * len(SLOW) + [False] * len(LINEAR)


def test_long_texts_cost_little() -> None:
    done = limited("tests.attacks.length_attacks", "run")
    assert list(done.answer) == list(ATTACKS)
    assert {name: seconds for name, seconds in done.answer.items() if seconds > SECONDS} == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("at src/a.ts:3:1 and src/b.tsx(4,2)", ["src/a.ts", "src/b.tsx"]),
        ("a.ts:1:b.ts:2", ["a.ts:1:b.ts"]),
        ("a.ts b.js:1 .ts:1 node_modules/x.ts:1", []),
    ],
)
def test_files_of_a_command_are_read_as_before(text: str, names: list[str]) -> None:
    assert extract("files", {"stdout": text, "stderr": "", "exit": 1}) == names
