"""Real work on a server that is killed with SIGKILL while a command runs or a file is changed."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real_work.coder import Coder
from tests.real_work.on_server import ServerUser
from tests.real_work.project import check_branch, make_project, pack_of
from tests.support.git_repository import git, users_state
from tests.support.live_server import LiveServer
from tests.support.model_server import ModelServer
from tests.support.processes import ends

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc")

BRANCH = "signalbox/repair"
JOURNEYS = (
    ("climpt", "anthropic"),
    pytest.param("stages", "openai", marks=pytest.mark.slow),
    pytest.param("agent_graph", "anthropic", marks=pytest.mark.slow),
)
LINES = 12
"""Edits of the run that is killed while it edits, and the kills."""
KILLS = 2


@pytest.fixture
def user(tmp_path: Path) -> Iterator[ServerUser]:
    folder = tmp_path / "data"
    (folder / "repositories").mkdir(parents=True)
    server = LiveServer(
        folder,
        SIGNALBOX_COMMANDS="1",
        SIGNALBOX_ISOLATION="none",  # A sandbox hides the pipe and the process ids.
        SIGNALBOX_REPOSITORIES=str(folder / "repositories"),
        SIGNALBOX_PRIVATE_HOSTS="127.0.0.1",
    )
    server.start()
    server.sign_in()
    yield ServerUser(server, make_project(folder / "repositories/project"))
    server.end(signal.SIGKILL)
    assert "Traceback" not in server.log


@pytest.mark.parametrize(("dialect", "wire"), JOURNEYS)
def test_a_run_continues_after_a_kill_during_its_command(
    user: ServerUser, tmp_path: Path, dialect: str, wire: str
) -> None:
    before, fifo, go = users_state(user.repository), tmp_path / "fifo", tmp_path / "go"
    os.mkfifo(fifo)
    wait = f'echo "$SIGNALBOX_EFFECT $$" > {fifo}; until test -e {go}; do sleep 0.05; done'
    coder = Coder(first=f"test -e {go} || {{ {wait}; }}; ")
    with ModelServer(otherwise=coder) as models:
        user.connect(wire, models)
        pack = user.bring(pack_of(dialect, user.repository, tmp_path / "packs"))
        run = user.start(pack, driver="model", connection=wire)
        effect, left = fifo.read_text().split()
        user.server.end(signal.SIGKILL)
        assert ends(int(left)), "The command of the killed server still runs."
        user.server.start()
        repeated, pid = fifo.read_text().split()
        assert (repeated, pid != left) == (effect, True)
        go.touch()
        assert user.end(run) == "completed", user.events(run)[-5:]
    events = user.events(run)
    check_log(events)
    again = [event for event in events if event["type"] == "effect.repeated"]
    assert [(f"{run}:{event['key']}", event["for"]) for event in again] == [(effect, "tool")]
    check_end(user, run, before)


def test_edits_are_applied_once_by_a_server_that_is_killed(
    user: ServerUser, tmp_path: Path
) -> None:
    before = users_state(user.repository)
    done = {"name": "submit_done", "arguments": {}}
    calls = [*(edit(number) for number in range(LINES)), done]
    script = {"replies": [{"tool_calls": [call]} for call in calls]}
    pack = user.bring(editing_pack(tmp_path / "editing"))
    run = user.start(pack, driver="script", script=script, delay_ms=20)
    for kill in range(1, KILLS + 1):
        wait_for_line(user, run, LINES * kill // (KILLS + 1))
        user.server.end(signal.SIGKILL)
        user.server.start()
    assert user.end(run) == "completed", user.events(run)[-5:]
    events = user.events(run)
    check_log(events)
    results = [event["result"] for event in events if event["type"] == "tool.returned"]
    assert results[1:] == ["Changed lines.txt."] * (LINES - 1)
    user.keep(run, BRANCH)
    kept = git(user.repository, "show", f"{BRANCH}:lines.txt").splitlines()
    assert kept == [*(f"line {n}" for n in range(LINES)), "end"]
    git(user.repository, "branch", "-D", BRANCH)
    assert users_state(user.repository) == before


def test_the_work_tree_of_a_run_that_was_cancelled_after_a_kill_is_removed(
    user: ServerUser, tmp_path: Path
) -> None:
    before, fifo = users_state(user.repository), tmp_path / "fifo"
    os.mkfifo(fifo)
    coder = Coder(first=f'echo "$$" > {fifo}; sleep 600; ')
    with ModelServer(otherwise=coder) as models:
        user.connect("openai", models)
        pack = user.bring(pack_of("stages", user.repository, tmp_path / "packs"))
        run = user.start(pack, driver="model", connection="openai")
        left = int(fifo.read_text())
        trees = user.server.data / "workspaces"
        assert list(trees.glob(f"{run}/*"))
        user.server.end(signal.SIGKILL)
        user.server.start()
        repeated = int(fifo.read_text())
        user.server.post(f"runs/{run}/signals/", {"type": "cancel"})
        assert user.end(run) == "cancelled"
        while list(trees.glob(f"{run}/*")):
            time.sleep(0.01)
    assert ends(left)
    assert ends(repeated)
    assert users_state(user.repository) == before


def check_log(events: list[dict[str, Any]]) -> None:
    """Nothing is lost, and each effect has one answer; a repetition is an event."""
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    for kind in ("model.asked", "model.replied", "tool.called", "tool.returned"):
        keys = Counter(event["key"] for event in events if event["type"] == kind)
        assert set(keys.values()) <= {1}, kind
    finished = [event for event in events if event["type"] == "run.finished"]
    assert len(finished) == 1


def check_end(user: ServerUser, run: str, before: tuple[str, ...]) -> None:
    """One branch with one commit, and no remains of the run."""
    user.keep(run, BRANCH)
    check_branch(user.repository, BRANCH)
    git(user.repository, "branch", "-D", BRANCH)
    assert users_state(user.repository) == before
    assert git(user.repository, "worktree", "list").count("\n") == 0
    assert git(user.repository, "fsck", "--strict", "--no-dangling") == ""
    assert not (user.server.data / "workspaces" / run).exists()
    assert not (user.server.data / "workspaces/.effects" / run).exists()


def edit(number: int) -> dict[str, Any]:
    """An edit that would add its line again if it were applied again."""
    new = f"line {number}\nend\n"
    arguments = {"file_path": "lines.txt", "old_string": "end\n", "new_string": new}
    if number == 0:
        return {"name": "write", "arguments": {"file_path": "lines.txt", "content": new}}
    return {"name": "edit", "arguments": arguments}


def editing_pack(folder: Path) -> Path:
    """A pipeline of one stage that may write and edit."""
    (folder / "stages").mkdir(parents=True)
    head = {
        "id": "done",
        "name": "Done",
        "completionTool": "submit_done",
        "completionSchema": {"type": "object"},
        "retryPolicy": {"maxAttempts": 1, "backoff": "none"},
        "turnCap": 2 * LINES,
        "resolutionPolicy": "retry-later",
        "allowedTools": ["write", "edit"],
    }
    front = "".join(f"{key}: {json.dumps(value)}\n" for key, value in head.items())
    (folder / "stages/done.md").write_text(f"---\n{front}---\nAdd lines.\n")
    pipeline = {
        "format": "signalbox.stud-pipeline/1",
        "id": "editing",
        "name": "editing",
        "entryStage": "done",
        "stages": {
            "done": {
                "file": "stages/done.md",
                "next": {"nextStages": [], "execution": "sequential"},
            }
        },
    }
    (folder / "pipeline.json").write_text(json.dumps(pipeline))
    return folder


def wait_for_line(user: ServerUser, run: str, number: int) -> None:
    """Return at once when the file in the work tree has this line."""
    trees = user.server.data / "workspaces" / run
    wanted = f"line {number}\n"
    while not any(wanted in file.read_text() for file in trees.glob("*/lines.txt")):
        time.sleep(0.002)
