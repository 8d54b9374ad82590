"""Generation B, the unreleased 1.14: read, drawn, edited, written, checked, run with its chains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.steps_registry.packs import (
    Change,
    corpus_packs,
    findings,
    loud,
    pack,
    put,
    tree,
)
from tests.dialects.steps_registry.scripted_run import ScriptedRun, play
from tests.support.checks import each_row, quick_or_slow
from tests.support.corpus import at_least
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.rules import startup
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.pack.edits import (
    AddState,
    EditRefused,
    Paste,
    RemoveState,
    RenameState,
    SetEntry,
    SetField,
)

FIRST, LATER, LAST = "initial.a", "continuation.a", "closure.a"
S = "registry/steps"
EXHAUSTED = "AGENT_ADAPTATION_CHAIN_EXHAUSTED"


def next_tree(whole: dict[str, Any]) -> None:
    """The right agent as 1.14 writes it."""
    for item in whole["registry"]["steps"].values():
        item["kind"] = item.pop("stepKind")
        item["address"] = {"c1": "steps", **{k: item.pop(k) for k in ("c2", "c3", "edition")}}
        item["adaptationChain"] = ["default", "default", "default"]
    del whole["registry"]["entryStep"]
    pair = {"initial": FIRST, "continuation": LATER}
    whole["registry"]["entryStepMapping"] = {"count:iteration": pair}


def chained(*chain: str, id: str = FIRST) -> Change:
    def change(whole: dict[str, Any]) -> None:
        next_tree(whole)
        put(whole, f"{S}/{id}/adaptationChain", list(chain))

    return change


def says(action: str) -> dict[str, Any]:
    return {"next_action": {"action": action}}


def run(
    change: Change, script: list[Any], profile: str, commands: tuple[int, ...] = (0,)
) -> ScriptedRun:
    whole = tree()
    change(whole)
    files = {**whole["files"], ".agent/t/schemas/s.json": json.dumps(whole["schema"])}
    vector = {
        "registry": whole["registry"],
        "agentJson": whole["agent"],
        "files": files,
        "llmScript": script,
        "validatorCommandResults": [{"code": c, "stdout": "", "stderr": ""} for c in commands],
    }
    return play(vector, profile)


def path(played: ScriptedRun) -> list[str]:
    return [step for step, _ in played.path]


def next_packs(corpus: Path) -> list[tuple[str, RegistrySource]]:
    return [(name, source) for name, source in corpus_packs(corpus) if source.generation == "B"]


def test_a_right_file_of_the_next_generation_is_left_alone() -> None:
    source = pack(next_tree)
    assert source.generation == "B"
    assert loud(source) == ["SR005"]
    assert startup.first_failure(source) is None


@pytest.mark.parametrize("profile", DIALECT.profiles)
@pytest.mark.parametrize(
    ("chain", "repeats", "code"),
    [
        (None, 1, ""),
        (None, 2, EXHAUSTED),
        ((), 1, EXHAUSTED),
        (("short", "long"), 2, ""),
        (("short", "long"), 3, EXHAUSTED),
    ],
    ids=["default once", "default twice", "empty", "two of two", "three of two"],
)
def test_a_chain_bounds_the_repeats(
    chain: tuple[str, ...] | None, repeats: int, code: str, profile: str
) -> None:
    def change(whole: dict[str, Any]) -> None:
        next_tree(whole)
        put(whole, f"{S}/{FIRST}/adaptationChain", ... if chain is None else list(chain))

    script = [says("repeat")] * repeats + [says("next"), says("handoff"), says("closing")]
    played = run(change, script, profile)
    assert played.code == code, played.reason
    if code:
        length, last = len(chain or ()) if chain is not None else 1, (chain or ("default",))[-1:]
        told = last[0] if chain is None or chain else ""
        assert played.reason == (
            f'Step "{FIRST}" exhausted adaptation chain (length {length}, last: "{told}"). '
            "Self-route limit reached."
        )
    else:
        assert path(played) == [FIRST] * (repeats + 1) + [LATER, LAST]


@each_row(DIALECT.profiles)
def test_each_repeat_asks_with_the_next_prompt_of_the_chain(profile: str) -> None:
    def change(whole: dict[str, Any]) -> None:
        chained("short", "gone")(whole)
        folder = ".agent/t/prompts/steps/initial/a"
        whole["files"][f"{folder}/f_default_short.md"] = "Shorter, please."

    script = [says("repeat"), says("repeat"), says("next"), says("handoff"), says("closing")]
    played = run(change, script, profile)
    assert played.prompts[:3] == [
        "initial.a: next_action",
        "Shorter, please.",
        "initial.a: next_action",
    ]
    assert played.status == "completed"


@each_row(DIALECT.profiles)
def test_another_intent_resets_the_chain_and_each_step_has_its_own(profile: str) -> None:
    def change(whole: dict[str, Any]) -> None:
        chained("default")(whole)
        put(whole, f"{S}/{LATER}/adaptationChain", ["default"])
        put(whole, f"{S}/{LATER}/structuredGate/allowedIntents", ["next", "repeat", "handoff"])
        put(whole, f"{S}/{LATER}/transitions/next", {"target": FIRST})
        whole["schema"][LATER]["properties"]["next_action"]["properties"]["action"]["enum"] = [
            "next",
            "repeat",
            "handoff",
        ]

    round_trip = ["repeat", "next", "repeat", "next"]
    script = [says(word) for word in (*round_trip, *round_trip, "handoff")]
    played = run(change, script, profile)
    assert path(played)[:9] == [FIRST, FIRST, LATER, LATER] * 2 + [FIRST]
    assert played.code == "GATE_INTERPRETATION_ERROR"


@each_row(DIALECT.profiles)
def test_a_closure_step_repeats_along_its_chain_too(profile: str) -> None:
    script = [says("next"), says("handoff"), says("repeat"), says("repeat"), says("closing")]
    played = run(chained("default", id=LAST), script, profile)
    assert (path(played), played.code) == ([FIRST, LATER, LAST, LAST], EXHAUSTED)


def test_no_release_before_reads_a_chain() -> None:
    script = [says("repeat")] * 3 + [says("next"), says("handoff"), says("closing")]
    change: Change = lambda whole: put(whole, f"{S}/{FIRST}/adaptationChain", [])  # noqa: E731
    for profile in DIALECT.profiles:
        assert run(change, script, profile).status == "completed"
    assert "SR725" in {found.code for found in findings(pack(change))}


def _wired(early: list[str], late: list[str], **failure: Any) -> Change:
    def change(whole: dict[str, Any]) -> None:
        next_tree(whole)
        whole["registry"]["validators"] = {
            name: {
                "type": "command",
                "phase": "preflight" if name in early else "postllm",
                "command": name,
                "successWhen": "exitCode:0",
                "failurePattern": "x",
            }
            for name in (*early, *late)
        }
        guard: dict[str, Any] = {
            "stepId": "closure.iteration",
            "name": "n",
            "address": {"c1": "steps", "c2": "retry", "c3": "a", "edition": "default"},
            "preflightConditions": [{"validator": name} for name in early],
            "postLLMConditions": [{"validator": name} for name in late],
        }
        if failure:
            guard["onFailure"] = failure
        whole["registry"]["validationSteps"] = {"closure.iteration": guard}

    return change


HAPPY = [says("next"), says("handoff"), says("closing")]


@each_row(DIALECT.profiles)
def test_a_failed_check_before_the_model_ends_the_run(profile: str) -> None:
    played = run(_wired(["clean"], []), HAPPY, profile, commands=(1,))
    assert (path(played), played.code) == ([FIRST, LATER, LAST], "AGENT_VALIDATION_ABORT")
    assert len(played.prompts) == 2


def test_attempts_count_after_the_model_alone() -> None:
    """The passing check before the model does not set the counter back, as it does in 1.13."""
    change = _wired(["clean"], ["tests"], action="retry", maxAttempts=2)
    played = run(change, HAPPY, "climpt", commands=(0, 1, 0, 1))
    assert (path(played), played.code) == ([FIRST, LATER, LAST, LAST], "AGENT_VALIDATION_ABORT")


def test_a_validator_in_the_wrong_list_does_not_load() -> None:
    def change(whole: dict[str, Any]) -> None:
        _wired(["clean"], ["tests"])(whole)
        del whole["registry"]["validators"]["clean"]["phase"]
        whole["registry"]["validators"]["tests"]["phase"] = "preflight"

    source = pack(change)
    failure = startup.first_failure(source)
    assert failure is not None
    assert failure[0] == "SR-VALID-004"
    told = [found for found in findings(source) if found.code == "SR511"]
    assert [found.fix is not None for found in told] == [True, True]
    for found in told:
        for edit in found.fix.edits if found.fix else ():
            source = DIALECT.apply(source, edit)
    assert startup.first_failure(source) is None


REFUSED: list[tuple[str, Change, str]] = [
    ("a step of 1.13", lambda w: put(w, f"{S}/{FIRST}/stepKind", "work"), "SR-VALID-005"),
    ("no kind", lambda w: put(w, f"{S}/{LATER}/kind", ...), "SR-VALID-005"),
    ("no c1", lambda w: put(w, f"{S}/{LATER}/address/c1", ...), "SR-VALID-005"),
    (
        "one entry for a verdict",
        lambda w: put(w, "registry/entryStepMapping", {"count:iteration": FIRST}),
        "SR-ENTRY-003",
    ),
    ("another stepId", lambda w: put(w, f"{S}/{FIRST}/stepId", "x"), "SR-VALID-004"),
    ("a way out", lambda w: put(w, f"{S}/{FIRST}/adaptationChain", [".."]), "SR-VALID-004"),
]


@each_row(REFUSED)
def test_a_registry_that_1_14_refuses_does_not_start_under_climpt(
    name: str, change: Change, code: str
) -> None:
    def whole_change(whole: dict[str, Any]) -> None:
        next_tree(whole)
        change(whole)

    assert run(whole_change, HAPPY, "climpt").code == code
    assert run(whole_change, HAPPY, "documented").status == "completed"
    assert any(code in found.message for found in findings(pack(whole_change)))


def test_an_a_file_and_a_b_file_do_not_mix() -> None:
    fragment = DIALECT.copy(pack(), (LATER,))
    with pytest.raises(EditRefused, match=r"1\.14"):
        DIALECT.apply(pack(next_tree), Paste(fragment=fragment))
    own = DIALECT.copy(pack(next_tree), (LATER,))
    after = DIALECT.apply(pack(next_tree), Paste(fragment=own))
    assert after.steps[f"{LATER}-2"].kind == "work"


@each_row(["work", "verification", "closure", "section"])
def test_a_new_step_is_written_as_the_file_writes_them(kind: str) -> None:
    id = f"{kind if kind != 'work' else 'continuation'}.fresh"
    after = DIALECT.apply(pack(next_tree), AddState(id=id, kind=kind))
    assert {"kind", "address"} <= set(after.value["steps"][id])
    assert "stepKind" not in after.value["steps"][id]
    assert [code for code in loud(after) if code not in ("SR005", "SR601")] == []
    assert startup.first_failure(after) is None


def test_an_entry_is_a_pair() -> None:
    after = DIALECT.apply(pack(next_tree), SetEntry(id=LATER, key="poll:state"))
    mapping = after.value["entryStepMapping"]
    assert mapping["poll:state"] == {"initial": LATER, "continuation": LATER}
    form = DIALECT.fields(after, "entry:count:iteration", "documented")
    assert form.values == {"initial": FIRST, "continuation": LATER}
    edit = SetField(element="entry:count:iteration", field="/continuation", value=FIRST)
    changed = DIALECT.apply(after, edit).value["entryStepMapping"]["count:iteration"]
    assert changed == {"initial": FIRST, "continuation": FIRST}
    gone = DIALECT.apply(pack(next_tree), RemoveState(id=LATER))
    assert gone.value["entryStepMapping"]["count:iteration"] == {"initial": FIRST}


@pytest.mark.parametrize(
    ("id", "pair"),
    [
        (FIRST, {"initial": "work.new", "continuation": LATER}),
        (LATER, {"initial": FIRST, "continuation": "work.new"}),
    ],
)
def test_a_rename_follows_both_steps_of_an_entry(id: str, pair: dict[str, str]) -> None:
    after = DIALECT.apply(pack(next_tree), RenameState(id=id, new_id="work.new"))
    assert after.value["entryStepMapping"] == {"count:iteration": pair}


# -- every file of the corpus ------------------------------------------------------------------


@pytest.mark.parametrize("runs", quick_or_slow(3, 20))
@pytest.mark.parametrize("profile", DIALECT.profiles)
def test_every_agent_runs_as_far_as_its_steps_lead(corpus: Path, profile: str, runs: int) -> None:
    ran = 0
    for name, source in next_packs(corpus):
        if not name.startswith("_next"):
            continue
        assert startup.first_failure(source) is None, name
        program, graph = DIALECT.program(source, profile), DIALECT.graph(source, profile)
        walked = rehearse(program, graph, runs=runs)
        assert not [note for note in walked.notes if "cannot" in note.lower()], name
        assert walked.runs == runs
        ran += 1
    assert ran >= at_least(10, 2)
