"""Sentences of the format documents that no table and no example of them shows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.dialects.promptpack.packs import pack as pack_tree
from tests.dialects.promptpack.packs import source as pack_source
from tests.dialects.promptpack.test_evals import an_eval, measured, through
from tests.dialects.stages.run.scripted_run import ScriptedRun as StageRun
from tests.dialects.stages.run.scripted_run import then
from tests.dialects.steps_registry.packs import setting
from tests.dialects.steps_registry.test_contract import checked
from tests.dialects.steps_registry.test_program import run, says
from workflows.core.dialects import dialects
from workflows.core.dialects.agent_graph.program.fixed_prompt import system
from workflows.core.prompts.modes import IMPLEMENTATION, PLANNING, PREAMBLES
from workflows.core.prompts.role_templates.resolve import shipped
from workflows.core.rules.check import check

S = "registry/steps"
GATE = f"{S}/initial.a/structuredGate"


# -- steps registry ------------------------------------------------------------------------------


def test_a_question_carries_the_schema_and_its_answer_leads_on_by_the_intent() -> None:
    played = run(lambda whole: None)
    asked = [event.fields["effect"] for event in played.events if event.type == "model.asked"]
    enums = [
        one["schema"]["properties"]["next_action"]["properties"]["action"]["enum"] for one in asked
    ]
    assert enums == [["next", "repeat"], ["repeat", "handoff"], ["closing", "repeat"]]
    read = [event.fields["intent"] for event in played.events if event.type == "intent.read"]
    assert read == ["next", "handoff", "closing"]
    assert [step for step, _ in played.path] == ["initial.a", "continuation.a", "closure.a"]


@pytest.mark.parametrize(
    ("mapping", "entry", "first"),
    [
        ({"count:iteration": "continuation.a"}, "initial.a", "continuation.a"),
        ({"poll:state": "continuation.a"}, "initial.a", "initial.a"),
        (None, "continuation.a", "continuation.a"),
        ({"poll:state": "continuation.a"}, ..., ""),
    ],
)
def test_a_run_enters_by_the_verdict_then_by_entry_step(
    mapping: dict[str, str] | None, entry: Any, first: str
) -> None:
    pairs = [("registry/entryStep", entry)]
    pairs += [("registry/entryStepMapping", mapping)] if mapping else []
    played = run(setting(*pairs), [says("handoff", summary="s"), says("closing")])
    if first:
        assert played.path[0][0] == first
    else:
        assert (played.path, played.status) == ([], "failed")
        assert "No entry step configured" in played.reason


@pytest.mark.parametrize(
    ("gate", "answer", "ends"),
    [
        ({}, says("dance"), "failed"),
        ({"failFast": True, "fallbackIntent": "next"}, says("dance"), "failed"),
        ({"failFast": False, "fallbackIntent": "next"}, says("dance"), "continuation.a"),
        ({"failFast": False, "fallbackIntent": "next"}, {"other": 1}, "continuation.a"),
        ({}, {"other": 1}, "failed"),
    ],
)
def test_an_intent_that_cannot_be_resolved_fails_unless_the_gate_has_a_fallback(
    gate: dict[str, Any], answer: dict[str, Any], ends: str
) -> None:
    change = setting(*((f"{GATE}/{key}", value) for key, value in gate.items()))
    played = run(change, [answer, says("handoff", summary="s"), says("closing")])
    assert ends in (played.status, played.path[1][0] if len(played.path) > 1 else "")


def two(first: int, second: int) -> Any:
    """Two validators, in this order, that end with these exit codes."""

    def change(whole: dict[str, Any]) -> None:
        checked()(whole)
        tests = whole["registry"]["validators"]["tests"]
        whole["registry"]["validators"]["types"] = {**tests, "command": "make types"}
        guard = whole["registry"]["validationSteps"]["closure.a"]
        guard["validationConditions"].append({"validator": "types"})

    results = [{"code": code, "stdout": "", "stderr": ""} for code in (first, second, 0, 0)]
    again = [says("handoff", summary="s"), says("closing")]
    return run(change, [says("next"), *again, *again], commands=results)


def test_validators_run_in_order_before_a_run_completes() -> None:
    def commands(played: Any) -> list[str]:
        return [
            event.fields["effect"]["command"]
            for event in played.events
            if event.type == "command.asked"
        ]

    passed = two(0, 0)
    assert passed.status == "completed"
    assert len(passed.path) == 3
    assert commands(passed) == [["sh", "-c", line] for line in ("python -m unittest", "make types")]
    for codes in ((1, 0), (0, 1)):
        failed = two(*codes)
        assert len(failed.path) == 5, "closing was not taken as completion"
        assert failed.status == "completed"


@pytest.mark.parametrize(
    ("success", "exit", "output", "passes"),
    [
        ("empty", 0, "", True), ("empty", 0, " M a.py\n", False),
        ("exitCode:0", 0, "noise", True), ("exitCode:0", 3, "", False),
        ("exitCode:3", 3, "noise", True), ("exitCode:3", 0, "", False),
    ],
)  # fmt: skip
def test_a_check_passes_without_output_or_by_its_exit_code(
    success: str, exit: int, output: str, passes: bool
) -> None:
    script = [says("next"), says("handoff", summary="s"), says("closing")]
    again = [says("handoff", summary="s"), says("closing")]
    results = [{"code": exit, "stdout": output, "stderr": ""}]
    failure = {"action": "retry", "maxAttempts": 1}
    played = run(checked(successWhen=success, failure=failure), script + again, commands=results)
    assert (played.status == "completed") == passes


# -- PromptPack ----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["prompts", "fragments", "tools"])
def test_a_collection_is_a_map_and_not_a_list(key: str) -> None:
    found = check(dialects()["promptpack"], pack_source(pack_tree({key: []})), "documented")
    assert ("PP112", f"/{key}") in {(one.code, one.place.pointer) for one in found}


def test_an_eval_has_its_message_and_groups() -> None:
    scripted = measured(an_eval(message="Be good.", groups=["tone"]))
    through(scripted, "Hm.")
    found = scripted.last("promptpack.eval").fields
    assert (found["message"], found["groups"]) == ("Be good.", ["tone"])


# -- stages --------------------------------------------------------------------------------------


def test_assert_sees_parse_errors_and_accepts_or_refuses_a_cap() -> None:
    schema = {"type": "object", "required": ["summary"]}
    wrong = {"path": "ctx.attempts[0].parseError", "op": "exists", "value": False}
    rule = {"unless": wrong, "verdict": "fail", "reason": "It failed to fit."}
    for submits, verdict in ((1, "ok"), (2, "fail")):
        now = StageRun({"a": {"assert": [rule]}}, {"a": {"completionSchema": schema}})
        for payload in ({}, {"summary": "s"})[2 - submits :]:
            now.submit(**payload)
        assert now.result("a")["verdict"] == verdict
    for accepts in (True, False):
        cap = {"path": "result.capHit", "op": "equals", "value": accepts}
        rules = {"a": {"assert": [{"unless": cap, "verdict": "fail", "reason": "cap"}]}}
        now = StageRun(rules, {"a": {"turnCap": 1}})
        now.say("I am nearly done.")
        assert now.result("a")["verdict"] == ("ok" if accepts else "fail")


def test_a_completion_tool_is_known_to_its_own_stage_only() -> None:
    heads = {"a": {"completionTool": "submit"}, "b": {"completionTool": "hand_in"}}
    now = StageRun({"a": {"next": then("b")}, "b": {}}, heads)
    assert [tool.name for tool in now.wanted().tools] == ["submit"]
    now.submit(plan="x")
    asked = now.wanted()
    assert [tool.name for tool in asked.tools] == ["hand_in"]
    assert asked.messages == (), "nothing of the first transcript"
    types = {event.type for event in now.log}
    assert {"stages.assert", "stages.exit"} <= types
    assert not types & {"stages.tool", "tool.called", "approval.asked"}
    assert now.program.requires == {"toolCalling": "hard"}


# -- agent graphs --------------------------------------------------------------------------------


def test_a_shipped_template_has_the_recommended_parts() -> None:
    texts = shipped()
    assert set(texts) == {"orchestrator", "planner", "implementer", "reviewer", "investigator"}
    for name, text in texts.items():
        assert re.search(r"(?m)^You ", text), f"{name}: identity"
        assert text.count("\n## ") >= 3, f"{name}: responsibilities"
        assert "\n## Limits\n" in text, f"{name}: constraints"
        assert re.search(r"(?i)\b(reply|end the turn) with|what to reply", text), f"{name}: output"
    does = {
        "orchestrator": ("Hand each step", "Read the diff", "documentation disagree"),
        "planner": ("Where we stand", "Acceptance criteria", "below `docs/` only"),
        "implementer": ("change the code", "Run the tests", "as a diff"),
        "reviewer": ("Run the checks", "Risks", "Verdict"),
        "investigator": ("fast", "Findings", "You write no files"),
    }
    for name, words in does.items():
        assert [word for word in words if word not in texts[name]] == [], name


def test_the_first_block_describes_the_system() -> None:
    text = system(orchestrator=True)
    for words in ("graph of agents", "every prompt is recorded", "mode of the run", "in circles"):
        assert words in text


def test_each_mode_lists_what_it_allows() -> None:
    planning, implementation = PREAMBLES[PLANNING], PREAMBLES[IMPLEMENTATION]
    for words in ("Read what you need", "below docs/", "ask for the mode to be switched"):
        assert words in planning
    for words in ("Code may be changed", "Documents may be changed", "Run tests"):
        assert words in implementation
