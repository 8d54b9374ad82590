"""The command in-process, on packs written for the test."""

from __future__ import annotations

import copy
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from signalbox.cli import main
from signalbox.commands.drawn_diff import _earlier, _left
from signalbox.commands.packs import _packs
from signalbox.project import repository, settings_file
from tests.support.live_server import ROOT

CACHES = (
    _packs,
    _earlier,
    _left,
    repository.root_of,
    repository._opened,
    repository.ignored_below,
    settings_file._search,
)
"""Results that a process keeps, because it runs one command."""

PACK = {
    "$schema": "https://promptpack.org/schema/latest/promptpack.schema.json",
    "id": "review",
    "name": "Review",
    "version": "1.0.0",
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "prompts": {
        name: {
            "id": name,
            "name": name.title(),
            "version": "1.0.0",
            "system_template": f"You {name} the text.",
        }
        for name in ("draft", "review", "publish")
    },
    "workflow": {
        "version": 1,
        "entry": "draft",
        "states": {
            "draft": {"prompt_task": "draft", "on_event": {"Submit": "review"}},
            "review": {
                "prompt_task": "review",
                "on_event": {"Approve": "published", "Reject": "draft"},
            },
            "published": {"prompt_task": "publish", "terminal": True},
        },
        "engine": {"budget": {"max_total_visits": 50}},
    },
}


def with_target(target):
    """The pack with another target of `Approve`: an error if no state has this name."""
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["review"]["on_event"]["Approve"] = target
    return body


@dataclass(frozen=True)
class CommandResult:
    """The output of a command, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def events(self):
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def cli(capfd, tmp_path, monkeypatch):
    """Run one command in an empty folder. `stdin` is what comes on standard input."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=b""):
        for cached in CACHES:
            cached.cache_clear()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfd.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = ended.code
        printed = capfd.readouterr()
        assert "Traceback" not in printed.err
        return CommandResult(code=code, out=printed.out, err=printed.err)

    return run


@pytest.fixture
def pack(tmp_path):
    """A sound pack in a file, with the spelling of a person."""
    path = tmp_path / "review.pack.json"
    path.write_text(json.dumps(PACK, indent=2) + "\n")
    return path


@pytest.fixture
def write(tmp_path):
    """Write a file of the test's folder: JSON for anything but text and bytes."""

    def written(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            path.write_text(text)
        return path

    return written


@pytest.fixture
def faulty(write):
    """A pack with one error: a transition to a missing state."""
    return write("bad.pack.json", with_target("nowhere"))


@dataclass(frozen=True)
class GitFolder:
    """A git repository in a folder, with the settings of no user."""

    root: Path

    def __call__(self, *arguments):
        names = {"NAME": "Test", "EMAIL": "test@example.org"}
        people = {
            f"GIT_{who}_{key}": v for who in ("AUTHOR", "COMMITTER") for key, v in names.items()
        }
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.root.parent),
                "GIT_CONFIG_NOSYSTEM": "1",
                **people,
            },
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self):
        self("add", "--all")
        self("commit", "--quiet", "--message", "change")
        return self("rev-parse", "HEAD")


@pytest.fixture
def git(tmp_path):
    """The test's folder as a git repository without a commit."""
    folder = GitFolder(tmp_path)
    folder("init", "--quiet", "--initial-branch", "main")
    return folder


@pytest.fixture
def shell(git, tmp_path):
    """Run a command with `signalbox` on the path. Programs in `bin` come first."""
    programs = tmp_path.parent / f"{tmp_path.name}-bin"
    programs.mkdir()
    for name, options in (("signalbox", "-m signalbox"), ("python", "")):
        command = programs / name
        command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} {options} "$@"\n')
        command.chmod(0o755)

    def run(*arguments, **variables):
        return subprocess.run(
            arguments,
            cwd=tmp_path,
            env={
                "PATH": f"{programs}:{os.environ['PATH']}",
                "HOME": str(programs),
                "LC_ALL": "C.UTF-8",
                **variables,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    run.programs = programs
    return run
