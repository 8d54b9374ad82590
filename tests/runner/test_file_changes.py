"""Changes of files survive a kill at any point, and are applied once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from workflows.runner.effect_journal import EffectJournal
from workflows.runner.tools import file_changes, workspace
from workflows.runner.tools.base import Context, ToolFailed
from workflows.runner.tools.files import TOOL

BEFORE = "one\ntwo\n"
CALLS: dict[str, tuple[dict[str, Any], str, str]] = {
    "write": ({"content": "three\n"}, "three\n", "Wrote 6 characters to a.txt."),
    "edit": ({"old_string": "two", "new_string": "two!"}, "one\ntwo!\n", "Changed a.txt."),
    "multi-edit": (
        {"edits": [{"old_string": "two", "new_string": "two two"}]},
        "one\ntwo two\n",
        "Made 1 changes in a.txt.",
    ),
}


class Killed(BaseException):
    """The process ended here."""


def context(root: Path, operation: str, key: str = "run:1") -> Context:
    async def folder() -> Path:
        return root / "workspace"

    return Context(
        name=operation,
        pack=1,
        key=key,
        settings={"operation": operation},
        secrets={},
        commands=False,
        private_hosts=(),
        workspace=folder,
        journal=EffectJournal(folder=root / "journal", key=key),
    )


def call(root: Path, operation: str, key: str = "run:1") -> str:
    arguments, _, _ = CALLS[operation]
    return asyncio.run(
        TOOL.call({"file_path": "a.txt", **arguments}, context(root, operation, key))
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace/a.txt").write_text(BEFORE)
    return tmp_path


def kill_before_the_write(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: Any) -> None:
        raise Killed

    monkeypatch.setattr(workspace, "write", write)


def kill_during_the_write(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_: Path, path: Path, __: str, text: str) -> None:
        path.write_text(text[:3])
        raise Killed

    monkeypatch.setattr(workspace, "write", write)


def kill_after_the_write(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = workspace.write

    def write(*arguments: Any) -> None:
        whole(*arguments)
        raise Killed

    monkeypatch.setattr(workspace, "write", write)


def kill_before_the_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = file_changes._record

    def record(journal: EffectJournal, values: Any) -> None:
        whole(journal, values)
        if "text" not in values:
            raise Killed

    monkeypatch.setattr(file_changes, "_record", record)


KILLS = (
    kill_before_the_write,
    kill_during_the_write,
    kill_after_the_write,
    kill_before_the_answer,
)


@pytest.mark.parametrize("kill", KILLS)
@pytest.mark.parametrize("operation", CALLS)
def test_a_change_that_was_killed_is_applied_once(
    root: Path, monkeypatch: pytest.MonkeyPatch, operation: str, kill: Any
) -> None:
    _, after, result = CALLS[operation]
    with monkeypatch.context() as patched:
        kill(root, patched)
        with pytest.raises(Killed):
            call(root, operation)
    assert call(root, operation) == result
    assert (root / "workspace/a.txt").read_text() == after
    assert call(root, operation) == result
    assert (root / "workspace/a.txt").read_text() == after


def test_another_call_with_the_same_arguments_is_another_change(root: Path) -> None:
    for key in ("run:1", "run:2"):
        assert call(root, "edit", key) == "Changed a.txt."
    assert (root / "workspace/a.txt").read_text() == "one\ntwo!!\n"


def test_an_interrupted_change_does_not_overwrite_a_later_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        kill_before_the_write(root, patched)
        with pytest.raises(Killed):
            call(root, "edit")
    (root / "workspace/a.txt").write_text("another hand\n")
    with pytest.raises(ToolFailed, match="the file was changed since"):
        call(root, "edit")
    assert (root / "workspace/a.txt").read_text() == "another hand\n"


def test_a_new_file_is_written_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "workspace/a.txt").unlink()
    with monkeypatch.context() as patched:
        kill_before_the_write(root, patched)
        with pytest.raises(Killed):
            call(root, "write")
    assert call(root, "write") == "Wrote 6 characters to a.txt."
    assert (root / "workspace/a.txt").read_text() == "three\n"
