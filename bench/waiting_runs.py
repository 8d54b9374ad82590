"""One process holds 2,000 runs that wait for a slow model, and starts one more.

    python -m bench.waiting_runs [--runs 2000] [--on sqlite|postgresql]

The model is a server in this process with the OpenAI protocol that streams a few words and then
stalls. On SQLite, `signalbox serve` holds the runs, and one more is started over its API. On
PostgreSQL, `signalbox worker` holds them, and the database notifies it of one more. Memory is the
resident set size (RSS) of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench._rows import Row, print_rows

ROOT = Path(__file__).resolve().parent.parent
RUNS = 2_000
MOST_MEGABYTES, LONGEST_START, LONGEST_REQUESTS = 200.0, 1.0, 10.0
PATIENCE = 300.0
QUIET = 3.0
"""Seconds before memory is measured, so that leases are renewed and the log is polled."""
STILL, SETTLES = 0.5, 60.0
"""The runs are waiting once the process uses at most this share of a CPU for `QUIET` seconds.
Before that it still reads partial output. The second value is the time limit in seconds."""
PACK: dict[str, Any] = {
    "id": "ask",
    "name": "Ask",
    "version": "1.0.0",
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "prompts": {
        "ask": {"id": "ask", "name": "Ask", "version": "1.0.0", "system_template": "Reply."}
    },
    "workflow": {
        "version": 1,
        "entry": "asking",
        "states": {"asking": {"prompt_task": "ask", "on_event": {"Said": "over"}}, "over": {}},
    },
}


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.waiting_runs")
    options.add_argument("--runs", type=int, default=RUNS)
    options.add_argument("--on", choices=["sqlite", "postgresql"])
    given = options.parse_args()
    if given.on:
        return measure(given.on, given.runs)
    again = [sys.executable, "-m", "bench.waiting_runs", "--runs", str(given.runs), "--on"]
    return max(
        subprocess.run([*again, on], cwd=ROOT, check=False).returncode
        for on in ("sqlite", "postgresql")
    )


def measure(on: str, runs: int) -> int:
    """Print the result. Exit 1 if one more run waits longer than `LONGEST_START`."""
    from tests.support.model_server import ModelServer, NoReply, TextReply
    from workflows.runner.file_limits import raise_limit

    raise_limit()
    says = TextReply(text="Let me think about that for a while.")
    with (
        tempfile.TemporaryDirectory() as folder,
        ModelServer(otherwise=NoReply(says=says, pieces=4)) as model,
    ):
        prepare(on, folder)
        pack = a_pack(model.url("compatible"))
        process, start = holder(on, pack)
        try:
            return seen(on, runs, model, process, pack, start)
        finally:
            process.terminate()
            process.wait(60)


def seen(
    on: str,
    runs: int,
    model: Any,
    process: subprocess.Popen[str],
    pack: Any,
    start: Callable[[], None],
) -> int:
    empty = megabytes(process.pid)
    begun = time.monotonic()
    for _ in range(runs):
        start_here(pack)
    written = time.monotonic() - begun
    for _ in range(runs):
        model.arrived.get(timeout=PATIENCE)
    asked = time.monotonic() - begun
    time.sleep(QUIET)
    given_up = time.monotonic() + SETTLES
    while (busy := processor(process.pid, QUIET)) > STILL and time.monotonic() < given_up:
        pass
    held = megabytes(process.pid)
    begun = time.monotonic()
    start()
    model.arrived.get(timeout=PATIENCE)
    one_more = time.monotonic() - begun
    most = megabytes(process.pid, "VmHWM")
    print(
        f"{on:10} {runs:,} runs wait for a model in one process: {held:.0f} MB "
        f"({empty:.0f} before, {most:.0f} at most), {busy:.0%} of a CPU; written in "
        f"{written:.1f} s, all requested after {asked:.1f} s; one more request after "
        f"{one_more * 1000:.0f} ms; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    print_rows(
        (
            Row(name=f"{runs:,} waiting runs, {on}", value=held, unit="MB", goal=MOST_MEGABYTES),
            Row(name=f"all {runs:,} requested, {on}", value=asked, unit="s", goal=LONGEST_REQUESTS),
        )
    )
    return int(one_more > LONGEST_START)


def prepare(on: str, folder: str) -> None:
    """The settings of this process and of the one it measures."""
    os.environ.update(
        SIGNALBOX_DATA=folder,
        SIGNALBOX_PRIVATE_HOSTS="127.0.0.1",
        SIGNALBOX_SECRET_KEY="of the benchmark, and nothing else's",
        DJANGO_SETTINGS_MODULE="signalbox.settings",
    )
    os.environ.pop("SIGNALBOX_DATABASE", None)
    if on == "postgresql":
        from tests.support.database_servers import database_address

        os.environ["SIGNALBOX_DATABASE"] = database_address()
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)


def a_pack(model: str) -> Any:
    """A stored pack with one model request, and its connection."""
    from workflows.actions import connections, packs

    connections.create(name="Slow", kind="compatible", base_url=model, model="slow")
    files = {"ask.pack.json": json.dumps(PACK).encode()}
    return packs.import_files(files, owner=None).packs[0]


def start_here(pack: Any) -> None:
    from workflows.actions import runs

    runs.start(pack, driver="model", options={"connection": "Slow"})


def holder(on: str, pack: Any) -> tuple[subprocess.Popen[str], Callable[[], None]]:
    """The process that holds the runs, and a function that starts one more."""
    if on == "postgresql":
        process, _ = listening("worker", until="Ready for runs")
        return process, lambda: start_here(pack)
    process, said = listening("serve", "--port", "0", until="/sign-in/")
    address = said.split("/sign-in/")[0].split()[-1]
    headers = {"Authorization": f"Bearer {a_token()}", "Content-Type": "application/json"}
    body = json.dumps({"pack": pack.pk, "driver": "model", "connection": "Slow"}).encode()
    request = urllib.request.Request(f"{address}/api/v1/runs/", data=body, headers=headers)
    return process, lambda: urllib.request.urlopen(request).close()


def listening(*command: str, until: str) -> tuple[subprocess.Popen[str], str]:
    """Start a process of Signalbox and read its ready line."""
    process = subprocess.Popen(
        [sys.executable, "-m", "signalbox", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    for line in process.stdout:
        if until in line:
            return process, line
    raise SystemExit(f"signalbox {command[0]} did not start.")


def a_token() -> str:
    from django.contrib.auth.models import User
    from knox.models import get_token_model

    _, token = get_token_model().objects.create(User.objects.create_user("bench"), scopes=["run"])
    return str(token)


def megabytes(pid: int, what: str = "VmRSS") -> float:
    """Memory of the process: current (VmRSS) or peak (VmHWM)."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith(f"{what}:"))
    return int(line.split()[1]) / 1024


def processor(pid: int, seconds: float) -> float:
    """CPU share of the idle process."""
    before = _ticks(pid)
    time.sleep(seconds)
    return (_ticks(pid) - before) / os.sysconf("SC_CLK_TCK") / seconds


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


if __name__ == "__main__":
    raise SystemExit(main())
