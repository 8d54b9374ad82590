"""Test vectors of the reference runtime: machines, packs and templates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT, pack, prompt, source
from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.format.templates import render
from workflows.core.dialects.promptpack.program.predicates import PredicateError, holds
from workflows.core.dialects.promptpack.program.state_machine import Machine, Refusal
from workflows.core.engine.effects import CallTool
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold
from workflows.core.engine.program import Take
from workflows.core.engine.run import RunState
from workflows.core.rules.check import check

NOT_COUNTED = {
    "snapshots": "the numbered events contain the values at every transition",
}
RULES_BY_MESSAGE: dict[str, str] = {
    "workflow.version must be": "PP201",
    "workflow.entry": "PP202",
    ".prompt_task": "PP203",
    ".on_event[": "PP204",
    ".persistence": "PP206",
    ".orchestration": "PP113",
    "requires a composition": "PP110",
    "only valid with orchestration composition": "PP207",
    "workflow contains a cycle": "PP220",
    "terminal state has on_event": "PP213",
    "no on_event and no max_visits": "PP214",
}
"""Message of the reference runtime → the code of our rule."""


def vectors(corpus: Path, *kinds: str) -> list[dict[str, Any]]:
    text = (corpus / "promptpack/vectors/vectors.json").read_text(encoding="utf-8")
    return [vector for vector in json.loads(text) if vector["kind"] in kinds]


class Replay:
    """A machine with its run so far."""

    def __init__(self, workflow: dict[str, Any]) -> None:
        self.machine = Machine.of(Parts({"workflow": workflow}))
        self.state = self.machine.entry
        self.run = RunState()
        self.at = 1_000.0
        self.event("run.started", inputs={})
        self.event("state.entered", position="0", state=self.state)

    def event(self, type: str, **fields: Any) -> None:
        self.run = fold(self.run, Event(n=self.run.n + 1, at=self.at, type=type, fields=fields))

    def fire(self, event: str) -> Take | Refusal:
        found = self.machine.fire(self.run, self.state, event)
        if isinstance(found, Take):
            self.event("transition.taken", transition=f"{self.state}|{event}|{found.target}")
            self.event("state.entered", position="0", state=found.target)
            self.state = found.target
        return found

    def set_artifact(self, name: str, value: str) -> None:
        mode = self.machine.mode(self.state, name)
        self.event("artifact.set", position="0", name=name, value=value, mode=mode)


def test_the_machine_agrees_with_the_reference(corpus: Path) -> None:
    played = vectors(corpus, "machine")
    assert len(played) >= 16
    for vector in played:
        replay = Replay(vector["workflow"])
        for step in vector["steps"]:
            play(replay, step, vector["id"])


def play(replay: Replay, step: dict[str, Any], id: str) -> None:
    result: Take | Refusal | None = None
    before = replay.state
    for _ in range(step.get("tool_calls", 0)):
        replay.event("tool.called", position="0", name="t", arguments={})
    if "advance_sec" in step:
        replay.at += step["advance_sec"]
        replay.event("promptpack.time")
    if "set_artifact" in step:
        replay.set_artifact(*step["set_artifact"])
    if "fire" in step:
        result = replay.fire(step["fire"])
    for name, wanted in step.get("expect", {}).items():
        if name not in NOT_COUNTED:
            assert seen(replay, result, name, before) == wanted, (id, step, name)


def seen(replay: Replay, result: Take | Refusal | None, name: str, before: str) -> Any:
    spec = replay.machine.states.get(replay.state)
    match name:
        case "state" | "to":
            return replay.state
        case "from":
            return before
        case "terminal":
            return replay.machine.ends(replay.state)
        case "events":
            return list(spec.events) if spec and not replay.machine.ends(replay.state) else []
        case "visits":
            return dict(replay.run.visits)
        case "transitions":
            return replay.run.transitions
        case "artifacts":
            return dict(replay.run.artifacts)
        case "error":
            return result.code if isinstance(result, Refusal) else None
        case "message":
            return result.message if isinstance(result, Refusal) else None
        case "limit" | "current" | "max" | "visit_count" | "max_visits" | "from_state":
            return result.fields.get(name) if isinstance(result, Refusal) else None
        case "redirected" | "original_target":
            return getattr(result, name, None)
        case "redirect_reason":
            return replay.machine.redirect_reason(result) if isinstance(result, Take) else None
    raise AssertionError(f"a vector expects {name}, which nobody looks at")


def test_findings_agree_with_the_reference(corpus: Path) -> None:
    judged = vectors(corpus, "workflow_validation")
    assert len(judged) >= 13
    for vector in judged:
        tree = pack({"workflow": vector["workflow"], "prompts": {}})
        tree["prompts"] = {key: prompt(key) for key in vector["prompts"]} or {"x": prompt("x")}
        found = {item.code: item.level for item in check(DIALECT, source(tree), "documented")}
        for sentence in vector["errors_contain"]:
            assert found.get(rule_for(sentence)) == "error", (vector["id"], found)
        for sentence in vector["warnings_contain"]:
            assert found.get(rule_for(sentence)) == "warning", (vector["id"], found)
        for sentence in vector["warnings_exclude"]:
            assert rule_for(sentence) not in found, (vector["id"], found)
        if not vector["errors_contain"]:
            assert "error" not in found.values(), (vector["id"], found)


def rule_for(sentence: str) -> str:
    """The rule with the longest matching part of this message."""
    known = [piece for piece in RULES_BY_MESSAGE if piece in sentence]
    return RULES_BY_MESSAGE[max(known, key=len)]


def test_templates_are_filled_in_like_the_reference(corpus: Path) -> None:
    filled = vectors(corpus, "template")
    assert len(filled) >= 6
    for vector in filled:
        rendered = render(vector["template"], vector["vars"], {})
        wanted = vector["expect"]
        if isinstance(wanted, str):
            assert (rendered.text, rendered.error) == (wanted, ""), vector["id"]
        else:
            assert rendered.error.startswith(wanted["error"]), vector["id"]


def test_predicates_agree_with_the_reference(corpus: Path) -> None:
    predicates = vectors(corpus, "predicate")
    assert len(predicates) >= 18
    for vector in predicates:
        if vector["expect"] == "error":
            with pytest.raises(PredicateError):
                holds(vector["predicate"], vector["scope"])
        else:
            answer = holds(vector["predicate"], vector["scope"])
            assert answer == vector["expect"], vector["id"]


@pytest.mark.parametrize("profile", DIALECT.profiles)
def test_compositions_run_like_the_reference(corpus: Path, profile: str) -> None:
    composed = vectors(corpus, "composition")
    assert len(composed) >= 7
    for vector in composed:
        scripted = composition_of(vector, profile)
        calls = []
        while scripted.run.status == "running":
            calls.append(scripted.effects[0].state.removeprefix("c/"))
            answer(scripted, vector["step_outputs"][calls[-1]])
        expected = vector["expect"]
        assert calls == expected.get("calls", calls), vector["id"]
        done = scripted.last("promptpack.composition.completed")
        assert done.fields["output"] == expected["output"], vector["id"]
        assert scripted.run.status == "completed", vector["id"]


def composition_of(vector: dict[str, Any], profile: str) -> ScriptedRun:
    """The composition of a vector, in a workflow with one state."""
    state = {"orchestration": "composition", "composition": "c", "terminal": True}
    tree = {
        "prompts": {"p": prompt("p")},
        "tools": {"t": {"name": "t", "description": "A tool."}},
        "compositions": {"c": vector["composition"]},
        "workflow": {"version": 1, "entry": "run", "states": {"run": state}},
    }
    return ScriptedRun(tree, profile=profile, inputs={"input": json.dumps(vector["input"])})


def answer(scripted: ScriptedRun, output: Any) -> None:
    """Answer the oldest effect with this output: as JSON for a tool, unchanged for a model."""
    effect = scripted.effects[0]
    if isinstance(effect, CallTool):
        scripted.tool(json.dumps(output), state=effect.state)
    elif isinstance(output, str):
        scripted.reply(effect.state, text=output)
    else:
        scripted.reply(effect.state, structured=output)


def test_every_kind_of_vector_is_tested(corpus: Path) -> None:
    text = (corpus / "promptpack/vectors/vectors.json").read_text(encoding="utf-8")
    full_pack = {vector["kind"] for vector in json.loads(text)}
    machine = {"machine", "workflow_validation", "template"}
    assert full_pack == machine | {"predicate", "composition"}


@each_row([1, 5, 9])
def test_texts_of_the_pack_expand_to_a_limited_depth(depth: int) -> None:
    texts = {f"t{level}": f"{{{{t{level + 1}}}}}" for level in range(depth)}
    texts[f"t{depth}"] = "end"
    assert render("{{t0}}", texts, {}).text == "end"


def test_a_value_of_the_run_is_inserted_once_and_never_scanned() -> None:
    rendered = render(
        "{{said}} {{greeting}}",
        {"greeting": "Hello {{name}}"},
        {"said": "{{secret}}", "name": "{{said}}", "secret": "hunter2"},
    )
    assert rendered.text == "{{secret}} Hello {{said}}"
    assert rendered.unresolved == ()
