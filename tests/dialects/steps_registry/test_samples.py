"""The agents that ship with us."""

from __future__ import annotations

from tests.dialects.steps_registry.packs import loud
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.rules import startup
from workflows.core.pack.files import Files
from workflows.core.rules.check import check


@each_row(["triage-bot", "blank"])
def test_a_sample_is_one_pack_without_findings_above_hint(name: str) -> None:
    files = DIALECT.samples()[name]
    (found,) = DIALECT.recognises(files)
    assert set(found.paths) == set(files)
    source = DIALECT.read(files)
    assert loud(source) == []
    for profile in DIALECT.profiles:
        assert {f.code for f in check(DIALECT, source, profile) if f.level != "hint"} == set()
    assert startup.first_failure(source) is None


def test_the_first_sample_shows_every_kind_of_step() -> None:
    source = DIALECT.read(DIALECT.samples()["triage-bot"])
    graph = DIALECT.graph(source, "documented")
    assert {state.kind for state in graph.states} == {
        "work",
        "verification",
        "closure",
        "section",
    }
    assert {arrow.kind for arrow in graph.transitions} >= {"event", "conditional", "handoff"}
    assert [entry.key for entry in graph.entries] == ["count:iteration"]


def test_another_folder_of_the_tree_is_not_touched() -> None:
    files = DIALECT.samples()["blank"]
    moved = Files.of({f"deep/repo/{path}": data for path, data in files.items()})
    (found,) = DIALECT.recognises(moved)
    source = DIALECT.read(moved)
    assert source.main == found.main
    assert loud(source) == []
