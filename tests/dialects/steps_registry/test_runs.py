"""Runs: the recorded ones under `climpt`, and what `documented` does otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.steps_registry.packs import Change, pack, put, tree
from tests.dialects.steps_registry.scripted_run import (
    ScriptedRun,
    detail_disagreement,
    disagreement,
    play,
    prompt_disagreement,
)
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.engine.effects import AskModel
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import transition

PROMPT = ".agent/t/prompts/steps/initial/a/f_default.md"


UNLIKE: dict[str, str] = {}
"""Recorded runs that we do not follow, by `release id`, each with its reason: none."""


@pytest.mark.parametrize(
    ("release", "least"),
    [("1.13.27", 100), pytest.param("1.13.15", 90, marks=pytest.mark.third_party)],
)
def test_recorded_runs_take_the_same_path_to_the_same_end(
    corpus: Path, release: str, least: int
) -> None:
    path = corpus / f"steps-registry/_oracle/run-vectors-{release}.json"
    vectors = json.loads(path.read_text())["vectors"]
    wrong = {}
    for vector in vectors:
        played = play(vector)
        said = disagreement(vector, played) or prompt_disagreement(vector, played)
        said = said or detail_disagreement(vector, played)
        if said and f"{release} {vector['id']}" not in UNLIKE:
            wrong[vector["id"]] = said
    assert len(vectors) >= least
    assert wrong == {}
    print(f"{release}: {len(vectors) - len(UNLIKE)} of {len(vectors)} recorded runs agree")


def says(action: str, **more: Any) -> dict[str, Any]:
    return {"next_action": {"action": action}, **more}


def run(
    script: list[Any],
    change: Change | None = None,
    profile: str = "documented",
    commands: list[int] | None = None,
) -> ScriptedRun:
    whole = tree()
    if change is not None:
        change(whole)
    files = dict(whole["files"])
    files[".agent/t/schemas/s.json"] = json.dumps(whole["schema"])
    return play(
        {
            "registry": whole["registry"],
            "agentJson": whole["agent"],
            "files": files,
            "llmScript": script,
            "validatorCommandResults": [
                {"code": code, "stdout": "", "stderr": ""} for code in commands or [0]
            ],
        },
        profile,
    )


def test_a_missing_prompt_is_replaced_under_documented() -> None:
    def without(whole: dict[str, Any]) -> None:
        del whole["files"][".agent/t/prompts/steps/initial/a/f_default.md"]

    script = [says("next"), says("handoff"), says("closing")]
    documented = run(script, without)
    assert documented.status == "completed"
    assert "initial.a" in documented.prompts[0]
    assert run(script, without, "climpt").code == "PR-C3L-004"


def test_every_choice_takes_the_arrow_it_names() -> None:
    source = DIALECT.read(DIALECT.samples()["triage-bot"])
    for profile in DIALECT.profiles:
        program = DIALECT.program(source, profile)
        _, effects = transition(program, RunState(), Start(at=1.0, inputs={"issue": "7"}))
        (ask,) = effects
        assert isinstance(ask, AskModel)
        assert ask.model == "sonnet"
        assert ask.schema is not None
        assert ask.schema["additionalProperties"] is False
        assert [choice.label for choice in ask.choices] == [
            "next: ready",
            "next: unclear",
            "repeat",
        ]
        known = {arrow.id for arrow in DIALECT.graph(source, profile).transitions}
        assert {choice.transition for choice in ask.choices} <= known


@each_row(DIALECT.profiles)
def test_a_shape_from_before_is_not_run(profile: str) -> None:
    source = pack(lambda whole: put(whole, "registry/completionSteps", {}))
    assert source.generation == "legacy"
    with pytest.raises(CannotRun):
        DIALECT.program(source, profile)


NEEDS: list[tuple[str, Change, tuple[str, ...]]] = [
    ("a required parameter", lambda whole: None, ("issue",)),
    (
        "nothing with a default",
        lambda whole: put(whole, "agent/parameters/issue/default", 7),
        (),
    ),
    (
        "an optional parameter that a prompt uses",
        lambda whole: (
            put(whole, "agent/parameters", {"goal": {"type": "string"}, "idle": {}}),
            whole["files"].update({PROMPT: "{uv-goal} {uv-iteration} next_action"}),
        ),
        ("goal",),
    ),
    (
        "no name that nobody declares",
        lambda whole: put(whole, "registry/steps/initial.a/uvVariables", ["stranger"]),
        ("issue",),
    ),
    (
        "any name where there is no agent.json",
        lambda whole: (
            whole.pop("agent"),
            put(whole, "registry/steps/initial.a/uvVariables", ["stranger"]),
        ),
        ("stranger",),
    ),
    (
        "the issue of poll:state",
        lambda whole: (
            put(whole, "agent/parameters", {}),
            put(whole, "agent/runner/verdict/type", "poll:state"),
        ),
        ("issue",),
    ),
    (
        "no value of an earlier step",
        lambda whole: (
            put(whole, "registry/steps/closure.a/uvVariables", ["continuation_a_summary"]),
            put(
                whole,
                "registry/steps/closure.a/inputs",
                {"summary": {"from": "continuation.a.summary"}},
            ),
        ),
        ("issue",),
    ),
]


@each_row([row[1:] for row in NEEDS])
def test_a_run_needs(change: Change, needed: tuple[str, ...]) -> None:
    assert DIALECT.program(pack(change), "climpt").required_inputs == needed


@pytest.mark.parametrize("profile", DIALECT.profiles)
def test_a_rehearsal_of_the_sample_simulates_its_inputs(profile: str) -> None:
    source = DIALECT.read(DIALECT.samples()["triage-bot"])
    walked = rehearse(DIALECT.program(source, profile), DIALECT.graph(source, profile), runs=40)
    assert walked.unreached == ()
    assert not [note for note in walked.notes if "UV variable" in note or "parameter" in note]
