"""Set-up of a fresh checkout: seconds, disk, and the start and memory of an idle server.

    python -m bench.installation

Copies the tracked files to a temporary folder and runs `make .make/run .make/canvas` there: a
virtual environment, the libraries of pip and npm, and the built canvas. Caches of pip and npm are
those of this machine. If the packages cannot be had, for example without a network, the rows have
the reason, and start and memory are measured with the libraries of this checkout. "start to first
answer" is the time from the start of the command to the answer of the sign-in page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from bench._rows import Row, print_rows
from bench.waiting_runs import megabytes
from tests.support.live_server import free_port
from tests.support.wheel import copy_checkout

PATIENCE = 600.0
SETTLES = 5.0
"""Seconds after the first answer until memory is measured."""
MOST_SECONDS, MOST_DISK, MOST_MEMORY = 30.0, 250.0, 100.0
NODE_RED = 11.0
QUOTED = "2026-11-22"
STARTS = 3


def installed(checkout: Path) -> tuple[float, str]:
    """Seconds of the set-up, and the reason if it failed."""
    began = time.perf_counter()
    try:
        result = subprocess.run(
            ["make", "--silent", ".make/run", ".make/canvas", f"PYTHON={sys.executable}"],
            cwd=checkout,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 0.0, f"{type(error).__name__}"
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if "ERR" in line] or ["make failed"]
        return 0.0, f"the packages could not be installed ({lines[0].strip()[:100]})"
    return time.perf_counter() - began, ""


def disk(folder: Path) -> float:
    """Megabytes of the files in a folder, each inode once."""
    sizes = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            status = path.stat()
            sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values()) / 1e6


def started(python: Path, checkout: Path, data: Path) -> tuple[float, float]:
    """Seconds to the first answer, and megabytes of the idle server."""
    port = free_port()
    began = time.perf_counter()
    process = subprocess.Popen(
        [python, "-m", "signalbox", "serve", "--port", str(port)],
        cwd=checkout,
        # As `make run`, which keeps bytecode.
        env={
            **os.environ,
            "SIGNALBOX_DATA": str(data),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "",
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        links = (re.search(r"http://\S+sign-in/", line) for line in process.stdout)
        urllib.request.urlopen(next(link.group() for link in links if link)).close()
        took = time.perf_counter() - began
        time.sleep(SETTLES)
        return took, megabytes(process.pid)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        checkout = copy_checkout(folder / "checkout", canvas=False)
        own = disk(checkout)
        seconds, problem = installed(checkout)
        found = {"value": None, "missing": problem} if problem else {"value": seconds}
        size = {"value": None, "missing": problem} if problem else {"value": disk(checkout) - own}
        print_rows(
            (
                Row(
                    name="set-up", unit="s", goal=MOST_SECONDS, **found,  # type: ignore[arg-type]
                    peer=NODE_RED, peer_name="Node-RED", quoted=QUOTED,
                ),
                Row(name="set-up, disk", unit="MB", goal=MOST_DISK, **size),  # type: ignore[arg-type]
            )
        )  # fmt: skip
        if problem:
            python, program = Path(sys.executable), Path(__file__).resolve().parent.parent
        else:
            python, program = checkout / ".venv/bin/python", checkout
        data = folder / "data"
        started(python, program, data)  # This one migrates the database.
        starts = [started(python, program, data) for _ in range(STARTS)]
        shutil.rmtree(data)
    print_rows(
        (
            Row(name="start to first answer", value=min(one for one, _ in starts), unit="s"),
            Row(
                name="memory of an idle server",
                value=min(size for _, size in starts),
                unit="MB",
                goal=MOST_MEMORY,
            ),
        )
    )


if __name__ == "__main__":
    main()
