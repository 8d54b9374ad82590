"""`signalbox worker`: runs the worker until it is stopped."""

from __future__ import annotations

import asyncio
import signal

from signalbox.database import checkpoint, prepare
from signalbox.isolation import check_isolation
from signalbox.metrics_server import figures


def work(max_runs: int, metrics: str = "") -> None:
    """Work until SIGTERM or SIGINT; runs in progress are then released for other workers.
    `metrics`: `[host:]port` of this worker's metrics, "" for none.

    Raises Trouble if the database or that port cannot be used.
    """
    prepare("worker")
    check_isolation()
    with figures(metrics):
        asyncio.run(_run_until_signal(max_runs))
    checkpoint()


async def _run_until_signal(max_runs: int) -> None:
    from workflows.live.relay import Relay
    from workflows.runner.periodic_tasks import run_periodic_tasks
    from workflows.runner.worker import worker

    stop = asyncio.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(one, stop.set)
    relay = Relay()
    try:
        async with worker(max_runs=max_runs), run_periodic_tasks():
            print("Ready for runs.", flush=True)
            await stop.wait()
    finally:
        await relay.close()
