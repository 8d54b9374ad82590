"""The document's contract, where a mistake would let a run do something else in silence."""

from __future__ import annotations

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
)
from tests.dialects.steps_registry.scripted_run import ScriptedRun
from tests.dialects.steps_registry.test_program import run, says
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.engine.rehearsal.rehearse import Rehearsal, rehearse
from workflows.core.rules.check import check

S = "registry/steps"
PROMPTS = ".agent/t/prompts/steps"
GATE = f"{S}/initial.a/structuredGate"
BASE = ".agent/t/prompts"
CHANGED = {"x": "parseChangedFiles"}
OUTPUT = "FAILED tests/test_a.py\nexpected 2, found 3\n"


def checked(key: str = "closure.a", failure: Any = None, prompt: str = "", **more: Any) -> Change:
    """An agent with one validator, checked before `key` completes."""

    def change(whole: dict[str, Any]) -> None:
        validator = {
            "type": "command", "command": "python -m unittest", "successWhen": "exitCode:0",
            "failurePattern": "red", "extractParams": {"problem": "stdout"}, **more,
        }  # fmt: skip
        guard = {
            "stepId": key, "name": "n", "c2": "retry", "c3": "a",
            "validationConditions": [{"validator": "tests"}],
            "onFailure": {"action": "retry", "maxAttempts": 3} if failure is None else failure,
        }  # fmt: skip
        put(whole, "registry/validators", {"tests": validator})
        put(whole, "registry/failurePatterns", {"red": {"description": "d", "edition": "failed"}})
        put(whole, "registry/validationSteps", {key: guard})
        whole["files"][f"{PROMPTS}/closure/a/f_failed.md"] = prompt or "Repair it."

    return change


def conditional(schema: Any, value: str = "green") -> Change:
    """The first step goes on by a value of its answer, which has this schema."""

    def change(whole: dict[str, Any]) -> None:
        put(whole, f"{GATE}/handoffFields", ["result.light"])
        targets = {value: "continuation.a", "default": "initial.a"}
        put(whole, f"{S}/initial.a/transitions/next", {"condition": "light", "targets": targets})
        result = {"type": "object", "properties": {"light": schema}, "required": ["light"]}
        whole["schema"]["initial.a"]["properties"]["result"] = result
        whole["schema"]["initial.a"]["required"] = ["result"]

    return change


def jumping(field: str) -> Change:
    """The answer of the first step names the target of its jump at this path."""
    return all_of(
        setting(
            (f"{GATE}/allowedIntents", ["next", "repeat", "jump"]), (f"{GATE}/targetField", field)
        ),
        lambda whole: whole["schema"].update({"initial.a": definition(["next", "repeat", "jump"])}),
    )


def moved(base: str, **keys: str) -> Change:
    return setting(
        ("registry/userPromptsBase", base), *((f"registry/{k}", v) for k, v in keys.items())
    )


WRONG: list[tuple[str, Change, list[str]]] = [
    ("a misspelled validation key", checked("closure.aa"), ["SR515"]),
    ("a validation key of a work step", checked("initial.a"), ["SR515"]),
    ("a validation key of nothing", checked("everything"), ["SR515"]),
    ("next without a rule", setting((f"{S}/initial.a/transitions/next", ...)), ["SR718"]),
    ("repeat without a rule", setting((f"{S}/initial.a/transitions/repeat", ...)), ["SR721"]),
    ("no c1", setting(("registry/c1", ...)), ["SR613"]),
    ("a short version", setting(("registry/version", "1.0")), ["SR613"]),
    ("a version in words", setting(("registry/version", "1.0.x")), ["SR613"]),
    ("a misspelled key", setting(("registry/schemaBase", "s")), ["SR614"]),
    ("a misspelled key of a step", setting((f"{S}/initial.a/permisionMode", "plan")), ["SR614"]),
    ("a misspelled key of a gate", setting((f"{GATE}/failfast", True)), ["SR614"]),
    ("a key of the step in its gate", setting((f"{GATE}/transitions", {})), ["SR614"]),
    ("a misspelled limit", checked(failure={"action": "retry", "maxAttempt": 2}), ["SR614"]),
    ("a base without prompts", moved(".agent/t/prompt"), ["SR431"]),
    ("a template without prompts", moved(BASE, pathTemplateNoAdaptation="{c2}.md"), ["SR431"]),
    ("a template of c4", moved(BASE, pathTemplateNoAdaptation="{c4}/f.md"), ["SR431"]),
    ("a misspelled intentField", setting((f"{GATE}/intentField", "next_action.acton")), ["SR311"]),
    ("an intentField of nothing", setting((f"{GATE}/intentField", "action")), ["SR311"]),
    ("a jump target of no schema", jumping("next_action.target"), ["SR311"]),
    ("a condition of no schema", conditional({"type": "object"}), ["SR311"]),
    ("a condition on no value of the enum", conditional({"enum": ["red"]}), ["SR311"]),
    ("another step's schema", setting((f"{S}/initial.a/outputSchemaRef/schema", "closure.a")),
     ["SR304"]),
    ("git's extractor for tests", checked(extractParams=CHANGED), ["SR516"]),
]  # fmt: skip
FINE: list[tuple[str, Change]] = [
    ("a condition on booleans", conditional({"type": "boolean"}, "true")),
    ("a condition on numbers", conditional({"type": "integer"}, "3")),
    ("a condition on free text", conditional({"type": "string"})),
    ("a condition on one of two", conditional({"anyOf": [{"type": "null"}, {"enum": ["green"]}]})),
    ("a validation key of the closure step", checked()),
    ("a validation key of a verdict type", checked("closure.polling")),
    ("a version with a build", setting(("registry/version", "1.0.0-rc.1+build.5"))),
    ("an unknown key like no other", setting(("registry/owner", "me"))),
    ("the prompts' own base", moved(BASE)),
    ("git's extractor for git", checked(command="git status -s", extractParams=CHANGED)),
    (
        "a variable that only a continuation has",
        setting((f"{S}/continuation.a/uvVariables", ["completed_iterations", "iteration"])),
    ),
    (
        "a template of one's own for the adaptation",
        all_of(
            setting(
                ("registry/userPromptsBase", ".agent/t/prompts"),
                ("registry/pathTemplate", "{c1}/{c2}/{c3}/x_{edition}_{adaptation}.md"),
                (f"{S}/initial.a/adaptation", "label"),
            ),
            lambda whole: whole["files"].update({f"{PROMPTS}/initial/a/x_default_label.md": "a"}),
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("change", "codes"), [row[1:] for row in WRONG], ids=[r[0] for r in WRONG])
def test_a_broken_contract_is_found(change: Change, codes: list[str]) -> None:
    assert loud(pack(change)) == codes


@pytest.mark.parametrize("change", [row[1] for row in FINE], ids=[row[0] for row in FINE])
def test_a_kept_contract_is_not(change: Change) -> None:
    assert loud(pack(change)) == []


@pytest.mark.parametrize(
    ("change", "near"),
    [
        (checked("closure.aa"), "closure.a"),
        (setting(("registry/entryStepMaping", {})), "entryStepMapping"),
        (setting((f"{GATE}/owner", "x")), ""),
    ],
)
def test_the_nearest_name_is_suggested(change: Change, near: str) -> None:
    hints = [found.hint for found in findings(pack(change)) if found.code in ("SR515", "SR614")]
    assert hints == ([f"Did you mean {near!r}?"] if near else [])


def failing(change: Change, times: int = 1) -> ScriptedRun:
    red = {"code": 1, "stdout": OUTPUT, "stderr": ""}
    commands = [red] * times + [{"code": 0, "stdout": "", "stderr": ""}]
    answers = [says("next"), says("handoff", summary="s"), says("closing")]
    again = [says("handoff", summary="s"), says("closing")]
    return run(change, answers + again * times, commands=commands)


def test_a_retry_has_what_failed() -> None:
    played = failing(checked())
    assert played.status == "completed"
    assert played.prompts[3].startswith(
        "Repair it.\n\nThe validator 'tests' failed with exit code 1."
    )
    assert "expected 2, found 3" in played.prompts[3]
    assert "- problem: FAILED tests/test_a.py" in played.prompts[3]


@pytest.mark.parametrize("written", ["{{problem}}", "{uv-problem}", "{problem}"])
def test_a_retry_prompt_is_filled_in_either_spelling(written: str) -> None:
    played = failing(
        checked(prompt=f"Mend {written} of {{{{validator}}}} ({{exitCode}}) {{other}}.")
    )
    first = "Mend FAILED tests/test_a.py\nexpected 2, found 3\n of tests (1) {other}."
    assert played.prompts[3] == first


def test_the_prompt_that_is_created_has_what_failed() -> None:
    def unprompted(whole: dict[str, Any]) -> None:
        checked()(whole)
        del whole["files"][f"{PROMPTS}/closure/a/f_failed.md"]

    source = pack(unprompted)
    (missing,) = [found for found in findings(source) if found.code == "SR507"]
    for edit in missing.fix.edits:
        source = DIALECT.apply(source, edit)
    text = source.files[f"{PROMPTS}/closure/a/f_failed.md"].decode()
    prompt = failing(checked(prompt=text)).prompts[3]
    assert "`python -m unittest` ended with exit code 1:" in prompt
    assert prompt.count("expected 2, found 3") == 2, "as output, and as a parameter"


def test_the_reason_of_a_failed_run_is_the_failure() -> None:
    played = failing(checked(), times=5)
    assert played.status == "failed"
    assert played.reason == (
        'Validation aborted for step "closure.a": tests failed 3 times; last: exit 1: '
        "FAILED tests/test_a.py / expected 2, found 3"
    )


def test_without_a_limit_only_the_budget_ends_retries() -> None:
    unlimited = checked(failure={"action": "retry"})
    assert failing(unlimited, times=3).status == "completed"
    (hint,) = [f for f in check(DIALECT, pack(unlimited), "documented") if f.code == "SR804"]
    assert "only the budget" in hint.message


def test_a_runtime_variable_without_a_value_is_empty() -> None:
    first = {f"{PROMPTS}/initial/a/f_default.md": "[{uv-completed_iterations}{uv-repository}]"}
    played = run(lambda whole: whole["files"].update(first))
    assert played.prompts[0] == "[]"


def rehearsed(change: Change) -> Rehearsal:
    source = pack(change)
    graph = DIALECT.graph(source, "documented")
    return rehearse(DIALECT.program(source, "documented"), graph, runs=20)


def test_a_rehearsal_answers_only_as_the_schema_allows() -> None:
    for field in ("next_action.acton", "action"):
        walked = rehearsed(setting((f"{GATE}/intentField", field)))
        assert walked.failed
        assert walked.coverage == 0
        assert f"No value at path: {field}" in walked.notes[0]
    walked = rehearsed(conditional({"enum": ["red"]}))
    assert "initial.a|next: green|continuation.a" in walked.unreached


@pytest.mark.parametrize("others", [["red"], []])
def test_a_default_counts_if_an_answer_leads_to_it(others: list[str]) -> None:
    walked = rehearsed(conditional({"enum": ["green", *others]}))
    taken = "initial.a|next: default|initial.a" in walked.transitions
    assert (taken, walked.coverage) == (others != [], 1.0)


def test_the_finding_names_place_counterexample_and_next_step() -> None:
    source = pack(setting((f"{GATE}/intentField", "next_action.acton")))
    (found,) = [found for found in findings(source) if found.code == "SR311"]
    assert found.place.pointer == "/steps/initial.a/structuredGate/intentField"
    assert found.message == (
        "The gate of 'initial.a' reads 'next_action.acton', but the schema has no 'acton' in "
        "'next_action'."
    )
    assert found.hint.startswith("Did you mean 'next_action.action'? A model answers as in {")
    assert found.fix is not None
    assert loud(DIALECT.apply(source, found.fix.edits[0])) == []
