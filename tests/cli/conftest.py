"""The command in-process, on packs written for the test."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass

import pytest

from signalbox.cli import main
from signalbox.commands.packs import _packs

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
        _packs.cache_clear()
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
