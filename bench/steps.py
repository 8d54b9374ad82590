"""Cost of one durable step: a run that alternates between two states, on SQLite.

    python -m bench.steps [steps]

Measures the real worker with the script driver, from one transition to the next. The steps of a
script only compute, and those of five milliseconds share a commit; external answers are committed
before the next request. In the same run, LangGraph with its SQLite checkpointer runs the same graph
with `sync` (durable before the next step, like `ours, answers come`) and `async`, and a raw commit
of one row is measured. All files have the same settings (WAL, `synchronous=NORMAL`).
Microseconds per step, the best and the median of five alternating rounds.

Further rows: a script with a separate reply for every step; external answers, as from a model; a
fork into five branches and their join; and runs that are ten times longer and should cost the same
per step. `bench.steps_postgresql` measures the same on PostgreSQL.
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
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

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


def forked(rounds: int) -> float:
    """A run that forks into five branches and joins them, this many times."""
    from bench._relay import BRANCHES, relay_pack

    return _run_of(relay_pack("fork"), rounds * BRANCHES, {"text": "Next"})


def _run_of(pack: Any, steps: int, *replies: dict[str, str], perform: Any = None) -> float:
    """Seconds from the claim of a worker to the end of the run."""
    from workflows.actions import runs
    from workflows.models import Run

    options = {
        "script": {"replies": replies, "repeat_last": True},
        "budget": {"model_calls": steps},
    }
    run = runs.start(pack, driver="script", options=options)
    took = asyncio.run(worked_until_idle(perform))
    ended = Run.objects.get(pk=run.pk)
    replied = ended.events.filter(type="model.replied").count()
    assert (ended.status, replied) == ("budget_exhausted", steps), (ended.status, ended.reason)
    return took


async def worked_until_idle(perform: Any) -> float:
    """Seconds until a worker of this process has nothing to do."""
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


def fork_graph(rounds: int) -> Any:
    """LangGraph's graph that starts five nodes at once and joins them, this many times."""
    from langgraph.graph import END, START, StateGraph
    from typing_extensions import TypedDict

    from bench._relay import BRANCHES

    class Fan(TypedDict):
        turn: int

    def split(state: Fan) -> Fan:
        return {"turn": state["turn"] + 1}

    def work(state: Fan) -> dict[str, Any]:
        return {}

    def join(state: Fan) -> dict[str, Any]:
        return {}

    graph = StateGraph(Fan)
    graph.add_node("split", split)
    graph.add_node("join", join)
    names = [f"work-{number}" for number in range(BRANCHES)]
    for name in names:
        graph.add_node(name, work)
        graph.add_edge("split", name)
    graph.add_edge(names, "join")
    graph.add_edge(START, "split")
    again = {"split": "split", END: END}
    graph.add_conditional_edges(
        "join", lambda state: END if state["turn"] >= rounds else "split", again
    )
    return graph


def langgraph(steps: int, *, make: Callable[[int], Any], durability: Any, saver: Any) -> float:
    """Seconds of one `invoke` that ends at this turn."""
    compiled = make(steps).compile(checkpointer=saver)
    config: Any = {
        "configurable": {"thread_id": str(time.monotonic_ns())},
        "recursion_limit": steps * 3 + 10,
    }
    begun = time.perf_counter()
    ended = compiled.invoke({"turn": 0}, config, durability=durability)
    took = time.perf_counter() - begun
    assert ended["turn"] == steps
    return took


def sqlite_saver(file: Path) -> Any:
    """LangGraph's checkpointer on a new file."""
    from langgraph.checkpoint.sqlite import SqliteSaver  # type: ignore[import-not-found]

    connection = sqlite3.connect(file, check_same_thread=False)
    connection.executescript(PRAGMAS)
    return SqliteSaver(connection)


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


OURS: Mapping[str, Callable[[int], float]] = {
    "ours": ours,
    "ours, a PromptPack": promptpack,
    "ours, a long script": scripted,
    "ours, answers come": answered,
}
FORK, THEIRS, THEIR_FORK = "ours, fork of 5 and join", "LangGraph, sync", "LangGraph, fork"
FORK_SHARE = 5
"""A round of the fork counts as this many steps, so fewer rounds are measured."""


def main(steps: int) -> None:
    with tempfile.TemporaryDirectory() as data:
        prepare(data)
        ways: dict[str, Callable[[int], float]] = {
            "a raw commit": partial(raw, folder=Path(data)),
            **OURS,
            FORK: forked,
        }
        if importlib.util.find_spec("langgraph") is None:
            print(MISSING)
        else:
            saver = sqlite_saver(Path(data, "peer.sqlite3"))
            theirs = partial(langgraph, make=relay_graph, saver=saver)
            ways[THEIRS] = partial(theirs, durability="sync")
            ways["LangGraph, async"] = partial(theirs, durability="async")
            ways[THEIR_FORK] = partial(langgraph, make=fork_graph, saver=saver, durability="sync")
        took, worked = alternating(ways, steps)
        table(steps, took, worked)
        print_rows(rows(worked, share=0.25, peer_name="LangGraph + SqliteSaver"))
        for length in LENGTHS:
            each = scripted(length) / length * 1e6
            print(f"  {length:6,} steps, each with a reply of its own: {each:7.0f} µs per step")


Times: TypeAlias = dict[str, list[float]]
"""Way → microseconds of one step, of each round."""


def alternating(ways: Mapping[str, Callable[[int], float]], steps: int) -> tuple[Times, Times]:
    """The duration of a step in each way and round, and its processor time in this process."""
    for way in ways.values():
        way(20)
    took: Times = {name: [] for name in ways}
    worked: Times = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            length = max(20, steps // FORK_SHARE) if "fork" in name else steps
            before = time.process_time()
            took[name].append(way(length) / length * 1e6)
            worked[name].append((time.process_time() - before) / length * 1e6)
    return took, worked


def table(steps: int, took: Times, worked: Times) -> None:
    """`processor`: time of this process alone, with what prepares a run; steadier under load."""
    best, least = min(took["ours"]), min(worked["ours"])
    print(f"{steps} steps, {ROUNDS} rounds, load {os.getloadavg()[0]:.1f}")
    for name, times in took.items():
        middle = statistics.median(times)
        print(f"  {name:24} best {min(times):7.0f} µs   middle {middle:7.0f} µs", end="")
        print(f"   processor {min(worked[name]):7.0f} µs", end="")
        ratios = f"   ours is {best / min(times):5.2f} of it ({least / min(worked[name]):.2f})"
        print("" if name.startswith("ours") else ratios)


def rows(times: Times, *, share: float, peer_name: str) -> Iterator[Row]:
    """Each of our ways with its ratio to LangGraph."""
    best = {name: min(values) for name, values in times.items()}
    others = {"raw commit": best["a raw commit"]}
    for name, value in best.items():
        if name.startswith("ours"):
            peer = best.get(THEIR_FORK if name == FORK else THEIRS)
            yield Row(
                name=name, value=value, unit="µs", share=share,
                peer=peer, peer_name=peer_name, others=others,
            )  # fmt: skip


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
