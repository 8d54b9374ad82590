"""A live MCP server over streamable HTTP, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path(__file__).with_name("mcp_server.py")
STDIO = [sys.executable, str(PROGRAM)]
"""The command of the same server over stdin and stdout."""


@dataclass(frozen=True, kw_only=True)
class LiveServer:
    url: str
    process: subprocess.Popen[str]

    def said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ended(self) -> None:
        self.process.kill()
        self.process.wait(120)
        if self.process.stdout is not None:
            self.process.stdout.close()


def serve() -> LiveServer:
    process = subprocess.Popen(
        [*STDIO, "http"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    return LiveServer(url=f"http://127.0.0.1:{int(process.stdout.readline())}/mcp", process=process)
