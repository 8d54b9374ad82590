"""PostgreSQL and Redis out of wheels go with the tests that started them, killed or not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.live_server import ROOT

SCRIPT = """
from tests.support.database_servers import database_address, redis_address
print(database_address().partition("host=")[2], flush=True)
print(redis_address().removeprefix("unix://"), flush=True)
input()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc")
def test_servers_and_their_folders_go_with_a_process_that_is_killed() -> None:
    given = ("SIGNALBOX_TEST_DATABASE", "SIGNALBOX_TEST_REDIS")
    alone = {name: value for name, value in os.environ.items() if name not in given}
    command = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen(
        command, cwd=ROOT, env=alone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as tests:
        assert tests.stdout is not None
        data, socket = (Path(tests.stdout.readline().strip()) for _ in range(2))
        pids = [
            int((data / "postmaster.pid").read_text().split()[0]),
            int((socket.parent / "pid").read_text()),
        ]
        assert all(map(lives, pids))
        tests.kill()
    until = time.monotonic() + 60
    while (left := what_is_left(pids, data.parent, socket.parent)) and time.monotonic() < until:
        time.sleep(0.01)
    assert left == []


def what_is_left(pids: list[int], *folders: Path) -> list[object]:
    return [*filter(lives, pids), *(folder for folder in folders if folder.exists())]


def lives(pid: int) -> bool:
    """Return True if the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
