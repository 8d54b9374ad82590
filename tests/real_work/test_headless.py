"""Real work without a server: `signalbox run` as CI would start it, in a process of its own.

A real repository with a failing test; a Climpt agent, the stage sample `feature-delivery` and an
agent graph; the OpenAI and the Anthropic protocol with a scripted model behind it. The run reads,
edits and runs the tests, fails once, repairs, passes the clean check and leaves a branch with one
commit. The user's branch and work tree stay.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.real_work.coder import Coder
from tests.real_work.project import TASK, check_branch, make_project, pack_of
from tests.support.checks import quick_and_slow
from tests.support.git_repository import ENVIRONMENT, git, users_state
from tests.support.live_server import ROOT
from tests.support.model_server import ModelServer

DIALECTS = ("climpt", "stages", "agent_graph")
MODELS = {"openai": "openai:gpt-4o", "anthropic": "anthropic:claude-opus-4-6"}
BRANCH = "signalbox/repair"
OPTIONS = {
    "climpt": (),
    "stages": ("--input", f"task={TASK}", "--workspace", "git:main"),
    "agent_graph": ("--workspace", "git:main"),
}
APPROVES = {"answers": [{"approve": True}], "repeat_last": True}


@dataclass(frozen=True)
class Ci:
    """Runs on one repository, each a process."""

    repository: Path
    folder: Path
    dialect: str
    wire: str

    def run(self, server: ModelServer, *more: str) -> subprocess.CompletedProcess[str]:
        answers = self.folder / "answers.json"
        answers.write_text(json.dumps(APPROVES))
        pack = pack_of(self.dialect, self.repository, self.folder)
        command = [
            *(sys.executable, "-m", "signalbox", "run", str(pack)),
            *("--driver", "model", "--model", MODELS[self.wire], "--script", str(answers)),
            *("--allow-commands", "--keep-branch", BRANCH, "--json", *more),
            *OPTIONS[self.dialect],
        ]
        address = {f"{self.wire.upper()}_BASE_URL": server.url(self.wire)}
        key = {f"{self.wire.upper()}_API_KEY": "sk-secret-of-ci"}
        environment = {**ENVIRONMENT, **address, **key}
        environment |= {"PYTHONPATH": str(ROOT), "TMPDIR": str(self.folder)}
        return subprocess.run(
            command, cwd=self.repository, env=environment, capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip


JOURNEYS = [(dialect, wire) for dialect in DIALECTS for wire in MODELS]


@pytest.fixture(params=quick_and_slow(JOURNEYS[:1], JOURNEYS[1:]), ids="-".join)
def ci(request: pytest.FixtureRequest, tmp_path: Path) -> Ci:
    """Every dialect with every wire; `make test` has the first."""
    folder = tmp_path / "ci"
    folder.mkdir()
    return Ci(make_project(tmp_path / "project"), folder, *request.param)


def check(ci: Ci, coder: Coder, before: tuple[str, ...]) -> None:
    """Check the branch, and that the state of the user's repository is unchanged."""
    check_branch(ci.repository, BRANCH)
    assert coder.saw("FAILED (failures=1)"), "The failing test never reached the model."
    if ci.dialect == "stages":
        assert coder.saw("the test suite is still failing")
    git(ci.repository, "branch", "-D", BRANCH)
    assert users_state(ci.repository) == before
    assert git(ci.repository, "worktree", "list").count("\n") == 0
    assert git(ci.repository, "for-each-ref", "refs/signalbox") == ""
    assert git(ci.repository, "fsck", "--strict", "--no-dangling") == ""


def test_the_test_is_repaired_on_a_branch(ci: Ci) -> None:
    before, coder = users_state(ci.repository), Coder()
    report = ci.folder / "report.xml"
    with ModelServer(otherwise=coder) as server:
        done = ci.run(server, "--junit", str(report))
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr
    assert "sk-secret-of-ci" not in done.stdout + done.stderr
    suite = ElementTree.parse(report).getroot()
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    check(ci, coder, before)
