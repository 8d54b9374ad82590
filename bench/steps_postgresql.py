"""Cost of one durable step on PostgreSQL, and the steps per second of one worker with 100 runs.

    python -m bench.steps_postgresql [steps]

The server is the one of the tests: from wheels, or the one that `SIGNALBOX_TEST_DATABASE` names.
LangGraph with its PostgreSQL checkpointer and a raw commit use the same server. Microseconds per
step, the best of alternating rounds. The last row has 100 runs at once; each answer of the model
comes after 50 ms.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from bench._relay import relay_pack
from bench._rows import Row, print_rows
from bench.steps import (
    MISSING,
    OURS,
    THEIRS,
    alternating,
    langgraph,
    prepare,
    relay_graph,
    rows,
    table,
    worked_until_idle,
)
from tests.support.database_servers import empty_database

STEPS = 300
RUNS, LENGTH, LATENCY = 100, 20, 0.05
"""Concurrent runs, steps of each, and seconds until an answer of the model."""
LEAST_PER_SECOND = 1_000.0


def postgres_saver(connection: Any) -> Any:
    """LangGraph's checkpointer, with its tables."""
    from langgraph.checkpoint.postgres import PostgresSaver  # type: ignore[import-not-found]

    saver = PostgresSaver(connection)
    saver.setup()
    return saver


def raw(steps: int, *, connection: Any) -> float:
    """Seconds of this many transactions of one row each."""
    connection.execute("CREATE TABLE IF NOT EXISTS step (id serial PRIMARY KEY, body text)")
    begun = time.perf_counter()
    for _ in range(steps):
        with connection.transaction():
            connection.execute("INSERT INTO step (body) VALUES (%s)", ("x" * 300,))
    return time.perf_counter() - begun


def per_second() -> float:
    """Steps per second of one worker that executes all runs at once."""
    from workflows.actions import runs
    from workflows.core.engine.signals import Reply
    from workflows.models import Run

    async def perform(log: Any, effect: Any) -> Reply:
        await asyncio.sleep(LATENCY)
        return Reply(at=time.time(), key=effect.key, text="Next")

    pack = relay_pack()
    options = {"script": {"replies": [{"text": "Next"}]}, "budget": {"model_calls": LENGTH}}
    started = [runs.start(pack, driver="script", options=options).pk for _ in range(RUNS)]
    took = asyncio.run(worked_until_idle(perform))
    ended = Run.objects.filter(pk__in=started, status="budget_exhausted").count()
    assert ended == RUNS, ended
    return RUNS * LENGTH / took


def main(steps: int) -> None:
    import psycopg
    from psycopg.rows import dict_row

    with tempfile.TemporaryDirectory() as data, empty_database() as address:
        os.environ["SIGNALBOX_DATABASE"] = address
        prepare(data)
        with (
            psycopg.connect(address, autocommit=True) as plain,
            psycopg.connect(address, autocommit=True, row_factory=dict_row) as theirs,
        ):
            ways: dict[str, Callable[[int], float]] = {
                "a raw commit": partial(raw, connection=plain),
                **{name: way for name, way in OURS.items() if name != "ours, a long script"},
            }
            if importlib.util.find_spec("langgraph") is None:
                print(MISSING)
            else:
                saver = postgres_saver(theirs)
                ways[THEIRS] = partial(langgraph, make=relay_graph, saver=saver, durability="sync")
            took, worked = alternating(ways, steps)
            table(steps, took, worked)
            print_rows(rows(took, share=0.5, peer_name="LangGraph + PostgresSaver"))
            print_rows(
                (
                    Row(
                        name=f"steps per second, {RUNS} runs",
                        value=per_second(),
                        unit="",
                        goal=LEAST_PER_SECOND,
                        least=True,
                    ),
                )
            )
        from django.db import connections

        connections.close_all()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
