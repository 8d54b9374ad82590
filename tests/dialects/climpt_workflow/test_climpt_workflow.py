"""Climpt's workflow files: drawn, judged as Climpt's loader judges them, edited and rehearsed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.dialects.climpt_workflow.workflow_rows import MAIN, ROWS, base, files, workflow
from tests.support.checks import each_row
from workflows.core.dialects import recognise
from workflows.core.dialects.climpt_workflow import DIALECT
from workflows.core.dialects.steps_registry import DIALECT as AGENTS
from workflows.core.engine.effects import AskHuman
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Approve, Start
from workflows.core.engine.transition import transition
from workflows.core.pack.edits import (
    AddObject,
    AddState,
    Connect,
    Disconnect,
    DuplicateState,
    EditRefused,
    Paste,
    Relabel,
    RemoveObject,
    RemoveState,
    RenameObject,
    RenameState,
    Retarget,
    SetEntry,
    SetField,
    UnsetField,
)
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

VERDICTS = json.loads(
    (Path(__file__).parents[2] / "vectors/climpt/workflow-verdicts.json").read_text()
)
"""Row → the code of the error with which the loader of the row's release refuses it; "" if it
accepts it. Recorded from releases 1.13.27 and (unreleased) 1.14.0."""


def read(value=None):
    return DIALECT.read(files(base() if value is None else value))


def findings(source, level="error"):
    return [f for f in check(DIALECT, source, "climpt") if f.level == level]


# -- judged as upstream judges


@each_row(ROWS)
def test_a_file_is_judged_as_climpts_loader_judges_it(name):
    told = findings(read(workflow(*ROWS[name])))
    code = VERDICTS[name]
    assert bool(told) == bool(code), [f.message for f in told]
    assert not code or any(f"({code}" in f.message for f in told), [f.message for f in told]


NEAR = [
    ("agents/triage/outputPhases/build", "build-pendign", "build-pending"),
    ("agents/builder/role", "transformr", "transformer"),
    ("phases/build-pending/agent", "buildr", "builder"),
    ("labelMapping/kind:biuld", "build-pending", "kind:build"),
    ("labelMaping", {}, "labelMapping"),
]


@each_row(NEAR)
def test_a_misspelled_name_gets_the_nearest_one(path, value, near):
    source = read(workflow("1.13", {path: value}))
    hints = [one.hint for level in ("error", "hint") for one in findings(source, level)]
    assert f"Did you mean {near!r}?" in hints


def test_every_row_has_a_recorded_verdict():
    assert set(VERDICTS) == set(ROWS)
    codes = {code for code in VERDICTS.values() if code}
    print(f"{len(ROWS)} workflows agree with Climpt's loader, {len(codes)} codes")
    assert len(codes) >= 30


@pytest.mark.third_party
def test_upstreams_own_workflows_open_without_errors_or_warnings(corpus):
    paths = sorted((corpus / "steps-registry").rglob(".agent/workflow*.json"))
    assert len(paths) == 3
    for path in paths:
        pack = Files.of({f".agent/{path.name}": path.read_bytes()})
        (found,) = recognise(pack)
        assert (found.dialect, found.name) == ("climpt_workflow", path.stem)
        source = DIALECT.read(pack)
        loud = [f.message for level in ("error", "warning") for f in findings(source, level)]
        assert loud == []
        result = rehearse(DIALECT.program(source, "climpt"), DIALECT.graph(source, "climpt"))
        assert result.coverage == 1.0


# -- recognised and drawn


def test_a_workflow_and_the_agents_next_to_it_are_packs_of_their_own():
    tree = {**AGENTS.samples()["triage-bot"], **DIALECT.samples()["issue-flow"]}
    assert {(pack.dialect, pack.main) for pack in recognise(Files.of(tree))} == {
        ("steps_registry", ".agent/triage-bot/steps_registry.json"),
        ("climpt_workflow", MAIN),
    }


@each_row(
    [
        {"phases": ["a"], "labelMapping": {}, "agents": {}},
        {"phases": {"a": 1}, "labelMapping": {}, "agents": {}},
        {"phases": {}, "labels": {}, "agents": {}},
        {"name": "phases", "steps": ["labelMapping", "agents"]},
    ]
)
def test_other_json_is_no_workflow(value):
    assert DIALECT.recognises(files(value)) == []


def test_phases_are_states_and_outcomes_are_transitions():
    graph = DIALECT.graph(read(), "climpt")
    assert [(s.id, s.kind, s.terminal, s.role) for s in graph.states] == [
        ("build-pending", "actionable", False, "builder"),
        ("review-pending", "actionable", False, "reviewer"),
        ("triage-pending", "actionable", False, "triage"),
        ("done", "terminal", True, ""),
        ("blocked", "blocking", True, ""),
    ]
    assert {t.id: t.kind for t in graph.transitions if t.source == "build-pending"} == {
        "build-pending|success|review-pending": "event",
        "build-pending|unclear|triage-pending": "event",
        "build-pending|fallbackPhase|blocked": "fallback",
    }
    assert [(entry.key, entry.state) for entry in graph.entries] == [
        ("kind:build", "build-pending"),
        ("kind:review", "review-pending"),
        ("kind:new", "triage-pending"),
    ]
    assert graph.most_visits == 10


# -- edited


def after(*edits, value=None):
    source = read(value)
    for edit in edits:
        source = DIALECT.apply(source, edit)
    assert DIALECT.read(source.files).readable
    return json.loads(source.files[MAIN])


def test_edits_change_what_they_name_and_nothing_else():
    whole = base()
    agents = whole["agents"]
    source = "review-pending"
    for edit, place, value in (
        (Connect(source=source, target="blocked", label="spam"), "spam", "blocked"),
        (Retarget(transition=f"{source}|approved|done", target="blocked"), "approved", "blocked"),
    ):
        assert after(edit)["agents"]["reviewer"]["outputPhases"][place] == value
    renamed = after(Relabel(transition=f"{source}|approved|done", label="fine"))
    assert list(renamed["agents"]["reviewer"]["outputPhases"]) == ["fine", "changes"]
    gone = after(Disconnect(transition="build-pending|fallbackPhase|blocked"))
    assert gone["agents"]["builder"] == {
        key: item for key, item in agents["builder"].items() if key != "fallbackPhase"
    }
    assert (
        after(
            Disconnect(transition="build-pending|success|review-pending"),
            Connect(source="build-pending", target="done", label="success"),
        )["agents"]["builder"]["outputPhase"]
        == "done"
    )


def test_a_renamed_phase_is_renamed_everywhere():
    value = workflow(*ROWS["bound"])
    made = after(RenameState(id="done", new_id="finished"), value=value)
    assert '"done"' not in json.dumps({**made, "labelMapping": {}, "labels": {}})
    assert made["labelMapping"]["done"] == "finished"
    assert made["projectBinding"]["donePhase"] == "finished"
    assert findings(read(made)) == []


def test_a_removed_phase_takes_its_labels_and_outcomes_along():
    made = after(RemoveState(id="triage-pending"))
    assert "triage-pending" not in json.dumps(made)
    assert "kind:new" not in made["labels"]
    assert findings(read(made)) == []


@each_row(["actionable", "terminal", "blocking"])
def test_a_new_phase_is_valid_from_the_start(kind):
    made = after(AddState(id="fresh", kind=kind))
    assert made["phases"]["fresh"]["type"] == kind
    assert findings(read(made)) == []


def test_agents_and_labels_are_edited_with_their_references():
    made = after(RenameObject(element="agent:builder", new_key="smith"))
    assert made["phases"]["build-pending"]["agent"] == "smith"
    made = after(RenameObject(element="label:done", new_key="closed"))
    assert "done" not in made["labels"]
    assert made["labelMapping"]["closed"] == "done"
    made = after(AddObject(kind="label", key="kind:late", value="done"))
    assert findings(read(made)) == []
    made = after(RemoveObject(element="label:kind:new"))
    assert "kind:new" not in made["labels"]
    made = after(SetEntry(id="triage-pending", key="question"))
    assert made["labelMapping"]["question"] == "triage-pending"


def test_copied_phases_bring_their_agents():
    fragment = DIALECT.copy(read(), ("review-pending",))
    made = after(Paste(fragment=fragment))
    assert made["phases"]["review-pending-2"]["agent"] == "reviewer"
    empty = json.loads(DIALECT.samples()["blank"][MAIN])
    made = after(Paste(fragment=fragment), value=empty)
    assert made["agents"]["reviewer"]["role"] == "validator"
    assert after(DuplicateState(id="done", new_id="over"))["phases"]["over"] == {"type": "terminal"}


def test_fields_are_set_and_unset():
    made = after(
        SetField(element="state:build-pending", field="/priority", value=7),
        SetField(element="pack", field="/rules/maxCycles", value=3),
        SetField(element="label:done", field="/color", value="000000"),
        SetField(element="label:done", field="/phase", value="blocked"),
        SetField(element="transition:review-pending|changes|build-pending", field="/outcome",
                 value="again"),
        UnsetField(element="pack", field="/rules/cycleDelayMs"),
    )  # fmt: skip
    assert made["phases"]["build-pending"]["priority"] == 7
    assert made["rules"] == {"maxCycles": 3, "maxConsecutivePhases": 3}
    assert made["labels"]["done"]["color"] == "000000"
    assert made["labelMapping"]["done"] == "blocked"
    assert "again" in made["agents"]["reviewer"]["outputPhases"]


REFUSED = [
    Connect(source="done", target="blocked", label="more"),
    Connect(source="review-pending", target="gone", label="more"),
    Connect(source="review-pending", target="done", label="approved"),
    Connect(source="review-pending", target="done", label=" "),
    Retarget(transition="review-pending|approved|done", source="build-pending"),
    Relabel(transition="build-pending|success|review-pending", label="fine"),
    AddState(id="done"),
    AddState(id="new", kind="work"),
    RenameState(id="done", new_id="blocked"),
    SetEntry(id="done"),
    SetField(element="agent:none", field="/role", value="validator"),
    UnsetField(element="pack", field="/labelPrefix"),
    RemoveObject(element="agent:none"),
    Paste(fragment={"dialect": "stages"}),
]


# -- exported


def test_the_export_for_1_14_replaces_the_keys_for_closing():
    whole = base()
    whole["agents"]["reviewer"] |= {"closeOnComplete": True, "closeCondition": "approved"}
    whole["agents"]["triage"]["closeOnComplete"] = False
    (export,) = DIALECT.exports()
    made = export.make(read(whole))
    value = json.loads(made.files[MAIN])
    assert value["agents"]["reviewer"]["closeBinding"] == {
        "primary": {"kind": "direct"}, "cascade": False, "condition": "approved"
    }  # fmt: skip
    assert value["agents"]["triage"]["closeBinding"]["primary"] == {"kind": "none"}
    assert "closeOnComplete" not in json.dumps(value)
    assert findings(read(value)) == []
    with pytest.raises(EditRefused, match=r"keys of 1\.14 already"):
        export.make(read(value))


# -- run


def run(outcomes, inputs=None, value=None):
    """(run, questions) after these outcomes were reported."""
    program = DIALECT.program(read(value), "climpt")
    state, questions = RunState(), []
    events, _ = transition(program, state, Start(at=1.0, inputs=inputs or {}))
    state = fold_all(events, state)
    for said in outcomes:
        (effect,) = pending_effects(state)
        assert isinstance(effect, AskHuman)
        questions.append(effect.question)
        events, _ = transition(
            program, state, Approve(at=2.0, key=effect.key, approve=True, event=said)
        )
        state = fold_all(events, state)
    return state, questions


def test_a_person_reports_the_outcome_of_every_agent():
    state, questions = run(["build", "success", "approved"], {"label": "kind:new"})
    assert state.status == "completed"
    assert dict(state.visits) == {
        "triage-pending": 1, "build-pending": 1, "review-pending": 1, "done": 1
    }  # fmt: skip
    assert [q.split("“")[1].split("”")[0] for q in questions] == ["triage", "builder", "reviewer"]


def test_an_outcome_that_no_agent_lists_takes_the_fallback():
    state, _ = run(["lost"], {"label": "kind:build"})
    assert state.status == "completed"
    assert state.reason == "The issue is in the blocking phase 'blocked' and waits for a person."
    whole = base()
    del whole["agents"]["builder"]["fallbackPhase"]
    state, _ = run(["lost"], {"label": "kind:build"}, whole)
    assert state.reason == "Agent 'builder' has no fallbackPhase for the outcome 'lost'."


def test_the_limits_of_the_rules_end_a_run_before_another_agent_starts():
    rounds = ["success", "changes"] * 9
    whole = base()
    whole["rules"] = {"maxCycles": 4}
    state, questions = run(rounds[:4], {"label": "kind:build"}, whole)
    assert (state.status, len(questions)) == ("budget_exhausted", 4)
    assert state.reason == "Cycle limit exceeded (4/4)."
    whole["rules"] = {"maxConsecutivePhases": 2}
    whole["agents"]["builder"]["outputPhase"] = "build-pending"
    state, _ = run(["success"] * 2, {"label": "kind:build"}, whole)
    assert state.reason == "Same phase repeated 2 times (limit 2)."


def test_an_unknown_label_cannot_start():
    program = DIALECT.program(read(), "climpt")
    with pytest.raises(CannotRun, match="No phase starts at the label 'x'"):
        program.start(RunState(inputs={"label": "x"}))
