"""Reading, checking and running a pack starts no process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.checks import quick_or_slow
from tests.support.corpus import CORPUS, FULL, at_least
from tests.support.first_database import NAME, copy_migrated_database

pytestmark = pytest.mark.sqlite

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("every", quick_or_slow(48, 1))
def test_no_pack_starts_a_process(tmp_path: Path, every: int) -> None:
    """Every sample, and one in `every` packs of the corpus."""
    copy_migrated_database(tmp_path / NAME)
    ours = {name: value for name, value in os.environ.items() if "SIGNALBOX" not in name}
    made = subprocess.run(
        [sys.executable, "-m", "tests.runner.process_audit", str(every)],
        cwd=ROOT,
        env={
            **ours,
            **({"SIGNALBOX_CORPUS": str(CORPUS)} if FULL else {}),
            "SIGNALBOX_DATA": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert made.returncode == 0, made.stderr[-4000:]
    told: dict[str, Any] = json.loads(made.stdout.splitlines()[-1])
    assert told["heard"] == []
    assert told["packs"] >= (at_least(200, 50) if every == 1 else 20)
    assert told["runs"] >= (at_least(60, 50) if every == 1 else 30)
    assert told["dialects"] == [
        "agent_graph",
        "climpt_workflow",
        "promptpack",
        "stages",
        "steps_registry",
        "workflow_scripts",
    ]
    for what in ("converted", "bound", "tools", "commands", "yes"):
        assert told[what] > 0, what


HEARD = """
import os, socket, subprocess, sys
from tests.runner import process_audit
sys.addaudithook(process_audit.hear)
for statement in sys.argv[1:]:
    exec(statement)
    print(len(process_audit.heard) > 0)
    process_audit.heard.clear()
"""


def test_the_process_audit_detects_processes_and_connections() -> None:
    statements = [
        "subprocess.run(['true'])",
        "os.system('true')",
        "os.fork() or os._exit(0)",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))",
    ]
    made = subprocess.run(
        [sys.executable, "-c", HEARD, *statements],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert made.stdout.split() == ["True"] * len(statements)
