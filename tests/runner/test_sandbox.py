"""A pack's command gets a folder, time and room to write, and nothing else of the server."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from tests.support.processes import all_end
from workflows.runner import sandbox


def shell(script: str) -> tuple[str, str, str]:
    return "sh", "-c", script


async def test_a_command_ends_with_its_own_exit_code_and_output(tmp_path: Path) -> None:
    ended = await sandbox.run(shell("echo out; echo err >&2; exit 3"), folder=tmp_path, timeout=120)
    assert (ended.exit, ended.stdout, ended.stderr) == (3, "out\n", "err\n")


async def test_a_background_child_does_not_delay_the_result(tmp_path: Path) -> None:
    word = f"3{secrets.randbelow(10**8):08}"
    script = f"sleep {word} & echo done"
    ended = await sandbox.run(shell(script), folder=tmp_path, timeout=120)
    assert (ended.exit, ended.stdout) == (0, "done\n")
    assert all_end(word)


async def test_a_command_with_endless_output_is_killed(tmp_path: Path) -> None:
    ended = await sandbox.run(("yes",), folder=tmp_path, timeout=120)
    assert ended.stderr.startswith("Stopped: it wrote too much.")
    assert len(ended.stdout) < sandbox.OUTPUT_LIMIT + 100


async def test_output_over_the_limit_is_cut_with_a_note(tmp_path: Path) -> None:
    script = f"head -c {sandbox.OUTPUT_LIMIT + 7} /dev/zero | tr '\\0' x"
    ended = await sandbox.run(shell(script), folder=tmp_path, timeout=120)
    assert ended.exit == 0
    half = "x" * (sandbox.OUTPUT_LIMIT // 2)
    assert ended.stdout == f"{half}\n… 7 bytes left out …\n{half}"


@pytest.mark.parametrize("command", [("no-such-command-here",), ("bad\0name",), ("",)])
async def test_a_command_that_cannot_be_started_returns_127(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    ended = await sandbox.run(command, folder=tmp_path, timeout=120)
    assert ended.exit == sandbox.NOT_FOUND
    assert "cannot be started" in ended.stderr


def test_a_workspace_is_filled_once(tmp_path: Path) -> None:
    folder = sandbox.workspace(tmp_path / "all", "run-1", {"docs/a.md": b"one"})
    (folder / "docs/a.md").write_bytes(b"changed by a command")
    again = sandbox.workspace(tmp_path / "all", "run-1", {"docs/a.md": b"one"})
    assert again == folder
    assert (folder / "docs/a.md").read_bytes() == b"changed by a command"
    assert [path.name for path in (tmp_path / "all").iterdir()] == ["run-1"]
