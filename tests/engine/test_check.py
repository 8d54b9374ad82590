"""The collected findings of a pack: sorted, with lines, without duplicates, and independent of
failing rules."""

from dataclasses import dataclass, replace

import pytest

from tests.support.checks import each_row
from workflows.core.dialects import base
from workflows.core.dialects.base import SourceDefaults
from workflows.core.pack.files import Files
from workflows.core.pack.findings import EVERY, Finding, Place, rule
from workflows.core.pack.graph import Entry, Graph, State
from workflows.core.rules import check as checking
from workflows.core.rules.check import check, rules_for, summary


@dataclass(frozen=True)
class Source(SourceDefaults):
    """A source whose pointers name their lines: `/7` is line 7."""

    files: Files
    main: str = "a.json"
    findings: tuple = ()
    readable: bool = True

    def locate(self, place):
        return replace(place, line=int(place.pointer.strip("/") or 1))


def said(code, level="warning", pointer="", path="a.json"):
    return Finding(
        code=code, level=level, message=f"{code}!", place=Place(path=path, pointer=pointer)
    )


@rule("XX001", "warning", "Late", profiles=EVERY)
def late(source, graph):
    """Findings on line 9 and on line 2."""
    yield said("XX001", pointer="/9")
    yield said("XX001", pointer="/2")


@rule("XX002", "error", "Serious", profiles=EVERY)
def serious(source, graph):
    """A finding of level error."""
    yield said("XX002", level="error", pointer="/5")


@rule("XX003", "hint", "Strict only", profiles=("strict",))
def strict_only(source, graph):
    """A finding of one profile."""
    yield said("XX003", level="hint")


@rule("XX004", "warning", "Broken", profiles=EVERY)
def broken(source, graph):
    """Raises after its first finding."""
    yield said("XX004", pointer="/1")
    raise KeyError("oops")


class Dialect(base.Dialect):
    profiles = ("plain", "strict")

    def __init__(self, *rules, covers=()):
        self._rules = rules
        self.covers = frozenset(covers)

    def rules(self):
        return self._rules

    def graph(self, source, profile):
        lonely = State(id="lonely", kind="state", place=Place(path="a.json", pointer="/3"))
        ending = State(id="end", kind="state", terminal=True, place=Place(path="a.json"))
        return Graph(
            dialect="test",
            profile=profile,
            name="test",
            entries=(Entry(state="end"),),
            states=(ending, lonely),
            transitions=(),
        )


SOURCE = Source(files=Files.of({"a.json": b"{}"}))


def codes(findings):
    return [(finding.code, finding.place.line) for finding in findings]


def test_findings_are_sorted_by_level_then_by_line():
    found = check(Dialect(late, serious, covers=("GR104", "GR105")), SOURCE, "plain")
    assert codes(found) == [("XX002", 5), ("XX001", 2), ("XX001", 9)]


def test_findings_of_reading_are_included():
    source = replace(SOURCE, findings=(said("XX100", level="error", pointer="/1"),))
    found = check(Dialect(serious, covers=("GR104", "GR105")), source, "plain")
    assert codes(found) == [("XX100", 1), ("XX002", 5)]


def test_an_unreadable_pack_has_only_the_findings_of_reading_it():
    source = replace(SOURCE, findings=(said("XX100", level="error"),), readable=False)
    assert codes(check(Dialect(serious), source, "plain")) == [("XX100", 1)]


def test_general_rules_apply_to_every_dialect():
    assert codes(check(Dialect(), SOURCE, "plain")) == [("GR104", 3), ("GR105", 3)]


def test_covered_general_rules_are_left_out():
    assert check(Dialect(covers=("GR104", "GR105")), SOURCE, "plain") == ()


def test_a_rule_applies_to_its_profiles():
    dialect = Dialect(strict_only, covers=("GR104", "GR105"))
    assert codes(check(dialect, SOURCE, "plain")) == []
    assert codes(check(dialect, SOURCE, "strict")) == [("XX003", 1)]
    assert "XX003" in {each.code for each in rules_for(dialect)}
    assert "XX003" not in {each.code for each in rules_for(dialect, "plain")}


def test_a_failing_rule_does_not_stop_other_rules(monkeypatch):
    monkeypatch.setattr(checking, "RAISE_BROKEN_RULES", False)
    found = check(Dialect(broken, serious, covers=("GR104", "GR105")), SOURCE, "plain")
    assert codes(found) == [("XX002", 5), ("IN001", 1)]
    assert "XX004 (Broken)" in found[1].message
    assert "KeyError" in found[1].message


@each_row([RecursionError, MemoryError])
def test_a_rule_that_meets_a_limit_is_a_finding_of_its_own(error):
    @rule("XX005", "error", "Deep", profiles=EVERY)
    def deep(source, graph):
        """A rule that meets a limit."""
        raise error

    found = check(Dialect(deep, serious, covers=("GR104", "GR105")), SOURCE, "plain")
    assert codes(found) == [("XX002", 5), ("IN002", 1)]
    assert "XX005 (Deep) was stopped: the pack" in found[1].message


def test_a_failing_rule_raises_in_tests(monkeypatch):
    monkeypatch.setattr(checking, "RAISE_BROKEN_RULES", True)
    with pytest.raises(KeyError):
        check(Dialect(broken), SOURCE, "plain")


def test_findings_are_counted_by_level():
    found = check(Dialect(late, serious, covers=("GR104", "GR105")), SOURCE, "plain")
    assert summary(found) == {"error": 1, "warning": 2, "hint": 0}
