"""A few kills of servers and workers; `make chaos` has many."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.chaos.__main__ import QUEUES
from tests.support.live_server import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc")
@pytest.mark.parametrize("queue", QUEUES)
def test_runs_survive_kills_of_workers_and_servers(queue: str) -> None:
    few = ["--kills", "6", "--runs", "6", "--hurry"]
    command = [sys.executable, "-m", "tests.chaos", "--queue", queue, *few]
    done = subprocess.run(
        command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kills                                  6 (" in done.stdout
