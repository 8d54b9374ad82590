"""A repository with a failing test, and the packs that repair it."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path

from tests.dialects.steps_registry.packs import tree
from tests.support.git_repository import git, make_repository
from tests.support.live_server import ROOT

DIALECTS = ROOT / "workflows/core/dialects"
BROKEN = "def add(a, b):\n    return a - b\n"
WRONG = "def add(a, b):\n    return a * b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TEST = (
    "import unittest\n\nfrom calc import add\n\n\nclass Adding(unittest.TestCase):\n"
    "    def test_two_numbers(self):\n        self.assertEqual(add(2, 3), 5)\n"
)
RUN_TESTS = "python3 -B -m unittest -q test_calc"
CLEAN = 'test -z "$(git status --porcelain)"'
COMMIT = "git add --all && git commit --quiet -m 'Add instead of subtracting'"
TASK = "The test of calc.py fails. Repair it."


def make_project(folder: Path) -> Path:
    """The repository, in which the user is at work on something else."""
    files = {"calc.py": BROKEN, "test_calc.py": TEST, "README.md": "A calculator.\n"}
    repository = make_repository(folder, {**files, **climpt_agent()})
    (repository / "README.md").write_text("A calculator, being described.\n")
    (repository / "notes.txt").write_text("mine\n")
    return repository


def climpt_agent() -> dict[str, str]:
    """The files of an agent that works in a work tree and checks tests and `git status`."""
    whole = copy.deepcopy(tree())
    registry, agent = whole["registry"], whole["agent"]
    agent["parameters"] = {}
    agent["runner"]["boundaries"] = {
        "allowedTools": ["Read", "Edit", "Write", "Bash"],
        "permissionMode": "acceptEdits",
    }
    agent["runner"]["execution"] = {"worktree": {"enabled": True, "root": "../worktree"}}
    registry["validators"] = {
        "tests-pass": _validator(RUN_TESTS, "exitCode:0"),
        "git-clean": _validator("git status --porcelain", "empty"),
    }
    registry["failurePatterns"] = {"x": {"description": "d", "edition": "failed"}}
    guard = {
        "stepId": "closure.a",
        "name": "Checks",
        "c2": "retry",
        "c3": "a",
        "validationConditions": [{"validator": "tests-pass"}, {"validator": "git-clean"}],
        "onFailure": {"action": "retry", "maxAttempts": 3},
    }
    registry["validationSteps"] = {"closure.a": guard}
    return {
        **whole["files"],
        ".agent/t/steps_registry.json": json.dumps(registry, indent=2),
        ".agent/t/agent.json": json.dumps(agent, indent=2),
        ".agent/t/schemas/s.json": json.dumps(whole["schema"], indent=2),
    }


def _validator(command: str, success: str) -> dict[str, object]:
    return {
        "type": "command",
        "command": command,
        "successWhen": success,
        "failurePattern": "x",
        "extractParams": {"error": "errorOutput"},
    }


def pack_of(dialect: str, repository: Path, beside: Path) -> Path:
    """Where the pack of this dialect is: in the repository, or a copy of a shipped sample."""
    match dialect:
        case "climpt":
            return repository / ".agent/t"
        case "stages":
            sample = DIALECTS / "stages/samples/feature-delivery"
        case _:
            sample = DIALECTS / "agent_graph/samples/feature-team"
    return Path(shutil.copytree(sample, beside / sample.name))


def check_branch(repository: Path, branch: str) -> None:
    """The branch has one commit, on the user's, with the repaired file; its tests pass."""
    assert git(repository, "rev-list", "--count", f"main..{branch}") == "1"
    assert git(repository, "rev-parse", f"{branch}^") == git(repository, "rev-parse", "main")
    assert git(repository, "diff", "--name-only", "main", branch) == "calc.py"
    assert f"{git(repository, 'show', f'{branch}:calc.py')}\n" == RIGHT
