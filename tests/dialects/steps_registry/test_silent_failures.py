"""Commands of checks that fail without output: the document's reading and upstream's."""

from __future__ import annotations

from typing import Any

from tests.dialects.steps_registry.drift_rows import LAST
from tests.dialects.steps_registry.packs import Change, findings, pack, setting
from tests.dialects.steps_registry.test_program import HAPPY, run
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry.format.success_when import succeeded
from workflows.core.dialects.steps_registry.format.vocabulary import VALIDATION_KEY

NO_REPOSITORY = {
    "code": 128,
    "stdout": "",
    "stderr": "fatal: not a git repository (or any of the parent directories): .git\n",
}


def _clean(success: str = "empty", key: str = LAST) -> Change:
    validator = {
        "type": "command",
        "command": "git status --porcelain",
        "successWhen": success,
        "failurePattern": "x",
        "extractParams": {},
    }
    guard = {
        "stepId": key,
        "name": "n",
        "c2": "retry",
        "c3": "a",
        "validationConditions": [{"validator": "git-clean"}],
        "onFailure": {"action": "abort"},
    }
    return setting(
        ("registry/validators", {"git-clean": validator}),
        ("registry/validationSteps", {LAST: guard} | dict.fromkeys(VALIDATION_KEY.values(), guard)),
    )


def checks(played: Any) -> list[tuple[str, str]]:
    return [
        (event.type, event.fields.get("message", ""))
        for event in played.events
        if event.type.startswith("check.")
    ]


def test_git_outside_a_repository_passes_no_check() -> None:
    played = run(_clean(), HAPPY, commands=[NO_REPOSITORY])
    said = NO_REPOSITORY["stderr"].strip()
    assert checks(played) == [("check.failed", f"exit 128: {said}")]
    assert played.status == "failed"


def test_upstream_passes_it_and_the_event_has_the_error() -> None:
    played = run(_clean(), HAPPY, "climpt", commands=[NO_REPOSITORY])
    said = f"exit 128: {NO_REPOSITORY['stderr'].strip()}"
    assert set(checks(played)) == {("check.passed", said)}


@each_row(
    [
        ("empty", 0, "", True, True),
        ("empty", 0, " M a\n", False, False),
        ("empty", 127, "", False, True),
        ("empty", 1, "\n", False, True),
        ("matches:^$", 1, "", False, True),
        ("contains:", 1, "", False, True),
        ("contains:ok", 1, "ok", True, True),
        ("matches:ok", 1, "ok", True, True),
        ("exitCode:1", 1, "", True, True),
        ("exitCode:0", 1, "", False, False),
    ]
)
def test_silence_after_a_failure_is_no_result(
    success: str, exit: int, stdout: str, documented: bool, climpt: bool
) -> None:
    validator = {"successWhen": success}
    assert succeeded(validator, exit, stdout, silence_counts=False) is documented
    assert succeeded(validator, exit, stdout, silence_counts=True) is climpt


@each_row(
    [("empty", 1), ("matches:^$", 1), ("contains:", 1), ("exitCode:0", 0), ("contains:ok", 0)]
)
def test_a_check_that_fails_open_in_climpt_is_a_hint(success: str, found: int) -> None:
    notes = [one for one in findings(pack(_clean(success))) if one.code == "SR729"]
    assert len(notes) == found
    assert all(one.level == "hint" and "git-clean" in one.message for one in notes)
