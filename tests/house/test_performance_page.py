"""The page docs/performance.md: a row for each goal, with its peer."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench._performance_page import page
from bench._rows import FILE, Row, print_rows
from bench._sections import Section


def lines_of(section: str, *rows: Row) -> list[str]:
    sections = {section: Section(date="2026-11-25", load=0.5, rows=rows)}
    return page(sections).splitlines()


def test_a_row_has_its_figure_goal_peer_and_ratio() -> None:
    row = Row(
        name="PromptPack", value=105.6, unit="µs", goal=60, peer=200.0, peer_name="LangGraph",
        share=0.6, others={"xstate": 10.5},
    )  # fmt: skip
    lines = lines_of("engine", row)
    assert (
        "| PromptPack | 105.6 µs | 60: missed | LangGraph 200.0 µs; xstate 10.5 µs | 0.53 "
        "| 0.6: met |"
    ) in lines


def test_a_goal_of_the_ratio_alone_can_be_missed() -> None:
    row = Row(name="ours", value=50.0, unit="µs", peer=100.0, share=0.25)
    assert row.share_met is False
    assert Row(name="ours", value=25.0, unit="µs", peer=100.0, share=0.25).share_met


def test_a_peer_of_another_day_has_its_day_and_no_verdict() -> None:
    row = Row(
        name="run, click to shown", value=30.0, unit="ms", goal=40, peer=35.0,
        peer_name="Flowise", share=0.5, quoted="2026-11-22",
    )  # fmt: skip
    assert row.share_met is None
    (line,) = [line for line in lines_of("pages", row) if line.startswith("| run")]
    assert "| Flowise 35.0 ms, measured 2026-11-22 | 0.86 |  |" in line


def test_a_least_goal_is_missed_below_it() -> None:
    def missed(value: float) -> bool:
        return not Row(
            name="steps per second", value=value, unit="", goal=1_000, least=True
        ).goal_met

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
