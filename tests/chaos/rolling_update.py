"""`python -m tests.chaos.rolling_update COMMIT`: two servers of this commit's program are replaced
one by one by today's (`HEAD`), on one PostgreSQL and under load. No request may fail with a status
of 500 or more, every run ends, and a program older than the contract allows does not start."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from tests.support.database_servers import empty_database, redis_address
from tests.support.live_server import ROOT, LiveServer

BEFORE, AFTER, LATER = "0.1.0", "0.2.0", "0.3.0"
ROUNDS = 5
"""Rounds of requests that each server completes in each phase."""
PATIENCE = 300.0


class Server(LiveServer):
    """A server of any program: cookies got the port into their names later."""

    def cookie(self, name: str) -> str:
        return next((one.value or "" for one in self.cookies if one.name.startswith(name)), "")


class Load:
    """A user of one server: reads, edits and starts runs until the server is taken out."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self.statuses: Counter[str] = Counter()
        self.problems: list[str] = []
        self.rounds = threading.Semaphore(0)
        self._stop = threading.Event()
        server.start()
        server.sign_in()
        print(f"{name}: started", flush=True)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait for some rounds that begin from now on."""
        while self.rounds.acquire(blocking=False):
            pass
        for _ in range(ROUNDS):
            if not self.rounds.acquire(timeout=PATIENCE):
                raise SystemExit(f"{self.name} does not answer: {self.problems[-3:]}")

    def end(self) -> None:
        """Take the server out, as a load balancer does, and stop it."""
        self._stop.set()
        self._thread.join(PATIENCE)
        self.server.end(signal.SIGTERM)

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            packs = self._ask("GET packs", lambda: self.server.get("packs/?limit=50"))
            pack = packs and next(p for p in packs["results"] if "triage" in p["name"].lower())
            if pack:
                self._round(pack, number)
            self.rounds.release()

    def _round(self, pack: dict[str, Any], number: int) -> None:
        path, server = f"packs/{pack['id']}/", self.server
        graph = self._ask("GET graph", lambda: server.get(f"{path}graph/"))
        state = graph["states"][0]["id"] if graph else ""
        new = f"{state.rpartition('__')[0] or state}__{number}"
        edit = {"type": "rename_state", "id": state, "new_id": new}
        stem = state.rpartition("__")[0] or state
        edit = {"type": "rename_state", "id": state, "new_id": f"{stem}__{number}"}
        body = {"base": pack["head"], "edits": [edit]}
        self._ask("POST edits", lambda: server.post(f"{path}edits/", body))
        start = {"pack": pack["id"], "driver": "rehearsal", "seed": number}
        run = self._ask("POST runs", lambda: server.post("runs/", start))
        if run:
            self._ask("GET events", lambda: server.get(f"runs/{run['id']}/events/?after=0"))
        self._ask("GET runs", lambda: server.get("runs/?limit=20"))
        self._ask("GET approvals", lambda: server.get("approvals/?status=open"))

    def _ask(self, name: str, request: Any) -> Any:
        try:
            answer = request()
        except HTTPError as error:
            self.statuses[f"{name} {error.code}"] += 1
            if error.code >= 500:
                self.problems.append(f"{name}: {error.code} {error.read()[:300]!r}")
            return None
        except OSError as error:
            self.problems.append(f"{name}: {error!r}")
            return None
        self.statuses[f"{name} ok"] += 1
        return answer


def program(folder: Path, commit: str, version: str) -> Path:
    """The program of a commit, with another version and the canvas of this checkout."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
    project = folder / "pyproject.toml"
    named = re.sub(r'(?m)^version = ".*"', f'version = "{version}"', project.read_text())
    project.write_text(named)
    shutil.rmtree(folder / "tests")
    return folder


def main() -> int:
    """Exit code 1 if a request failed or a run did not end."""
    with tempfile.TemporaryDirectory() as name, empty_database() as address:
        folder, data = Path(name), Path(name) / "data"
        data.mkdir()
        old = program(folder / "before", sys.argv[1], BEFORE)
        new = program(folder / "after", "HEAD", AFTER)
        settings = {
            "SIGNALBOX_DATABASE": address,
            "SIGNALBOX_REDIS": redis_address(),
            "SIGNALBOX_WORKER": "embedded",
        }

        def load(tree: Path, name: str) -> Load:
            return Load(Server(data, program=tree, **settings), name)

        first, second = load(old, "first, before"), load(old, "second, before")
        loads = [first, second]
        for one in loads:
            one.wait()
        first.end()
        loads.append(third := load(new, "first, after"))  # It migrates under the load of `second`.
        for one in (second, third):
            one.wait()
        second.end()
        loads.append(fourth := load(new, "second, after"))
        for one in (third, fourth):
            one.wait()
        ended = runs_end(third.server)
        for one in (third, fourth):
            one.end()
        refusal = refused(Server(data, program=old, **settings), address)
        for one in loads:
            print(f"{one.name}: {dict(sorted(one.statuses.items()))}")
        problems = [f"{one.name}: {problem}" for one in loads for problem in one.problems]
        problems += loads[0].server.complaints()
        print(f"runs: {ended}\nolder program: {refusal}")
        print("\n".join(problems[:20]) or "no failed request")
        return int(bool(problems) or "not ended" in ended or AFTER in refusal)


def runs_end(server: Server) -> str:
    """Wait until no run is at work. Returns the number of runs with each status, and the reasons of
    those that failed."""
    pause, waited = threading.Event(), 0.0
    while (left := server.get("runs/?status=running")["count"]) and waited < PATIENCE:
        waited += 0.5
        pause.wait(0.5)
    rows = server.get("runs/?limit=1000")["results"]
    counts = Counter(row["status"] for row in rows)
    reasons = Counter(row["reason"] for row in rows if row["status"] == "failed")
    if left:
        counts["not ended"] = left
    return f"{dict(counts)} {dict(reasons) or ''}"


def refused(server: Server, address: str) -> str:
    """The refusal of the program before on a database of the version after the next one."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("UPDATE workflows_milestone SET version = %s", [LATER])
    try:
        server.start()
    except AssertionError as error:
        return next(line for line in str(error).splitlines() if LATER in line)
    server.end(signal.SIGTERM)
    return f"started on a database of {LATER}, although it is {AFTER} at most"


if __name__ == "__main__":
    sys.exit(main())
