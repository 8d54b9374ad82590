"""Runs besides the recorded ones: verdicts, schemas, refusals and warnings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.steps_registry.drift_rows import all_of
from tests.dialects.steps_registry.packs import (
    Change,
    definition,
    findings,
    loud,
    pack,
    put,
    setting,
    tree,
)
from tests.dialects.steps_registry.scripted_run import ScriptedRun, play
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.format.prompt_paths import permits
from workflows.core.dialects.steps_registry.format.validators import guard_of
from workflows.core.dialects.steps_registry.program.extractors import extract
from workflows.core.engine.effects import AskModel
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import transition

S = "registry/steps"
FIRST, LATER, LAST = "initial.a", "continuation.a", "closure.a"
STEPS = ".agent/t/prompts/steps"
USER = ".agent/climpt/config/t-steps-user.yml"
PROMPTS = "agent/runner/flow/prompts"


def says(action: str, **more: Any) -> dict[str, Any]:
    return {"next_action": {"action": action}, **more}


HAPPY = [says("next"), says("handoff", summary="s"), says("closing")]
OPEN = [says("next"), says("handoff", summary="s")]


def run(
    change: Change,
    script: list[Any] = HAPPY,
    profile: str = "documented",
    commands: list[Any] | None = None,
    **args: Any,
) -> ScriptedRun:
    whole = tree()
    change(whole)
    vector = {
        "registry": whole["registry"],
        "agentJson": whole["agent"],
        "files": {**whole["files"], ".agent/t/schemas/s.json": json.dumps(whole["schema"])},
        "args": args,
        "llmScript": script,
        "validatorCommandResults": commands or [],
    }
    return play(vector, profile)


def path(played: ScriptedRun) -> list[str]:
    return [step for step, _ in played.path]


def warnings(played: ScriptedRun) -> list[str]:
    return [e.fields["message"] for e in played.events if e.type == "steps_registry.warning"]


def verdict(type: str, **config: Any) -> Change:
    return setting(
        ("agent/runner/verdict", {"type": type, "config": {"maxIterations": 6, **config}})
    )


def on_graph(whole: dict[str, Any]) -> None:
    verdict("detect:graph")(whole)


PENDING = says("wait a moment")
VERDICTS: list[tuple[str, Change, Any, int]] = [
    ("count:iteration", verdict("count:iteration", maxIterations=4), PENDING, 4),
    ("count:check", verdict("count:check", maxChecks=5), PENDING, 5),
    ("detect:keyword", verdict("detect:keyword", verdictKeyword="DONE"), {"__text": "DONE."}, 3),
    ("detect:keyword by default", verdict("detect:keyword"), {"__text": "TASK_COMPLETE"}, 3),
    ("detect:structured", verdict("detect:structured", signalType="s", requiredFields=["x"]),
     {"__text": '```s\n```\n```json\n{"x": 1}\n```'}, 3),
    ("detect:graph", on_graph, {"status": "completed"}, 3),
    ("meta:composite or", verdict("meta:composite", operator="or", conditions=[
        {"type": "count:check", "config": {"maxChecks": 4}}, {"type": "poll:state"}]), PENDING, 4),
    ("meta:composite and", verdict("meta:composite", operator="and", conditions=[
        {"type": "count:check", "config": {"maxChecks": 4}},
        {"type": "count:iteration", "config": {"maxIterations": 5}}]), PENDING, 5),
]  # fmt: skip


@each_row([row[1:] for row in VERDICTS])
def test_a_verdict_ends_a_run_without_closing(change: Change, answer: Any, iterations: int) -> None:
    played = run(change, [*OPEN, answer], "climpt", issue=7)
    assert (len(played.path), played.status) == (iterations, "completed"), played.reason


@each_row(["poll:state", "meta:custom"])
def test_a_verdict_that_asks_others_ends_by_closing_alone(type: str) -> None:
    change = verdict(type, handlerPath="x.ts")
    assert run(change, [*OPEN, PENDING], "climpt", issue=7).status == "budget_exhausted"
    assert run(change, HAPPY, "climpt", issue=7).status == "completed"


def test_poll_state_needs_its_issue_in_climpt() -> None:
    assert run(verdict("poll:state"), HAPPY, "climpt").code == "AC-VERDICT-001"


@each_row(
    [
        ({}, {}, "close"),
        ({"enabled": True, "defaultClosureAction": "label-only"}, {}, "label-only"),
        (
            {"defaultClosureAction": "close"},
            {"closure_action": "label-and-close"},
            "label-and-close",
        ),
    ]
)
def test_a_github_action_is_recorded_and_not_executed(
    given: Any, said: dict[str, Any], action: str
) -> None:
    change = all_of(
        verdict("poll:state"), setting(("agent/runner/integrations", {"github": given}))
    )
    played = run(change, [*OPEN, says("closing", **said)], "climpt", issue=7)
    (told,) = [event for event in played.events if event.type == "steps_registry.boundary"]
    assert {key: told.fields[key] for key in ("step", "action", "done")} == {
        "step": LAST,
        "action": action,
        "done": False,
    }


def _ungated(whole: dict[str, Any]) -> None:
    """No gate anywhere, and a schema whose definition is missing."""
    for item in whole["registry"]["steps"].values():
        for key in ("structuredGate", "transitions"):
            del item[key]
    put(whole, f"{S}/{FIRST}/outputSchemaRef/schema", "gone")


def test_a_missing_definition_costs_climpt_the_iteration_and_then_the_run() -> None:
    climpt = run(_ungated, [{"__text": "x"}], "climpt")
    assert (path(climpt), climpt.code) == ([FIRST, FIRST], "FAILED_SCHEMA_RESOLUTION")
    assert climpt.prompts == []
    documented = run(_ungated, [{"__text": "x"}])
    assert documented.prompts
    assert any("No schema for 'initial.a'" in text for text in warnings(documented))


def test_a_missing_schema_file_is_a_warning_and_nothing_is_sent() -> None:
    def change(whole: dict[str, Any]) -> None:
        _ungated(whole)
        put(whole, f"{S}/{FIRST}/outputSchemaRef/file", "gone.json")

    for profile in DIALECT.profiles:
        played = run(change, [{"__text": "x"}], profile)
        assert played.prompts
        assert any("no such file" in text for text in warnings(played))


MISFITS: list[tuple[str, dict[str, Any], str]] = [
    ("something is missing", says("next"), "lacks mood"),
    ("a value is another", says("next", mood=3), "has another mood than wanted"),
    ("something more", says("next", mood="x", extra=1), "has extra too"),
]


@pytest.mark.parametrize(
    ("answer", "said"), [row[1:] for row in MISFITS], ids=[row[0] for row in MISFITS]
)
@pytest.mark.parametrize("profile", DIALECT.profiles)
def test_a_mismatching_answer_is_reported_and_accepted(
    answer: dict[str, Any], said: str, profile: str
) -> None:
    def change(whole: dict[str, Any]) -> None:
        schema = definition(["next", "repeat"])
        schema["properties"]["mood"] = {"type": "string"}
        whole["schema"][FIRST] = {**schema, "required": ["mood"]}

    played = run(change, [answer, *HAPPY[1:]], profile)
    assert [text for text in warnings(played) if said in text]
    assert played.status == "completed"


@each_row([10**30, [["mood"], {}]])
def test_a_required_list_of_another_shape_stops_no_run(required: Any) -> None:
    played = run(setting((f"schema/{FIRST}/required", required)), HAPPY)
    assert played.status == "completed"


def test_a_missing_handoff_value_is_reported() -> None:
    played = run(setting(), [says("next"), says("handoff"), says("closing")])
    assert "The answer of 'continuation.a' has no summary to hand over." in warnings(played)


def test_a_handoff_from_an_initial_step_is_reported() -> None:
    change = all_of(
        setting(
            (f"{S}/{FIRST}/structuredGate/allowedIntents", ["handoff"]),
            (f"{S}/{FIRST}/transitions/handoff", {"target": LAST}),
            (f"schema/{FIRST}", definition(["handoff"])),
        )
    )
    played = run(change, [says("handoff"), says("closing")], "climpt")
    assert "'initial.a' hands off, which initial steps should not." in warnings(played)
    assert played.status == "completed"


def _uses_issue(whole: dict[str, Any]) -> None:
    put(whole, f"{S}/{FIRST}/uvVariables", ["issue"])
    whole["files"][f"{STEPS}/initial/a/f_default.md"] = "next_action {uv-issue}"


@each_row(["a;b", "$HOME", "x|y", "`id`", "a&b", "<x>"])
def test_a_value_with_a_shell_character_is_refused_by_climpt_alone(value: str) -> None:
    assert run(_uses_issue, HAPPY, "climpt", issue=value).code == "PR-C3L-002"
    played = run(_uses_issue, HAPPY, issue=value)
    assert played.prompts[0] == f"next_action {value}"
    assert played.status == "completed"


def test_a_folder_that_the_path_config_forbids_is_refused_by_climpt() -> None:
    def change(whole: dict[str, Any]) -> None:
        user = 'params:\n  two:\n    layerType:\n      pattern: "^(?!a$)[a-z]+$"\n'
        whole["files"][".agent/climpt/config/t-steps-user.yml"] = user

    assert run(change, HAPPY, "climpt").code == "PR-C3L-002"
    assert {found.code for found in findings(pack(change), "climpt")} >= {"SR405"}


@each_row(
    [
        ("^(a|b)$", "a", True),
        ("^(a|b)$", "c", False),
        ("^[a-z]+(-[a-z]+)*$", "format-error", True),
        ("(", "x", True),
    ]
)
def test_a_folder_is_permitted_by_its_pattern(pattern: str, part: str, permitted: bool) -> None:
    """An invalid pattern permits everything."""
    assert permits(pattern, part) is permitted


def test_a_forbidden_retry_folder_is_reported() -> None:
    def change(whole: dict[str, Any]) -> None:
        guard = {"stepId": "x", "name": "n", "c2": "Retry", "c3": "a", "validationConditions": []}
        whole["registry"]["validationSteps"] = {"closure.iteration": guard}

    (told,) = [found for found in findings(pack(change), "climpt") if found.code == "SR426"]
    assert told.place.pointer == "/validationSteps/closure.iteration/c2"


@pytest.mark.parametrize(
    ("profile", "key"), [("documented", LAST), ("climpt", "closure.iteration")]
)
def test_the_profile_decides_which_of_two_validation_steps_applies(profile: str, key: str) -> None:
    guards = {name: {"name": name} for name in ("closure.iteration", LAST)}
    whole = pack(setting(("registry/validationSteps", guards)))
    assert guard_of(whole, LAST, profile) == (key, guards[key])


def test_a_run_uses_its_registry_regardless_of_agent_json() -> None:
    named = setting(("agent/runner/flow", {"prompts": {"registry": "other.json"}}))
    assert [found.code for found in findings(pack(named)) if found.code == "SR727"] == ["SR727"]
    usual = setting(("agent/runner/flow", {"prompts": {"registry": "steps_registry.json"}}))
    assert not [found for found in findings(pack(usual)) if found.code == "SR727"]


AGENT_PATHS: list[tuple[str, Change, list[str]]] = [
    ("a registry that is not there", setting((PROMPTS, {"registry": "gone.json"})), ["SR427"]),
    ("a folder of old", setting((PROMPTS, {"fallbackDir": "x"})), ["SR427"]),
    ("the usual registry", setting((PROMPTS, {"registry": "steps_registry.json"})), []),
    (
        "a path config without patterns",
        lambda whole: put(whole, "files", {**whole["files"], USER: "params: {}\n"}),
        ["SR416"],
    ),
    (
        "a path pattern of another syntax",
        lambda whole: put(
            whole,
            "files",
            {
                **whole["files"],
                USER: "params: {two: {directiveType: {pattern: '(?P<x>a)'},"
                " layerType: {pattern: a}}}\n",
            },
        ),
        ["SR428"],
    ),
]


@each_row([row[1:] for row in AGENT_PATHS])
def test_missing_values_of_agent_json_and_path_config_are_reported(
    change: Change, codes: list[str]
) -> None:
    assert [
        code for code in ("SR416", "SR427", "SR428") if code in loud(pack(change), "climpt")
    ] == codes


PERMISSIONS = [
    ("the kind's", setting(), "acceptEdits"),
    ("the step's", setting((f"{S}/{FIRST}/permissionMode", "plan")), "plan"),
    (
        "the agent's where there is no kind",
        all_of(
            setting(
                (f"{S}/{FIRST}/stepKind", ...),
                (f"{S}/{FIRST}/c2", "other"),
                ("agent/runner/boundaries", {"permissionMode": "bypassPermissions"}),
            ),
        ),
        "bypassPermissions",
    ),
]


@each_row([row[1:] for row in PERMISSIONS])
def test_the_permission_mode_is_the_steps_then_the_kinds_then_the_agents(
    change: Change, mode: str
) -> None:
    program = DIALECT.program(pack(change), "documented")
    _, effects = transition(program, RunState(), Start(at=1.0, inputs={"issue": "7"}))
    (ask,) = effects
    assert isinstance(ask, AskModel)
    assert ask.parameters["permissionMode"] == mode


OUTPUT = {"stdout": "", "stderr": "", "exit": 1}
EXTRACTED: list[tuple[str, str, dict[str, str], Any]] = [
    ("deno's type errors", "parseTypeErrors",
     {"stderr": "TS2345 [ERROR]: wrong\n    at file:///r/a.ts:3:5\n"},
     [{"file": "/r/a.ts", "line": 3, "column": 5, "message": "TS2345 [ERROR]: wrong"}]),
    ("tsc's type errors", "errors", {"stderr": "src/a.ts(12,4): error TS1: no\n"},
     [{"file": "src/a.ts", "line": 12, "column": 4, "message": "error TS1: no"}]),
    ("a linter's findings", "parseLintErrors",
     {"stderr": "error[no-var]: use let\n --> /r/a.ts:7:2\n  |\n"},
     [{"file": "/r/a.ts", "line": 7, "column": 2, "message": "use let", "rule": "no-var"}]),
    ("files of a linter", "lintFiles", {"stderr": "error[x]: y\n --> a.ts:1:1\n"}, ["a.ts"]),
    ("changed files", "parseChangedFiles", {"stdout": " M a.ts\n?? b.ts\n"}, ["a.ts"]),
    ("untracked files", "parseUntrackedFiles", {"stdout": " M a.ts\n?? b.ts\n"}, ["b.ts"]),
    ("staged files", "parseStagedFiles", {"stdout": "M  a.ts\n M b.ts\n"}, ["a.ts"]),
    ("nobody's extractor", "parseBranchName", {"stdout": "main"}, None),
]  # fmt: skip


@each_row([row[1:] for row in EXTRACTED])
def test_an_extractor_reads_what_commands_write(
    name: str, output: dict[str, str], value: Any
) -> None:
    assert extract(name, {**OUTPUT, **output}) == value


def _checked(extractor: str) -> Change:
    validator = {
        "type": "command",
        "command": "check",
        "successWhen": "exitCode:0",
        "failurePattern": "x",
        "extractParams": {"found": extractor},
    }
    guard = {
        "stepId": LAST,
        "name": "n",
        "c2": "retry",
        "c3": "a",
        "validationConditions": [{"validator": "v"}],
    }
    return all_of(
        setting(
            ("registry/validators", {"v": validator}), ("registry/validationSteps", {LAST: guard})
        ),
        lambda whole: whole["files"].update(
            {f"{STEPS}/retry/a/f_failed.md": "{{summary}}: {{suggestedAction}}"}
        ),
    )


@each_row(
    [
        ("parseChangedFiles", {"stdout": " M a.ts\n"}, "1 file modified: Stage and commit"),
        ("parseTestOutput", {"stdout": "FAILED | a\nFAILED | b\n"}, "2 tests failed: Fix the fail"),
        ("parseTypeErrors", {"stderr": "a.ts(1,1): no\n"}, "1 type error: Fix the type errors"),
        ("stdout", {"stdout": "x"}, ":\n\nThe validator 'v' failed with exit code 1."),
    ]
)
def test_a_retry_prompt_has_what_goes_with_the_extractor(
    extractor: str, output: dict[str, str], asked: str
) -> None:
    failed = {"code": 1, "stdout": "", "stderr": "", **output}
    fine = {"code": 0, "stdout": "", "stderr": ""}
    script = [*HAPPY, says("handoff", summary="s"), says("closing")]
    played = run(_checked(extractor), script, commands=[failed, fine])
    assert played.prompts[3].startswith(asked)
    assert played.status == "completed"


@pytest.mark.parametrize(("profile", "second"), [("documented", LATER), ("climpt", FIRST)])
def test_the_profile_decides_which_fenced_block_is_read(profile: str, second: str) -> None:
    blocks = [f"```json\n{json.dumps(says(action))}\n```" for action in ("repeat", "next")]
    answers = [{"__text": "\nNo:\n".join(blocks)}, *HAPPY]
    assert path(run(lambda whole: None, answers, profile))[1] == second
