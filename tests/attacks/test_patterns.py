"""A pattern of a pack, a model or a user costs milliseconds to check and a bounded time to match,
in little memory."""

from __future__ import annotations

import re
import time
from functools import cache

import pytest

from tests.attacks.limited_process import Ended, limited_each
from tests.attacks.pattern_attacks import ATTACKS, PATTERNS, patterns_of
from tests.support.checks import quick_or_slow
from workflows.core.patterns import PatternError, javascript, json_schema, linear
from workflows.core.patterns.problems import MAX_PATTERN
from workflows.core.tools.arguments import argument_problem

MODULE = "tests.attacks.pattern_attacks"
MEGABYTES = 200
CHECKED = 0.5
"""Processor seconds in which any pattern is read, drawn, checked or rehearsed."""
MATCHED = 3.0
"""Processor seconds in which any pattern is matched against all texts of an attack."""
LIMITS = dict.fromkeys(("measure", "success", "arguments", "search"), MATCHED)


STEPS = quick_or_slow(len(ATTACKS), 1)
"""In each place every attack is tried, or so few that each attack is tried in one place."""


@cache
def attacked(step: int) -> dict[str, Ended]:
    """Place → what its patterns cost."""
    calls = [(name, str(step)) for name in ATTACKS]
    return dict(zip(ATTACKS, limited_each(MODULE, "run", calls, cpu=120), strict=True))


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("step", STEPS)
def test_every_pattern_costs_little(name: str, step: int) -> None:
    done = attacked(step)[name]
    assert [attack for attack, _, _ in done.answer] == patterns_of(name, step)
    limit = LIMITS.get(name, CHECKED)
    assert {attack: seconds for attack, seconds, _ in done.answer if seconds > limit} == {}
    assert done.megabytes < MEGABYTES
    messages = [text for _, _, outcome in done.answer for text in outcome]
    assert not [text for text in messages if text.startswith("IN001")]


def refused_by(engine: str, pattern: str) -> bool:
    try:
        if engine == "linear":
            linear.compile_linear(pattern)
        else:
            javascript.check_pattern(pattern)
    except PatternError:
        return True
    return False


@pytest.mark.parametrize(
    ("place", "engine", "codes"),
    [
        ("check_promptpack", "linear", {"PP511", "PP516", "PP105"}),
        ("check_registry", "javascript", {"SR514", "SR428"}),
    ],
)
@pytest.mark.parametrize("step", STEPS)
def test_a_pattern_that_cannot_be_used_is_a_finding(
    place: str, engine: str, codes: set[str], step: int
) -> None:
    unreported = {
        name
        for name, _, outcome in attacked(step)[place].answer
        if refused_by(engine, PATTERNS[name])
        and not codes & {text.split(" ")[0] for text in outcome}
    }
    assert unreported <= {"a surrogate"}  # the file that holds it is not read


def test_the_pattern_that_stopped_a_server_is_refused_with_a_message() -> None:
    attack = PATTERNS["nested repeats"]
    assert len(attack) == 24
    begun = time.process_time()
    with pytest.raises(PatternError, match=re.escape("more than 1,000 copies at '{300}'")):
        linear.compile_linear(attack)
    assert javascript.search(attack, "a" * 500) is False
    problem = argument_problem("find", {"properties": {"a": {"pattern": attack}}}, {"a": "b"})
    assert problem.startswith("find was not called: in the schema of its parameters, the pattern")
    assert time.process_time() - begun < 1


UNSUPPORTED = [
    ("(?=a)", "uses look-ahead, which RE2 does not support"),
    ("(?!a)", "uses look-ahead, which RE2 does not support"),
    ("(?<=a)", "uses look-behind, which RE2 does not support"),
    ("(?<!a)", "uses look-behind, which RE2 does not support"),
    (r"(a)\1", "uses a backreference, which RE2 does not support"),
    (r"a\Z", r"uses '\\Z', which RE2 does not support"),
    ("(?>a)", "uses '(?>', which RE2 does not support"),
    ("a{3,2}", "has the repeat '{3,2}' with its limits reversed"),
    ("a{1001}", "makes more than 1,000 copies"),
    (r"\pL{900}", "too large when its repeats are expanded"),
    ("a" * (MAX_PATTERN + 1), "longer than 2,000 characters"),
    ("(", "is not a regular expression"),
    ("\ud800", "contains a lone surrogate"),
]


@pytest.mark.parametrize(("pattern", "why"), UNSUPPORTED)
def test_unsupported_syntax_of_re2_has_a_message(pattern: str, why: str) -> None:
    with pytest.raises(PatternError, match=re.escape(why)):
        linear.search(pattern, "a")


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^a.c$", "abc", True),
        ("(?i)ABC", "xabcx", True),
        (r"\bno\b", "know", False),
        (r"(?P<year>\d{4})-(?<month>\d\d)", "2026-11", True),
        (r"\p{Greek}", "λ", True),
        ("^.$", "😀", True),
        ("a\0b", "a\0b", True),
        ("x", "\ud800x", True),
        ("", "", True),
        (r"\d", "٣", False),
    ],
)
def test_a_usual_pattern_matches_as_in_go(pattern: str, text: str, found: bool) -> None:
    assert linear.search(pattern, text) is found


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "found"),
    [
        ("^(?!x)a", "", "ab", True),
        (r"(a)\1", "", "aa", True),
        ("(?<=a)b", "", "ab", True),
        ("(?<n>a)\\k<n>", "", "aa", True),
        ("ABC", "i", "abc", True),
        (r"\Z", "", "Z", True),
        ("^.$", "", "😀", False),
        ("^.$", "u", "😀", True),
        ("\ud800", "", "\ud800", True),
        ("a\0b", "", "a\0b", True),
        (r"\d", "", "٣", False),
        ("'\"\\\\`${x}", "", "'\"\\`", False),
    ],
)
def test_a_usual_pattern_matches_as_in_javascript(
    pattern: str, flags: str, text: str, found: bool
) -> None:
    assert javascript.search(pattern, text, flags=flags) is found


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("(", "invalid"), ("(?P<a>b)", "invalid"), ("(" * 900, "too large"), ("(a+)+$", "too slow")],
)
def test_a_javascript_pattern_that_cannot_be_used_has_a_reason(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError) as raised:
        javascript.search(pattern, "a" * 40 + "!")
    assert raised.value.reason == reason


def test_a_slow_javascript_pattern_is_not_tried_for_ever() -> None:
    begun = time.process_time()
    for number in range(60):
        with pytest.raises(PatternError, match=r"took (longer than|too long)"):
            javascript.search("(a|aa)+$", f"{'a' * 60}!{number}")
    assert time.process_time() - begun < javascript.MAX_SLOW * javascript.MAX_SECONDS * 3


def test_a_long_text_is_refused_where_it_costs_too_much() -> None:
    pattern = linear.compile_linear("(?:a?){300}b?(?:a{300})x")
    with pytest.raises(PatternError, match="too costly for a text of 4,000,000 bytes"):
        pattern.search("a" * 4_000_000)


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("abc", 1), ("[a-z]+", 1), ("a{1000}", 70_000), ("(?:a{10}){10}", 7_000),
        ("(?:(?:a{300}){300}){300}", 10**9), (r"\p{L}{50}", 2_500_000), ("[^a]{10,20}", 30_000),
        ("a{99999999999}", 5 * 10**7), (r"\{300}", 1), ("[{300}]", 1), ("(" * 900, 1),
    ],
)  # fmt: skip
def test_the_size_of_a_pattern_is_estimated_with_its_repeats(pattern: str, size: int) -> None:
    found = json_schema.compiled_bytes(pattern)
    assert size <= found
    assert size == 1 or found <= size * 2 + json_schema.PATTERN


def test_many_large_patterns_in_one_schema_are_refused_together() -> None:
    schema = {"allOf": [{"pattern": f"[^a]{{100}}{number}"} for number in range(100)]}
    with pytest.raises(json_schema.SchemaPatternError) as raised:
        json_schema.check_patterns(schema)
    assert raised.value.instance_path[0] == "allOf"
    json_schema.check_patterns({"allOf": schema["allOf"][:20]})
