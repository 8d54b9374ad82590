"""`signalbox run` with tools, commands and a workspace: real git and real commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import PACK
from tests.runner.test_tools import MCP
from tests.support.git_repository import ENVIRONMENT, git, make_repository, users_state
from tests.support.live_server import ROOT
from workflows.runner.workspaces import RunPlace, WorkspaceChoice, open_workspace

TOOL = {"description": "Does it.", "parameters": {"type": "object"}}


def calls(tool, **arguments):
    return {"tool_calls": [{"name": tool, "arguments": arguments}]}


def returned(said, tool):
    """The result of the only call of this tool."""
    made = [e for e in said.events if e["type"] == "tool.called" and e["name"] == tool]
    (key,) = {event["key"] for event in made if event.get("key")}
    (done,) = [e for e in said.events if e["type"] == "tool.returned" and e.get("key") == key]
    return done["result"] or done["error"]


def with_tools(*names):
    """A pack whose first prompt may call these tools."""
    pack = json.loads(json.dumps(PACK))
    pack["tools"] = {name: {"name": name, **TOOL} for name in names}
    pack["prompts"]["draft"]["tools"] = list(names)
    return pack


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """The working directory: a repository in which the user is at work."""
    folder = make_repository(tmp_path / "project", {"a.txt": "one\n"})
    (folder / "mine.txt").write_text("not committed\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return folder


def does(*replies):
    ends = [{"event": "Submit"}, {"event": "Approve"}, {"text": "Published."}]
    return {"replies": [*replies, *ends]}


@pytest.fixture
def play(cli, write, repository):
    """Run a pack with the tools `work` and `shell`."""

    def played(script, *options):
        path = write("work.pack.json", with_tools("work", "shell"))
        os.chdir(repository)
        given = ("--script", write("script.json", script), "--json")
        return run("run", path, *given, *options)

    def run(*arguments):
        os.chdir(repository)
        return cli(*arguments)

    return played


WRITE = ("--tool", 'work=files{"operation": "write"}')
SHELL = ("--tool", "shell=command")
IN_GIT = ("--workspace", "git:HEAD")


def test_changes_become_a_branch(play, repository):
    before = users_state(repository)
    script = does(calls("work", path="new.txt", content="new\n"))
    said = play(script, *WRITE, *IN_GIT, "--keep-branch", "work/new")
    assert said.code == 0, said.err
    assert "1 changed file, kept as branch work/new" in said.err
    assert said.events[0]["workspace"]["ref"] == "HEAD"
    assert git(repository, "diff", "--stat", "main", "work/new").startswith("new.txt")
    assert git(repository, "rev-list", "--count", "main..work/new") == "1"
    git(repository, "branch", "-D", "work/new")
    assert users_state(repository) == before
    assert git(repository, "for-each-ref", "refs/signalbox") == ""
    assert git(repository, "worktree", "list").count("\n") == 0


def test_without_a_name_the_changes_are_kept_by_a_ref(play, repository):
    said = play(does(calls("work", path="new.txt", content="new\n")), *WRITE, *IN_GIT)
    assert said.code == 0
    (ref,) = git(repository, "for-each-ref", "--format=%(refname)", "refs/signalbox").splitlines()
    assert f"kept in {ref}" in said.err
    assert git(repository, "show", f"{ref}:new.txt") == "new"


def test_a_command_needs_leave(play, repository):
    script = does(calls("shell", command="echo hello > out.txt && pwd"))
    given = (*SHELL, "--workspace", ".")
    waits = play(script, *given)
    assert "the tool shell (--allow-commands)" in waits.err
    assert waits.code == 4
    assert not (repository / "out.txt").exists()
    ran = play(script, *given, "--allow-commands")
    assert ran.code == 0
    assert returned(ran, "shell").strip() == str(repository)
    assert (repository / "out.txt").read_text() == "hello\n"
    assert "the tool shell" not in ran.err


def test_people_see_calls_that_failed_or_were_not_made(cli, write, tmp_path):
    pack = write("work.pack.json", with_tools("work", "shell"))
    script = does(calls("work", path="/etc/x", content="no"), calls("shell"))
    given = ("--script", write("script.json", script), *WRITE, *SHELL, "--allow-commands")
    said = cli("run", pack, *given)
    assert "the call failed: “/etc/x” is outside the workspace." in said.out
    assert "the call failed: The call needs `command`." in said.out


def test_options_for_tools_that_the_pack_does_not_name_are_mentioned(play):
    said = play(does(), *WRITE, "--tool", "wrok=command", "--mcp", "gh=false")
    assert "The pack names no tool 'wrok' (--tool)." in said.err
    assert "The pack names no tool of the server 'gh' (--mcp)." in said.err
    assert "'work'" not in said.err


def test_a_copy_of_the_pack_is_removed_and_its_diff_shown(play, tmp_path):
    said = play(does(calls("work", path="new.txt", content="new\n")), *WRITE)
    assert said.code == 0
    assert "+new" in said.err
    left = [path for path in tmp_path.glob("signalbox-*/**/*") if path.name != ".effects"]
    assert left == []


def test_an_mcp_server_of_the_command_line(play, monkeypatch):
    command = " ".join(MCP)
    named = ("--tool", "work=mcp" + json.dumps({"command": MCP, "tool": "add"}))
    said = play(does(calls("work", a=2, b=40)), *named, "--mcp", f"here={command}")
    assert said.code == 0, said.err
    assert "42" in returned(said, "work")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workspace", "git:nowhere"), "no commit 'nowhere'"),
        (("--workspace", "missing"), "no folder missing"),
        (("--keep-branch", "x"), "--keep-branch needs a git work tree"),
        ((*IN_GIT, "--keep-branch", "main"), "exists already"),
        ((*IN_GIT, "--keep-branch", "a..b"), "not a valid branch name"),
        (("--tool", "work"), "not NAME=KIND"),
        (("--tool", "work=magic"), "no kind 'magic'"),
        (("--tool", "work=files{"), "not NAME=KIND"),
        (("--tool", 'work=files{"operation": "fly"}'), "'fly' is not one of"),
        (("--tool", 'work=http{"url": 1}'), "is not of type 'string'"),
        (("--tool", "work=mcp"), "one of `connected`, `command` and `url`"),
        (("--mcp", "x"), "not NAME=COMMAND"),
        (("--mcp", 'x="'), "not NAME=COMMAND"),
        (("--log", "work.pack.json"), "not the log of a run"),
    ],
)
def test_bad_options_are_refused_before_the_run(play, tmp_path, repository, options, message):
    (repository / "work.pack.json").write_text("{}\n")
    said = play(does(), *options)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert len(said.err.splitlines()) <= 2


def test_junit(play, tmp_path):
    path = tmp_path / "out.xml"
    assert play(does(), "--junit", path).code == 0
    suite = ElementTree.parse(path).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "0")
    assert play({"replies": []}, "--junit", path).code == 1
    suite = ElementTree.parse(path).getroot()
    assert suite.get("failures") == "1"
    assert "no reply left" in suite.find("testcase/failure").get("message")


def test_a_killed_run_continues_from_its_log(repository, write, tmp_path):
    """The work tree, the events and the answers so far are all there again."""
    pack = write("work.pack.json", with_tools("work", "shell"))
    log = tmp_path / "run.jsonl"
    kill = "kill -9 $(ps -o ppid= -p $PPID)"  # The parent is the supervisor of the command.
    slow = does(
        calls("work", path="new.txt", content="new\n"),
        calls(
            "shell",
            command=f"test -e {tmp_path}/go || {{ {kill}; exit; }}; echo more >> new.txt",
        ),
    )
    command = [
        sys.executable, "-m", "signalbox", "run", str(pack), "--script",
        str(write("script.json", slow)), *WRITE, *SHELL, *IN_GIT, "--allow-commands",
        "--log", str(log), "--keep-branch", "done",
    ]  # fmt: skip
    environment = {
        **ENVIRONMENT,
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(tmp_path),
        "SIGNALBOX_ISOLATION": "none",
    }

    def played():
        return subprocess.run(
            command, cwd=repository, env=environment, capture_output=True, text=True, check=False
        )

    assert played().returncode == -signal.SIGKILL
    assert list(tmp_path.glob("signalbox-*/*/signalbox-*"))
    before = log.read_bytes()
    log.write_bytes(before + b'{"n": 99, "at"')
    (tmp_path / "go").touch()
    ended = played()
    assert ended.returncode == 0, ended.stderr
    assert log.read_bytes().startswith(before)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    assert git(repository, "show", "done:new.txt") == "new\nmore"
    assert list(tmp_path.glob("signalbox-*/*/signalbox-*")) == []
    assert played().returncode == 0
    assert log.read_text().count("run.finished") == 1
    git(repository, "branch", "-D", "done")
    assert played().returncode == 0


def test_the_work_of_a_killed_run_is_saved_by_the_next(play, repository, write, tmp_path):
    root = tmp_path / f"signalbox-{os.getuid()}"
    base = git(repository, "rev-parse", "HEAD")
    choice = WorkspaceChoice(kind="git", path=str(repository / ".git"), ref="HEAD", base=base)
    tree = open_workspace(RunPlace(root=root, name="left-over", choice=choice)).folder
    (tree / "a.txt").write_text("half done\n")
    (root / "left-over/pid").write_text("999999999")
    said = play(does(), *IN_GIT)
    ref = "refs/signalbox/runs/left-over"
    assert f"kept in {ref}" in said.err
    assert git(repository, "show", f"{ref}:a.txt") == "half done"
    assert not tree.exists()


def test_the_installed_command_runs_without_settings(repository, write):
    """No Django settings, no database: as after `pip install`."""
    pack = write("work.pack.json", with_tools("work"))
    done = subprocess.run(
        [sys.executable, "-m", "signalbox", "run", str(pack)],
        cwd=repository,
        env={**ENVIRONMENT, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "completed" in done.stdout
    assert not Path(repository, "var").exists()
