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


EVERY = 2
"""Of so many packs of the corpus one is run, so that the suite stays quick."""


def test_no_pack_starts_a_process(tmp_path: Path) -> None:
    ours = {name: value for name, value in os.environ.items() if "SIGNALBOX" not in name}
    corpus = os.environ.get("SIGNALBOX_CORPUS")
    made = subprocess.run(
        [sys.executable, "-m", "tests.runner.process_audit", str(EVERY)],
        cwd=ROOT,
        env={
            **ours,
            **({"SIGNALBOX_CORPUS": corpus} if corpus else {}),
            "SIGNALBOX_DATA": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert made.returncode == 0, made.stderr[-4000:]
    told: dict[str, Any] = json.loads(made.stdout.splitlines()[-1])
    assert told["heard"] == []
    assert told["packs"] >= (200 if corpus else 10)
    assert told["runs"] >= (60 if corpus else 20)
    assert told["dialects"] == ["agent_graph", "promptpack", "stages", "steps_registry"]
    for what in ("converted", "bound", "tools", "commands", "yes"):
        assert told[what] > 0, what


@pytest.mark.parametrize(
    "how",
    [
        "subprocess.run(['true'])",
        "os.system('true')",
        "os.fork() or os._exit(0)",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))",
    ],
)
def test_the_process_audit_detects_processes_and_connections(how: str) -> None:
    probe = (
        "import os, socket, subprocess, sys; from tests.runner import process_audit as p;"
        f"sys.addaudithook(p.hear); {how}; print(len(p.heard))"
    )
    made = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(made.stdout) > 0
