"""Processes of a killed worker are found by the key of their effect, and ended."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.processes import is_alive
from workflows.runner.left_processes import effect_environment, end_left_processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Processes are found in /proc")
PATH = {"PATH": os.environ["PATH"]}


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "fifo")
    return tmp_path / "fifo"


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()


def test_commands_of_the_run_and_their_children_are_ended(
    fifo: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    for run in ("first", "second"):
        script = f"setsid sh -c 'echo $$ > {fifo}; sleep 600' & sleep 600"
        environment = {**PATH, **effect_environment(run, "k1")}
        started.append(
            subprocess.Popen(["sh", "-c", script], env=environment, start_new_session=True)
        )
    # Opened for writing too, so that the end of one writer is not the end of what is read.
    with os.fdopen(os.open(fifo, os.O_RDWR)) as reading:
        children = [int(reading.readline()) for _ in started]
    other, mine = sorted(children, key=lambda pid: b"=first:" in environ(pid))
    assert end_left_processes("first") >= 3
    # 137 if the shell saw the end of its own child first.
    assert started[0].wait(120) in (-9, 137)
    assert not is_alive(mine)
    assert is_alive(other)
    assert started[1].poll() is None
    assert end_left_processes("second") >= 3
    assert end_left_processes("second") == 0


def environ(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()
