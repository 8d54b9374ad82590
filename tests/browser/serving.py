"""The product as people start it: `signalbox serve` in a process of its own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where it listens, its one-time link, and a folder it may write repositories in."""

    url: str
    link: str
    repositories: Path
    env: dict[str, str]
    data: Path
    process: subprocess.Popen[str]

    def stop(self) -> None:
        """Ask it to end, as a person does with Ctrl+C, and wait until it has."""
        self.process.terminate()
        self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def complaints(self) -> list[str]:
        """What it wrote that no server should write."""
        written = (self.data / "server.log").read_text().splitlines()
        return [line for line in written if "Traceback" in line or "Unclosed" in line]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(*, data: Path, repositories: Path, port: int, program: Path = ROOT) -> Server:
    """Returns once it listens. `data` may hold what an earlier one left; `program` is the folder
    of the checkout."""
    env = {
        **os.environ,
        "SIGNALBOX_DATA": str(data),
        "SIGNALBOX_REPOSITORIES": str(repositories),
        "SIGNALBOX_PRIVATE_HOSTS": "127.0.0.1",
        "PYTHONUNBUFFERED": "1",
    }
    with (data / "server.log").open("a") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "signalbox", "serve", "--port", str(port)],
            cwd=program,
            env=env,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://\S+/sign-in/\S+", line):
            return Server(
                url=f"http://127.0.0.1:{port}",
                link=found.group(),
                repositories=repositories,
                env=env,
                data=data,
                process=process,
            )
    raise AssertionError((data / "server.log").read_text())
