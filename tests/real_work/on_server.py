"""Runs of the real-work packs on a server, through its API."""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from tests.real_work.project import TASK
from tests.support.fork_server import fork_server
from tests.support.live_server import LiveServer
from tests.support.model_server import ModelServer

MODELS = {"openai": "gpt-4o", "anthropic": "claude-opus-4-6"}
PATIENCE = 120.0
PAUSE = 0.05
"""Seconds between two questions whether a run has ended."""
ACCEPTED = {"approve": True}


@dataclass
class ServerUser:
    """A person who uses the API of a server. `repository`: where runs work."""

    server: LiveServer
    repository: Path

    def bring(self, source: Path) -> int:
        """Import a pack as the operator does. Returns its id."""
        with (self.server.data / "import.log").open("w") as log:
            process = fork_server().start(["import", str(source)], self.server.env, log)
        with process.stdout as said:
            assert process.wait(120) == 0, said.read()
        packs = self.server.get("packs/?limit=100")["results"]
        return max(int(pack["id"]) for pack in packs)

    def connect(self, wire: str, models: ModelServer) -> None:
        body = {"name": wire, "kind": wire, "base_url": models.url(wire), "model": MODELS[wire]}
        self.server.post("connections/", {**body, "key": "sk-secret-of-ada"})

    def start(self, pack: int, **more: Any) -> str:
        inputs = dict.fromkeys(self.server.get(f"packs/{pack}/inputs/"), TASK)
        body = {
            "pack": pack,
            "inputs": inputs,
            "commands": True,
            "workspace": {"kind": "git", "path": str(self.repository), "ref": "main"},
            **more,
        }
        return str(self.server.post("runs/", body)["id"])

    def end(self, run: str) -> str:
        """Approve every question until the run has ended. Returns its status."""
        until = time.monotonic() + PATIENCE
        while (now := self._status(run))["finished_at"] is None:
            assert time.monotonic() < until, self.events(run)[-5:]
            for question in self.server.get("approvals/?status=open")["results"]:
                self.server.post(f"approvals/{question['id']}/", ACCEPTED)
            time.sleep(PAUSE)
        return str(now["status"])

    def _status(self, run: str) -> dict[str, Any]:
        """The run; a busy server gets the request a second time."""
        try:
            return dict(self.server.get(f"runs/{run}/"))
        except HTTPError as refused:
            if refused.code != HTTPStatus.SERVICE_UNAVAILABLE:
                raise
            return dict(self.server.get(f"runs/{run}/"))

    def events(self, run: str) -> list[dict[str, Any]]:
        return list(self.server.get(f"runs/{run}/events/?limit=5000")["events"])

    def keep(self, run: str, branch: str) -> None:
        self.server.post(f"runs/{run}/branch/", {"branch": branch, "message": "Repair add"})
