"""Cost of one durable step: a run that alternates between two states, on SQLite.

    python -m bench.steps [steps]

Measures the real worker with the script driver, from one transition to the next; each step is
committed before the next one starts. In the same run, LangGraph with its SQLite checkpointer runs
the same graph with `sync` (durable before the next step, like Signalbox) and `async`, and a raw
commit of one row is measured. All files have the same settings (WAL, `synchronous=NORMAL`).
Microseconds per step, the best and the median of five alternating rounds.

Further rows: a script with a separate reply for every step; external answers, as from a model; and
runs that are ten times longer and should cost the same per step.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench._rows import Row, print_rows

STEPS = 1_000
ROUNDS = 5
LENGTHS = (200, 2_000, 20_000)
"""Steps of runs that grow: six events each."""
PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
MISSING = (
    "LangGraph is not installed, so the comparison is skipped: "
    ".venv/bin/python -m pip install --no-deps --require-hashes -r requirements-bench.txt"
)
PACK: dict[str, Any] = {
    "id": "relay",
    "name": "Relay",
    "version": "1.0.0",
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "prompts": {
        "hand": {
            "id": "hand",
            "name": "Hand over",
            "version": "1.0.0",
            "system_template": "Hand over.",
        }
    },
    "workflow": {
        "version": 1,
        "entry": "ping",
        "states": {
            "ping": {"prompt_task": "hand", "on_event": {"Next": "pong"}},
            "pong": {"prompt_task": "hand", "on_event": {"Next": "ping"}},
        },
    },
}


def ours(steps: int) -> float:
    """Seconds of one minimal run: engine, log and worker."""
    from bench._relay import relay_pack

    return _run_of(relay_pack(), steps, {"text": "Next"})


def promptpack(steps: int) -> float:
    """The same two states as a PromptPack, whose events are tool calls of the model."""
    from workflows.actions import packs

    files = {"relay.pack.json": json.dumps(PACK).encode()}
    return _run_of(packs.import_files(files, owner=None).packs[0], steps, {"event": "Next"})


def scripted(steps: int) -> float:
    """A minimal run with a script that lists every reply."""
    from bench._relay import relay_pack

    return _run_of(relay_pack(), steps, *({"text": f"Next {n}"} for n in range(steps)))


def answered(steps: int) -> float:
    """A minimal run with external answers, in sequence."""
    from bench._relay import relay_pack
    from workflows.core.engine.signals import Reply

    async def perform(log: Any, effect: Any) -> Reply:
        return Reply(at=time.time(), key=effect.key, text="Next")

    return _run_of(relay_pack(), steps, {"text": "Next"}, perform=perform)


def _run_of(pack: Any, steps: int, *replies: dict[str, str], perform: Any = None) -> float:
    """Seconds from the claim of a worker to the end of the run."""
    from workflows.actions import runs
    from workflows.models import Run

    options = {
        "script": {"replies": replies, "repeat_last": True},
        "budget": {"model_calls": steps},
    }
    run = runs.start(pack, driver="script", options=options)
    took = asyncio.run(_worked(perform))
    ended = Run.objects.get(pk=run.pk)
    taken = ended.events.filter(type="transition.taken").count()
    assert (ended.status, taken) == ("budget_exhausted", steps), (ended.status, ended.reason, taken)
    return took


async def _worked(perform: Any) -> float:
    from workflows.runner.worker import Worker

    worker = Worker(perform=perform) if perform else Worker()
    await worker.start()
    try:
        begun = time.perf_counter()
        await worker.run_until_idle()
        return time.perf_counter() - begun
    finally:
        await worker.stop()


def relay_graph(steps: int) -> Any:
    """LangGraph's graph of two nodes that alternate until this many transitions are taken."""
    from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]
    from typing_extensions import TypedDict

    class Relay(TypedDict):
        turn: int

    def hand(state: Relay) -> Relay:
        return {"turn": state["turn"] + 1}

    def onward(other: str) -> Callable[[Relay], str]:
        return lambda state: END if state["turn"] >= steps else other

    graph = StateGraph(Relay)
    graph.add_node("ping", hand)
    graph.add_node("pong", hand)
    graph.add_edge(START, "ping")
    graph.add_conditional_edges("ping", onward("pong"), ["pong", END])
    graph.add_conditional_edges("pong", onward("ping"), ["ping", END])
    return graph


def langgraph(steps: int, *, durability: Any, folder: Path) -> float:
    """Seconds of one `invoke` with this many transitions."""
    from langgraph.checkpoint.sqlite import SqliteSaver  # type: ignore[import-not-found]

    connection = sqlite3.connect(folder / f"{durability}.sqlite3", check_same_thread=False)
    connection.executescript(PRAGMAS)
    compiled = relay_graph(steps).compile(checkpointer=SqliteSaver(connection))
    config: Any = {
        "configurable": {"thread_id": str(time.monotonic_ns())},
        "recursion_limit": steps + 10,
    }
    begun = time.perf_counter()
    ended = compiled.invoke({"turn": 0}, config, durability=durability)
    took = time.perf_counter() - begun
    assert ended["turn"] == steps
    connection.close()
    return took


def raw(steps: int, *, folder: Path) -> float:
    """Seconds of this many transactions of one row each."""
    connection = sqlite3.connect(folder / "raw.sqlite3", isolation_level=None)
    connection.executescript(PRAGMAS)
    connection.execute("CREATE TABLE IF NOT EXISTS step (id INTEGER PRIMARY KEY, body TEXT)")
    begun = time.perf_counter()
    for _ in range(steps):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO step (body) VALUES (?)", ("x" * 300,))
        connection.execute("COMMIT")
    took = time.perf_counter() - begun
    connection.close()
    return took


def main(steps: int) -> None:
    with tempfile.TemporaryDirectory() as data:
        prepare(data)
        folder = Path(data)
        ways: dict[str, Callable[[int], float]] = {
            "a raw commit": partial(raw, folder=folder),
            "ours": ours,
            "ours, a PromptPack": promptpack,
            "ours, a long script": scripted,
            "ours, answers come": answered,
        }
        if importlib.util.find_spec("langgraph") is None:
            print(MISSING)
        else:
            for durability in ("sync", "async"):
                theirs = partial(langgraph, durability=durability, folder=folder)
                ways[f"LangGraph, {durability}"] = theirs
        for way in ways.values():
            way(20)
        took: dict[str, list[float]] = {name: [] for name in ways}
        worked: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(ROUNDS):
            for name, way in ways.items():
                before = time.process_time()
                took[name].append(way(steps) / steps * 1e6)
                worked[name].append((time.process_time() - before) / steps * 1e6)
        table(steps, took, worked)
        rows(worked)
        for length in LENGTHS:
            each = scripted(length) / length * 1e6
            print(f"  {length:6,} steps, each with a reply of its own: {each:7.0f} µs per step")


def table(steps: int, took: dict[str, list[float]], worked: dict[str, list[float]]) -> None:
    """`processor`: time of this process alone, with what prepares a run; steadier under load."""
    best, least = min(took["ours"]), min(worked["ours"])
    print(f"{steps} steps, {ROUNDS} rounds, load {os.getloadavg()[0]:.1f}")
    for name, times in took.items():
        middle = statistics.median(times)
        print(f"  {name:19} best {min(times):7.0f} µs   middle {middle:7.0f} µs", end="")
        print(f"   processor {min(worked[name]):7.0f} µs", end="")
        ratios = f"   ours is {best / min(times):5.2f} of it ({least / min(worked[name]):.2f})"
        print("" if name.startswith("ours") else ratios)


def rows(worked: dict[str, list[float]]) -> None:
    """Print each of our ways with its ratio to LangGraph, in processor time."""
    peer = min(worked.get("LangGraph, sync", [0.0])) or None
    print_rows(
        Row(name=name, value=min(times), unit="µs", peer=peer, share=0.25)
        for name, times in worked.items()
        if name.startswith("ours")
    )


def prepare(data: str) -> None:
    os.environ.update(
        SIGNALBOX_DATA=data,
        SIGNALBOX_WORKER="none",
        DJANGO_SETTINGS_MODULE="signalbox.settings",
    )
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
