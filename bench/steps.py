"""Cost of one durable step: a run that alternates between two states.

    python -m bench.steps [steps]

Measures the real worker, from one transition to the next, with a script and with answers from
outside, as from a model. Each answer is committed before the next request. On the same machine
LangGraph with its SQLite checkpointer runs the same graph with `sync` (durable before the next
step). Microseconds per step, the best of alternating rounds. `SIGNALBOX_DATABASE` names a
PostgreSQL database to measure on.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench._rows import Row, print_rows

STEPS = 500
ROUNDS = 5
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


def scripted(steps: int) -> float:
    """Seconds of a run that a script answers."""
    return _run_of(steps)


def answered(steps: int) -> float:
    """Seconds of a run with answers from outside."""
    from workflows.core.engine.signals import Reply, ToolCall

    event = ToolCall(name="workflow__transition", arguments={"event": "Next", "context": ""})

    async def perform(log: Any, effect: Any) -> Reply:
        return Reply(at=time.time(), key=effect.key, tool_calls=(event,))

    return _run_of(steps, perform=perform)


def _run_of(steps: int, **worker: Any) -> float:
    """Seconds from the claim of a worker to the end of the run."""
    from workflows.actions import packs, runs
    from workflows.models import Run

    files = {"relay.pack.json": json.dumps(PACK).encode()}
    options = {
        "script": {"replies": [{"event": "Next"}], "repeat_last": True},
        "budget": {"model_calls": steps},
    }
    pack = packs.import_files(files, owner=None).packs[0]
    run = runs.start(pack, driver="script", options=options)
    took = asyncio.run(_worked_until_idle(**worker))
    ended = Run.objects.get(pk=run.pk)
    replied = ended.events.filter(type="model.replied").count()
    assert (ended.status, replied) == ("budget_exhausted", steps), (ended.status, ended.reason)
    return took


async def _worked_until_idle(**options: Any) -> float:
    """Seconds until a worker of this process has nothing to do."""
    from workflows.runner.worker import Worker

    worker = Worker(**options)
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


def langgraph(steps: int, saver: Any) -> float:
    """Seconds of one `invoke` that ends at this turn."""
    compiled = relay_graph(steps).compile(checkpointer=saver)
    config: Any = {
        "configurable": {"thread_id": str(time.monotonic_ns())},
        "recursion_limit": steps * 3 + 10,
    }
    begun = time.perf_counter()
    ended = compiled.invoke({"turn": 0}, config, durability="sync")
    took = time.perf_counter() - begun
    assert ended["turn"] == steps
    return took


def sqlite_saver(file: Path) -> Any:
    """LangGraph's checkpointer on a new file."""
    from langgraph.checkpoint.sqlite import SqliteSaver  # type: ignore[import-not-found]

    connection = sqlite3.connect(file, check_same_thread=False)
    connection.executescript(PRAGMAS)
    return SqliteSaver(connection)


def main(steps: int) -> None:
    with tempfile.TemporaryDirectory() as data:
        _prepare(data)
        ways: dict[str, Callable[[int], float]] = {
            "a script": scripted,
            "answers from outside": answered,
        }
        if importlib.util.find_spec("langgraph") is None:
            print(MISSING)
        else:
            saver = sqlite_saver(Path(data, "peer.sqlite3"))
            ways["LangGraph"] = lambda steps: langgraph(steps, saver)
        took: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(ROUNDS):
            for name, way in ways.items():
                took[name].append(way(steps) / steps * 1e6)
        best = {name: min(times) for name, times in took.items()}
        peer = best.pop("LangGraph", None)
        print_rows(
            Row(name=name, value=value, unit="µs", peer=peer, peer_name="LangGraph")
            for name, value in best.items()
        )


def _prepare(data: str) -> None:
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
