"""Cost of `signalbox mcp` for a coding agent: tokens, answers and memory.

Tokens of the editing tasks in `tests/tasks`, against reading and rewriting the changed files: a
token is counted as four bytes of arguments and answers, without the envelope of the protocol. The
list of tools is read once in each session. Then milliseconds of answers for a pack of 200 states,
over the official client and a process of its own, and the memory of that process after reading
tools were called for each of 47 packs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from bench._rows import Row, print_rows
from bench.edits import ROOT, pack
from signalbox.commands.mcp.folders import Folders
from signalbox.commands.mcp.stdio import server_of
from tests.support.editing_tasks import editing_tasks
from workflows.core.dialects import dialects

BYTES_PER_TOKEN = 4
PACKS = 47
STATES = 200
ROUNDS = 9
GOAL_SHARE = 20
GOAL_MS = 200
GOAL_MB = 120
READING = ("graph", "check", "worst_case", "rehearse")
NOTE = {"type": "set_field", "element": "state:s3", "field": "/description", "value": "A note."}
TEN = [
    {"type": "connect", "source": f"s{n}", "target": f"s{n + 7}", "label": "More"}
    for n in range(1, 20, 2)
]
ANSWERS: dict[str, tuple[str, dict[str, Any]]] = {
    "graph near a state": ("graph", {"near": "s3"}),
    "element": ("element", {"element": "state:s3"}),
    "offers": ("offers", {"element": "state:s3"}),
    "check": ("check", {}),
    "worst_case": ("worst_case", {}),
    "propose one edit": ("propose", {"edits": [NOTE]}),
    "propose ten edits": ("propose", {"edits": TEN}),
    "propose ten edits with coverage": ("propose", {"edits": TEN, "rehearse": True}),
    "rehearse": ("rehearse", {}),
}
SECONDS = ("propose ten edits with coverage", "rehearse")
"""Answers without a goal: they take 10,000 steps of runs that do not end."""


def main() -> None:
    rows = asyncio.run(_rows())
    print_rows(rows)


async def _rows() -> list[Row]:
    return [*await _tokens(), *await _answers()]


async def _tokens() -> list[Row]:
    shares, tools = [], 0
    for task in editing_tasks():
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            async with Client(server_of(Folders.of(["."]))) as client:
                tools = _size((await client.list_tools()).tools)

                async def call(tool: str, client: Client = client, **arguments: Any) -> Any:
                    result = await client.call_tool(tool, arguments)
                    return json.loads(result.content[0].text)  # type: ignore[union-attr]

                found = await task.carry_out(call, Path(folder))
        raw = (found.read + found.written) // BYTES_PER_TOKEN
        used = found.exchanged // BYTES_PER_TOKEN
        print(f"  {task.name:24} {used:6,} tokens of {raw:6,} raw: {found.share:.0%}", flush=True)
        shares.append(found.share * 100)
    return [
        Row(name="tokens of an edit, median", value=statistics.median(shares), unit="% of raw",
            goal=GOAL_SHARE),
        Row(name="tokens of an edit, most", value=max(shares), unit="% of raw"),
        Row(name="list of tools", value=tools / BYTES_PER_TOKEN, unit="tokens"),
    ]  # fmt: skip


async def _answers() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_packs(folder)
        (folder / "large.pack.json").write_bytes(pack(STATES))
        async with Client(_command(name)) as client:
            packs = json.loads(await _text(client, "packs", {}))["packs"]
            for one in packs:
                for tool in READING if one["pack"] != "large.pack.json" else ():
                    await _text(client, tool, {"pack": one["pack"]})
            memory = _memory_mb(_server_pid())
            rows = [
                Row(name=f"{label}, {STATES} states", value=await _median_ms(client, *call),
                    unit="ms", goal=None if label in SECONDS else GOAL_MS)
                for label, call in ANSWERS.items()
            ]  # fmt: skip
    return [*rows, Row(name=f"memory with {PACKS} packs", value=memory, unit="MB", goal=GOAL_MB)]


def _write_packs(folder: Path) -> None:
    samples = [sample for dialect in dialects().values() for sample in dialect.samples().values()]
    for number in range(PACKS):
        for path, data in samples[number % len(samples)].items():
            place = folder / f"p{number}" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)


async def _median_ms(client: Client, tool: str, arguments: dict[str, Any]) -> float:
    times = []
    for _ in range(3 if arguments.get("rehearse") or tool == "rehearse" else ROUNDS):
        began = time.perf_counter()
        await _text(client, tool, {"pack": "large.pack.json", **arguments})
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


async def _text(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    result = await client.call_tool(tool, arguments)
    text: str = result.content[0].text  # type: ignore[union-attr]
    return text


def _command(folder: str) -> StdioServerParameters:
    env = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    arguments = ["-m", "signalbox", "mcp", "."]
    return StdioServerParameters(command=sys.executable, args=arguments, env=env, cwd=folder)


def _server_pid() -> int:
    """The only child of this process that is a server."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    (pid,) = (
        int(one) for one in children if b"signalbox" in Path(f"/proc/{one}/cmdline").read_bytes()
    )
    return pid


def _memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _size(tools: Any) -> int:
    return sum(len(one.model_dump_json(by_alias=True, exclude_none=True)) for one in tools)


if __name__ == "__main__":
    main()
