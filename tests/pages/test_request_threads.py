"""Requests share threads, and with them the connections to the database."""

from __future__ import annotations

import asyncio
import threading

from asgiref.sync import sync_to_async

from signalbox.request_threads import RequestThreads

PATIENCE = 10


async def served(
    threads: RequestThreads, *, all_here: asyncio.Barrier | None = None
) -> threading.Thread:
    """The thread of one request, which lasts until all of them are here."""
    async with threads.lend():
        if all_here is not None:
            await all_here.wait()
        return await sync_to_async(threading.current_thread)()


async def test_one_request_after_the_other_has_the_same_thread() -> None:
    threads = RequestThreads()
    assert len({await served(threads) for _ in range(5)}) == 1


async def test_requests_at_the_same_time_have_threads_of_their_own() -> None:
    threads, all_here = RequestThreads(), asyncio.Barrier(3)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(served(threads, all_here=all_here)) for _ in range(3)]
    assert len({task.result() for task in tasks}) == 3


async def test_threads_that_are_not_needed_end() -> None:
    threads, all_here = RequestThreads(most_idle=1), asyncio.Barrier(3)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(served(threads, all_here=all_here)) for _ in range(3)]
    kept = await served(threads)
    ended = {task.result() for task in tasks} - {kept}
    for thread in ended:
        await asyncio.to_thread(thread.join, PATIENCE)
    assert [thread.is_alive() for thread in ended] == [False, False]
    assert kept.is_alive()


async def test_the_view_of_a_cancelled_request_delays_no_other() -> None:
    threads = RequestThreads()
    running, over = threading.Event(), threading.Event()

    def view() -> None:
        running.set()
        over.wait(PATIENCE)

    async def request() -> None:
        async with threads.lend():
            await sync_to_async(view)()

    task = asyncio.create_task(request())
    await asyncio.to_thread(running.wait, PATIENCE)
    task.cancel()
    async with asyncio.timeout(PATIENCE):
        await served(threads)
    assert not task.done()
    over.set()
    await asyncio.wait([task], timeout=PATIENCE)
    assert task.done()
