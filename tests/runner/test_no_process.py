"""Where the operator does not allow commands no process starts, whatever a pack says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def done_with(folders: list[Path], data: Path) -> dict[str, Any]:
    """What came of the samples and the packs in these folders, in a process of its own."""
    ours = {name: value for name, value in os.environ.items() if "SIGNALBOX" not in name}
    made = subprocess.run(
        [sys.executable, "-m", "tests.runner.processless", *map(str, folders)],
        cwd=ROOT,
        env={**ours, "SIGNALBOX_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert made.returncode == 0, made.stderr[-4000:]
    told: dict[str, Any] = json.loads(made.stdout.splitlines()[-1])
    return told


def test_no_pack_of_ours_starts_a_process(tmp_path: Path) -> None:
    told = done_with([], tmp_path)
    assert told["started"] == []
    assert told["packs"] >= 10
    assert told["runs"] >= 20
    assert min(told["bound"], told["tools"], told["commands"]) > 0


@pytest.mark.parametrize(
    "how", ["subprocess.run(['true'])", "os.system('true')", "os.fork() or os._exit(0)"]
)
def test_a_process_would_have_been_heard(how: str) -> None:
    probe = (
        "import os, subprocess, sys; from tests.runner import processless as p;"
        f"sys.addaudithook(p.hear); {how}; print(len(p.started))"
    )
    made = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(made.stdout) > 0
