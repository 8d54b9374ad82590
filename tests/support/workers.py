"""Helpers for workers that a test runs in its own process."""

from __future__ import annotations

import asyncio

from workflows.runner.worker import Worker


async def until_idle(worker: Worker) -> None:
    """Wait until the worker has no job left. Fails after half a minute."""
    async with asyncio.timeout(120):
        await worker.run_until_idle()
