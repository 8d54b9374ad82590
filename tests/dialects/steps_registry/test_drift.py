"""Differences between the format's document and Climpt: the rows of the table of section 2.2.

Each row runs one pack under both profiles, and names the finding that reports the difference.
"""

from __future__ import annotations

import json

import pytest

from tests.dialects.steps_registry.drift_rows import (
    FIRST,
    LAST,
    LATER,
    ROWS,
    USUAL,
    Row,
    S,
    all_of,
)
from tests.dialects.steps_registry.packs import Change, findings, pack, setting, tree
from tests.dialects.steps_registry.scripted_run import ScriptedRun, play
from tests.support.checks import each_row, run_checks
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import AskModel
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import transition
from workflows.core.pack.findings import Finding


def _run(row: Row, profile: str) -> ScriptedRun:
    whole = tree()
    row.change(whole)
    vector = {
        "registry": whole["registry"],
        "agentJson": whole["agent"],
        "files": {**whole["files"], ".agent/t/schemas/s.json": json.dumps(whole["schema"])},
        "args": {"issue": 7},
        "llmScript": list(row.script),
        "validatorCommandResults": [
            {"code": code, "stdout": "", "stderr": ""} for code in row.commands
        ],
    }
    return play(vector, profile)


def _checks(played: ScriptedRun) -> int:
    return sum(event.type == "command.finished" for event in played.events)


def _seen(played: ScriptedRun) -> tuple[tuple[str, ...], str]:
    return tuple(step for step, _ in played.path), played.code


def a_run_follows_the_document_under_documented(row: Row) -> None:
    played = _run(row, "documented")
    assert _seen(played) == row.documented, played.reason
    assert any(row.asked in prompt for prompt in played.prompts)
    assert row.checks is None or _checks(played) == row.checks[0]


def a_run_follows_climpt_under_climpt(row: Row) -> None:
    played = _run(row, "climpt")
    assert _seen(played) == row.climpt, played.reason
    assert not row.asked or not any(row.asked in prompt for prompt in played.prompts)
    assert row.checks is None or _checks(played) == row.checks[1]


def a_finding_marks_the_place(row: Row) -> None:
    for profile in DIALECT.profiles:
        assert _places(row, pack(row.change), profile), profile
        assert not _places(row, pack(), profile), profile


@each_row(ROWS)
def test_a_row_of_the_drift_table(row: Row) -> None:
    run_checks(
        (row,),
        a_run_follows_the_document_under_documented,
        a_run_follows_climpt_under_climpt,
        a_finding_marks_the_place,
    )


def _places(row: Row, source: RegistrySource, profile: str) -> list[Finding]:
    return [
        found
        for found in findings(source, profile)
        if (found.code == row.code or (found.code == "SR740" and f" {row.code}." in found.hint))
        and (found.place.pointer.endswith(row.place) or found.place.element == row.place)
    ]


def test_every_row_of_the_table_is_here() -> None:
    assert {row.id.split()[0] for row in ROWS} == {f"D{number}" for number in range(1, 22)}


@pytest.mark.parametrize("profile", DIALECT.profiles)
def test_a_model_is_taken_from_step_then_agent_then_opus(profile: str) -> None:
    def asked(change: Change) -> str:
        program = DIALECT.program(pack(change), profile)
        _, effects = transition(program, RunState(), Start(at=1.0, inputs={"issue": "7"}))
        (ask,) = effects
        assert isinstance(ask, AskModel)
        return ask.model

    flow = ("agent/runner/flow/defaultModel", "sonnet")
    assert asked(setting((f"{S}/{FIRST}/model", "haiku"), flow)) == "haiku"
    assert asked(setting(flow)) == "sonnet"
    assert asked(setting()) == "opus"


def test_findings_on_a_generation_s_registry_name_climpt_1_13_15() -> None:
    seed = setting(*((f"{S}/{id}/fallbackKey", "initial_issue") for id in USUAL))
    change = all_of(seed, setting((f"{S}/{FIRST}/transitions/repeat/target", LATER)))
    (told,) = [found for found in findings(pack(change)) if found.code == "SR701"]
    assert told.message.startswith("Climpt 1.13.15 repeats 'initial.a'")


@each_row(["permissionMode", "runner"])
def test_a_key_newer_than_the_file_is_reported(key: str) -> None:
    seed = setting(*((f"{S}/{id}/fallbackKey", "initial_issue") for id in USUAL))
    value = {"permissionMode": "plan", "runner": {"command": "make"}}[key]
    change = all_of(seed, setting((f"{S}/{LAST}/{key}", value)))
    (told,) = [found for found in findings(pack(change)) if found.code == "SR728"]
    assert told.place.pointer == f"/steps/closure.a/{key}"
    today = pack(setting((f"{S}/{LAST}/{key}", value)))
    assert not [found for found in findings(today) if found.code == "SR728"]
