"""The page docs/performance.md: a row for each goal, with its peer, its cost and its obstacle."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.__main__ import ORDER
from bench._costs import COSTS
from bench._notes import note_for
from bench._obstacles import OBSTACLES
from bench._performance_page import page
from bench._rows import FILE, Row, print_rows
from bench._sections import Section
from tests.support.checks import each_row


def lines_of(section: str, *rows: Row) -> list[str]:
    sections = {section: Section(date="2026-11-25", load=0.5, rows=rows)}
    return page(sections).splitlines()


def test_a_row_has_its_figure_goal_peer_ratio_and_cost() -> None:
    row = Row(
        name="PromptPack", value=105.6, unit="µs", goal=60, peer=200.0, peer_name="LangGraph",
        share=0.6, others={"xstate": 10.5},
    )  # fmt: skip
    lines = lines_of("engine", row)
    cost = COSTS["engine"]["PromptPack"]
    assert (
        "| PromptPack | 105.6 µs | 60: missed | LangGraph 200.0 µs; xstate 10.5 µs | 0.53 "
        f"| 0.6: met | {cost} |"
    ) in lines
    assert f"- **PromptPack**: {OBSTACLES['engine']['PromptPack']}" in lines


def test_a_goal_of_the_ratio_alone_can_be_missed() -> None:
    row = Row(name="ours", value=50.0, unit="µs", peer=100.0, share=0.25)
    assert row.is_missed
    assert not Row(name="ours", value=25.0, unit="µs", peer=100.0, share=0.25).is_missed


def test_a_peer_of_another_day_has_its_day_and_no_verdict() -> None:
    row = Row(
        name="run, click to shown", value=30.0, unit="ms", goal=40, peer=35.0,
        peer_name="Flowise", share=0.5, quoted="2026-11-22",
    )  # fmt: skip
    assert not row.is_missed
    (line,) = [line for line in lines_of("pages", row) if line.startswith("| run")]
    assert "| Flowise 35.0 ms, measured 2026-11-22 | 0.86 |  |" in line


def test_a_least_goal_is_missed_below_it() -> None:
    def missed(value: float) -> bool:
        return Row(name="steps per second", value=value, unit="", goal=1_000, least=True).is_missed

    assert missed(999.0)
    assert not missed(1_000.0)


def test_a_row_that_could_not_be_measured_has_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Row(name="set-up", value=None, unit="s", goal=30, missing="no network")
    (line,) = [line for line in lines_of("installation", row) if line.startswith("| set-up")]
    assert "| not measured: no network |" in line
    file = tmp_path / "rows"
    monkeypatch.setenv(FILE, str(file))
    print_rows([row])
    assert [Row.from_json(line) for line in file.read_text().splitlines()] == [row]


def test_a_missed_row_without_an_obstacle_is_reported_as_such() -> None:
    row = Row(name="unknown", value=2.0, unit="s", goal=1)
    assert "- **unknown**: No profile yet." in lines_of("engine", row)


@each_row(ORDER)
def test_each_benchmark_has_the_cost_of_its_rows(section: str) -> None:
    assert COSTS[section]


def test_the_longest_matching_beginning_is_used() -> None:
    notes = {"pages": {"open": "short", "open 200 unplaced": "long"}}
    assert note_for(notes, "pages", "open 200 unplaced") == "long"
    assert note_for(notes, "pages", "open 200") == "short"
    assert note_for(notes, "pages", "run") == ""


def test_notes_belong_to_benchmarks() -> None:
    assert set(COSTS) == set(ORDER)
    assert set(OBSTACLES) <= set(ORDER)
