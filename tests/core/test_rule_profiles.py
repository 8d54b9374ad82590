"""The rules of all dialects: their profiles, help pages and messages, and the shipped samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.checks import each_row
from workflows.core.dialects import dialects
from workflows.core.pack.findings import EVERY, Rule, rule
from workflows.core.rules import RULES
from workflows.core.rules.check import check, rules_for
from workflows.core.rules.kit import Note, RuleKit
from workflows.selectors.rules import rule_pages

DIALECTS = sorted(dialects())


def _own(name: str) -> list[Rule]:
    return list(dialects()[name].rules())


@each_row(DIALECTS)
def test_every_rule_names_profiles_of_its_dialect(name: str) -> None:
    known = set(dialects()[name].profiles)
    for each in _own(name):
        assert set(each.profiles) <= known, each.code
        assert set(each.hint_in) <= {one for one in known if each.holds_in(one)}, each.code
        assert set(each.profiles) != known, f"{each.code} holds in every profile: declare EVERY."


def test_the_rules_for_any_graph_hold_in_every_profile() -> None:
    assert {each.profiles for each in RULES} == {EVERY}


def test_a_rule_without_profiles_is_refused() -> None:
    kit = RuleKit[Any, Any](view=lambda source: source)
    for declare in (rule, kit.rule, kit.profile_rule):
        with pytest.raises(TypeError, match="profiles"):
            declare("XX001", "hint", "Test")  # type: ignore[call-arg]


@each_row(DIALECTS)
def test_the_page_of_a_rule_lists_its_profiles(name: str) -> None:
    dialect = dialects()[name]
    pages = {page.code: page for page in rule_pages()}
    for each in _own(name):
        page = pages[each.code]
        assert page.profiles + page.elsewhere
        assert set(page.profiles + page.elsewhere) == set(dialect.profiles)
        assert {one for one in page.profiles if each.holds_in(one)} == set(page.profiles)
        assert page.hint_in == each.hint_in


@each_row(DIALECTS)
def test_no_finding_is_raised_under_a_profile_in_which_its_rule_does_not_hold(name: str) -> None:
    dialect = dialects()[name]
    for files in dialect.samples().values():
        source = dialect.read(files)
        for profile in dialect.profiles:
            graph = dialect.graph(source, profile)
            elsewhere = [each for each in _own(name) if not each.holds_in(profile)]
            assert not set(elsewhere) & set(rules_for(dialect, profile))
            assert [list(each.check(source, graph)) for each in elsewhere] == [[]] * len(elsewhere)


@each_row(DIALECTS)
def test_a_finding_has_the_level_of_its_profile(name: str) -> None:
    dialect = dialects()[name]
    rules = {each.code: each for each in rules_for(dialect)}
    for sample, files in dialect.samples().items():
        source = dialect.read(files)
        for profile in dialect.profiles:
            for finding in check(dialect, source, profile):
                rule = rules[finding.code]
                assert finding.level in ("hint", "hint" if profile in rule.hint_in else rule.level)
                # A sample of a script starts as many agents as its model finds things.
                quiet = profile == dialect.profiles[0] and name != "workflow_scripts"
                assert finding.level == "hint" or not quiet, (sample, finding.message)


@each_row(DIALECTS)
def test_every_rule_has_its_own_code_and_a_help_page_of_a_few_sentences(name: str) -> None:
    rules = _own(name)
    assert len({each.code for each in rules}) == len(rules)
    for each in rules:
        assert 40 < len(each.help) < 800, each.code
        assert each.help.endswith("."), each.code


def test_the_kit_limits_the_length_and_the_number_of_findings() -> None:
    kit = RuleKit[Any, Any](view=lambda source: source)
    dialect = dialects()["steps_registry"]
    source = dialect.read(dialect.samples()["blank"])

    @kit.rule("XX001", "error", "Test", profiles=EVERY)
    def many(view: Any) -> list[Note]:
        """Help."""
        return [Note(message="n" * 5_000 + " " + "m" * 5_000)] * 500

    findings = list(many.check(source, dialect.graph(source, "documented")))
    assert len(findings) == 200
    assert all(len(one.message) <= 240 for one in findings)


def test_the_kit_lowers_the_level_and_keeps_the_profile() -> None:
    kit = RuleKit[Any, Any](view=lambda source: source)
    dialect = dialects()["steps_registry"]
    source = dialect.read(dialect.samples()["blank"])

    @kit.rule("XX001", "error", "Test", profiles=("documented", "other"), hint_in=("other",))
    def always(view: Any) -> list[Note]:
        """Help."""
        return [Note(message="Here.")]

    graph = dialect.graph(source, "documented")
    levels = {
        profile: [one.level for one in always.check(source, replace(graph, profile=profile))]
        for profile in ("documented", "other", "climpt")
    }
    assert levels == {"documented": ["error"], "other": ["hint"], "climpt": []}
    assert always.held == "documented, other; hint in other"
