"""Answers of many runs, stored by one thread with one commit.

Answers that arrive while a commit is written share the next one. So a worker with many runs pays
one commit, one round trip and one change of threads for all of them. A step is shown after its
commit, as it is alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import TypeAlias
from uuid import UUID

from workflows.actions import runs
from workflows.actions.run_log import Log, StaleLog
from workflows.actions.run_steps import Steps, commit_together
from workflows.core.engine.signals import Signal
from workflows.runner.database_threads import DATABASE_UNAVAILABLE, DatabaseThreads, WriterThread
from workflows.runner.inline import deliver_signals, ignore_own_notifications

PATIENCE = 0.1
"""Seconds after which the next answers no longer wait for a commit, because a run in it takes long
to compute. They are stored on another thread."""
MOST = 64
"""Runs that share a commit."""

AtWork: TypeAlias = Callable[[UUID], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Delivery:
    """Answers to effects of one run. `log`: the caller's log, which may be stale."""

    run_id: UUID
    log: Log | None
    answers: Sequence[Signal]
    stored: asyncio.Future[Log]
    context: Context = field(default_factory=copy_context)


class SharedCommits:
    """Stores deliveries, in turns. Use it on one event loop.

    `threads` take over while the writer is busy for long. `at_work` marks a run while its next step
    is computed, for the case that it takes the worker down.
    """

    def __init__(self, *, threads: DatabaseThreads, at_work: AtWork) -> None:
        self._threads = threads
        self._at_work = at_work
        self._writer = WriterThread(name="commits")
        self._writer_is_free = True
        self._waiting: list[Delivery] = []
        self._turn: asyncio.Task[None] | None = None
        """The turn that the waiting deliveries wait for."""
        self._turns: set[asyncio.Task[None]] = set()

    async def deliver(self, run_id: UUID, log: Log | None, answers: Sequence[Signal]) -> Log:
        """The run after these answers, which are committed. Raises NotThere and ProgramBroke. The
        answers are stored even if the caller is cancelled."""
        loop = asyncio.get_running_loop()
        delivery = Delivery(run_id=run_id, log=log, answers=answers, stored=loop.create_future())
        self._waiting.append(delivery)
        loop.call_soon(self._begin)  # After the other answers that are ready now.
        return await delivery.stored

    async def close(self) -> None:
        """Complete pending deliveries."""
        while self._turns:
            await asyncio.gather(*self._turns)
        await self._writer.close()

    def _begin(self) -> None:
        if self._turn is not None or not self._waiting:
            return
        deliveries, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        turn = self._turn = asyncio.create_task(self._store(deliveries))
        self._turns.add(turn)
        turn.add_done_callback(self._turns.discard)
        turn.add_done_callback(self._end)
        asyncio.get_running_loop().call_later(PATIENCE, self._end, turn)

    def _end(self, turn: asyncio.Task[None]) -> None:
        """Let the waiting deliveries begin, unless they wait for another turn."""
        if self._turn is turn:
            self._turn = None
            self._begin()

    async def _store(self, deliveries: Sequence[Delivery]) -> None:
        results: Sequence[Log | Exception]
        threads, is_writer = self._threads, self._writer_is_free
        if is_writer:
            threads, self._writer_is_free = self._writer, False
        try:
            results = await threads.run(stored, deliveries, self._at_work)
        except Exception as error:
            results = [error] * len(deliveries)
        finally:
            self._writer_is_free |= is_writer
        for delivery, result in zip(deliveries, results, strict=True):
            if delivery.stored.done():
                continue  # The caller was cancelled.
            if isinstance(result, Exception):
                delivery.stored.set_exception(result)
            else:
                delivery.stored.set_result(result)


def stored(deliveries: Sequence[Delivery], at_work: AtWork) -> list[Log | Exception]:
    """The runs after their answers, each with its own error. Raises the errors of an unavailable
    database."""
    steps = {}
    for one in deliveries if len(deliveries) > 1 else ():
        with at_work(one.run_id):
            computed = one.context.run(_computed, one)
        if computed is not None:
            steps[one] = computed
    with ignore_own_notifications(*(one.run_id for one in steps)):
        logs = dict(zip(steps, commit_together(list(steps.values())), strict=True))
    return [logs.get(one) or _stored_alone(one, at_work) for one in deliveries]


def _computed(delivery: Delivery) -> Steps | None:
    """The run's next step. None if it has to be stored alone."""
    if delivery.log is None:
        return None
    steps = Steps(delivery.log)
    try:
        for answer in delivery.answers:
            steps.take(answer)
    except (runs.ProgramBroke, StaleLog):
        return None
    return steps


def _stored_alone(delivery: Delivery, at_work: AtWork) -> Log | Exception:
    try:
        with at_work(delivery.run_id):
            return delivery.context.run(
                deliver_signals, delivery.run_id, delivery.log, delivery.answers
            )
    except DATABASE_UNAVAILABLE:
        raise
    except Exception as error:
        return error
