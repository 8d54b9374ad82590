"""A simulated user of the HTTP API during the chaos test."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener

from tests.chaos import pack as packs
from tests.chaos.processes import ManagedProcess
from tests.support.live_server import use_link
from workflows.core.engine.run import FINISHED

AWAY = (OSError, HTTPException, json.JSONDecodeError)
"""Errors of a killed server; an `HTTPError` is an `OSError` too."""
GIVEN_UP = "times without progress"
"""Words of the reason that `worker.GIVEN_UP` is; this process has no settings to import it."""
START = 180.0
"""Seconds that a server may take to begin, on a machine that has a lot to do."""


@dataclass
class ApiUser:
    server: ManagedProcess
    url: str
    pack: int = 0
    tools: dict[str, Any] = field(default_factory=dict)
    delay_ms: int = 0
    cookies: CookieJar = field(default_factory=CookieJar)
    begun: dict[str, int] = field(default_factory=dict)
    """Run → its number."""
    seen: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Run → its events as they were shown; they must never change."""
    again: int = 0
    """Number of failed attempts to reach the server."""
    odd: list[str] = field(default_factory=list)
    """Unexpected responses, and runs that paused for another reason than many deaths."""
    given_up: int = 0
    """Number of pauses after many deaths of a worker in one step; each was resumed."""

    def sign_in(self) -> None:
        assert self.server.up.wait(START), "The server does not start."
        use_link(build_opener(HTTPCookieProcessor(self.cookies)), self.server.said)

    def find_pack(self) -> None:
        found = self.get(f"packs/?q={packs.NAME}")["results"]
        self.pack = next(one["id"] for one in found if one["name"] == packs.NAME)

    def start(self, number: int) -> str:
        """Begin the run with this number, under a key: whose answer was lost is begun once."""
        body = {
            "pack": self.pack,
            "driver": "script",
            "inputs": {"number": str(number)},
            "script": packs.script_of(number),
            "tools": self.tools,
            "commands": True,
            "delay_ms": self.delay_ms,
        }
        run = str(self.post("runs/", body, key=f"run {number}")["id"])
        self.begun[run] = number
        return run

    def answer(self) -> int:
        """Answer every open question. Returns their number."""
        asked = self.get("approvals/?status=open&limit=100")["results"]
        for one in asked:
            self.post(f"approvals/{one['id']}/", packs.said_to(one["asks"]))
        return len(asked)

    def resume(self) -> None:
        """Resume the runs that paused because their workers died too often."""
        for one in self.get("runs/?status=paused")["results"]:
            self.watch(one["id"])
            pauses = [event for event in self.seen[one["id"]] if event["type"] == "run.paused"]
            if not pauses or GIVEN_UP not in pauses[-1]["reason"]:
                self.odd.append(f"{one['id']} paused: {pauses[-1:]}")
            if self.post(f"runs/{one['id']}/signals/", {"type": "resume"}):
                self.given_up += 1

    def watch(self, run: str) -> None:
        """Read on where this run was left."""
        seen = self.seen.setdefault(run, [])
        seen += self.get(f"runs/{run}/events/?after={len(seen)}&limit=5000")["events"]

    def all_over(self) -> bool:
        """Read from the runs themselves, because a status can change between two requests."""
        over = [self.get(f"runs/?status={status}")["count"] for status in FINISHED]
        return sum(over) == len(self.begun)

    def live(self, chance: random.Random, stop: threading.Event) -> None:
        """Answer and subscribe until stopped."""
        while not stop.is_set():
            self.answer()
            self.resume()
            if self.begun:
                self.watch(chance.choice(list(self.begun)))
            stop.wait(chance.uniform(0, 0.2))

    def get(self, path: str) -> Any:
        return self._until_answered(lambda: Request(f"{self.url}/api/v1/{path}"))

    def post(self, path: str, body: Any, *, key: str = "") -> Any:
        token = next((one.value for one in self.cookies if one.name.startswith("csrftoken_")), "")
        headers = {"Content-Type": "application/json", "X-CSRFToken": token or ""}
        if key:
            headers["Idempotency-Key"] = key
        data = json.dumps(body).encode()
        return self._until_answered(
            lambda: Request(f"{self.url}/api/v1/{path}", data=data, headers=headers)
        )

    def _until_answered(self, request: Callable[[], Request]) -> Any:
        while True:
            try:
                with self._open(request()) as answer:
                    return json.loads(answer.read())
            except HTTPError as refused:
                with refused:
                    said = refused.read().decode()
                if refused.code == 409:
                    return None  # the answer was accepted, but the response was lost
                self.odd.append(f"{refused.code} at {refused.url}: {said[:300]}")
                raise
            except AWAY:
                self.again += 1
                if not self.server.up.wait(START):
                    self.odd.append("The server does not come back.")
                    raise
                time.sleep(0.02)

    def _open(self, request: Request) -> Any:
        return build_opener(HTTPCookieProcessor(self.cookies)).open(request, timeout=30)
