"""Real work without a server: `signalbox run` as CI would start it, in a process of its own.

A real repository with a failing test; a Climpt agent, the stage sample `feature-delivery` and an
agent graph; the OpenAI and the Anthropic protocol with a scripted model behind it. The run reads,
edits and runs the tests, fails once, repairs, passes the clean check and leaves a branch with one
commit. The user's branch and work tree stay, and a kill -9 in the middle loses nothing.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.real_work.coder import Coder
from tests.real_work.project import TASK, check_branch, make_project, pack_of
from tests.support.git_repository import ENVIRONMENT, git, users_state
from tests.support.live_server import ROOT
from tests.support.model_server import ModelServer
from tests.support.processes import ends

DIALECTS = ("climpt", "stages", "agent_graph")
MODELS = {"openai": "openai:gpt-4o", "anthropic": "anthropic:claude-opus-4-6"}
BRANCH = "signalbox/repair"
OPTIONS = {
    "climpt": (),
    "stages": ("--input", f"task={TASK}", "--workspace", "git:main"),
    "agent_graph": ("--workspace", "git:main"),
}
APPROVES = {"answers": [{"approve": True}], "repeat_last": True}


@dataclass
class Ci:
    """Runs on one repository, each a process."""

    repository: Path
    folder: Path
    dialect: str
    wire: str
    process: subprocess.Popen[bytes] | None = field(default=None)
    settings: dict[str, str] = field(default_factory=dict)

    def run(self, server: ModelServer, *more: str) -> subprocess.CompletedProcess[str]:
        self.start(server, *more)
        return self.end()

    def start(self, server: ModelServer, *more: str) -> None:
        answers = self.folder / "answers.json"
        answers.write_text(json.dumps(APPROVES))
        pack = pack_of(self.dialect, self.repository, self.folder / os.urandom(4).hex())
        command = [
            *(sys.executable, "-m", "signalbox", "run", str(pack)),
            *("--driver", "model", "--model", MODELS[self.wire], "--script", str(answers)),
            *("--allow-commands", "--keep-branch", BRANCH, "--json", *more),
            *OPTIONS[self.dialect],
        ]
        address = {f"{self.wire.upper()}_BASE_URL": server.url(self.wire)}
        key = {f"{self.wire.upper()}_API_KEY": "sk-secret-of-ci"}
        environment = {**ENVIRONMENT, **address, **key}
        environment |= self.settings | {"PYTHONPATH": str(ROOT), "TMPDIR": str(self.folder)}
        # Files, because the run would stop when a pipe is full.
        with (self.folder / "out").open("w") as out, (self.folder / "err").open("w") as err:
            self.process = subprocess.Popen(
                command, cwd=self.repository, env=environment, stdout=out, stderr=err
            )

    def end(self) -> subprocess.CompletedProcess[str]:
        assert self.process is not None
        code = self.process.wait(timeout=120)
        out, err = ((self.folder / name).read_text() for name in ("out", "err"))
        return subprocess.CompletedProcess(self.process.args, code, out, err)

    def kill(self) -> None:
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)


JOURNEYS = [(dialect, wire) for dialect in DIALECTS for wire in MODELS]


def journeys(*quick: int) -> pytest.MarkDecorator:
    """Every dialect with every wire; `make test` has these of them."""
    rows = [
        pytest.param(one, id="-".join(one), marks=[] if n in quick else [pytest.mark.slow])
        for n, one in enumerate(JOURNEYS)
    ]
    return pytest.mark.parametrize("ci", rows, indirect=True)


@pytest.fixture
def ci(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ci]:
    dialect, wire = request.param
    folder = tmp_path / "ci"
    folder.mkdir()
    ci = Ci(make_project(tmp_path / "project"), folder, dialect, wire)
    yield ci
    if ci.process is not None and ci.process.poll() is None:
        ci.kill()
        ci.end()


@pytest.fixture
def serve() -> Iterator[Callable[[Coder], ModelServer]]:
    servers: list[ModelServer] = []

    def started(coder: Coder) -> ModelServer:
        server = ModelServer(otherwise=coder)
        servers.append(server.__enter__())
        return server

    yield started
    for server in servers:
        server.__exit__()


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


@journeys(0)
def test_the_test_is_repaired_on_a_branch(ci: Ci, serve: Callable[[Coder], ModelServer]) -> None:
    before, coder = users_state(ci.repository), Coder()
    report = ci.folder / "report.xml"
    done = ci.run(serve(coder), "--junit", str(report))
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr
    assert "sk-secret-of-ci" not in done.stdout + done.stderr
    suite = ElementTree.parse(report).getroot()
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    check(ci, coder, before)


@journeys()
def test_a_kill_in_the_middle_loses_nothing(ci: Ci, serve: Callable[[Coder], ModelServer]) -> None:
    before, log = users_state(ci.repository), ci.folder / "run.jsonl"
    coder = Coder(kill_at=5, kill=ci.kill)
    server = serve(coder)
    killed = ci.run(server, "--log", str(log))
    assert killed.returncode == -signal.SIGKILL, killed.stdout[-3_000:] + killed.stderr
    recorded = log.read_bytes()
    done = ci.run(server, "--log", str(log))
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr
    assert log.read_bytes().startswith(recorded)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    answered = [event["key"] for event in events if event["type"] == "model.replied"]
    assert len(answered) == len(set(answered)) == len(coder.requests) - 1
    assert [event.get("for") for event in events if event["type"] == "effect.repeated"] == [None]
    check(ci, coder, before)


@pytest.mark.skipif(sys.platform != "linux", reason="Processes are found in /proc")
@journeys()
def test_a_command_that_was_killed_is_repeated_and_recorded(
    ci: Ci, serve: Callable[[Coder], ModelServer]
) -> None:
    ci.settings["SIGNALBOX_ISOLATION"] = "none"  # A sandbox hides the pipe and the process ids.
    before, log = users_state(ci.repository), ci.folder / "run.jsonl"
    fifo, go = ci.folder / "fifo", ci.folder / "go"
    os.mkfifo(fifo)
    wait = f'echo "$SIGNALBOX_EFFECT $$" > {fifo}; until test -e {go}; do sleep 0.05; done'
    coder = Coder(first=f"test -e {go} || {{ {wait}; }}; ")
    server = serve(coder)
    ci.start(server, "--log", str(log))
    effect, left = fifo.read_text().split()
    ci.kill()
    ci.end()
    assert ends(int(left)), "The command of the killed run still runs."
    ci.start(server, "--log", str(log))
    assert fifo.read_text().split()[0] == effect
    go.touch()
    done = ci.end()
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr
    events = [json.loads(line) for line in log.read_text().splitlines()]
    again = [event for event in events if event["type"] == "effect.repeated"]
    assert [(event["key"], event["for"]) for event in again] == [(effect.partition(":")[2], "tool")]
    check(ci, coder, before)
