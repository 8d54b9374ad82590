"""Execution of one run by one worker: perform pending effects until no worker can continue."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import TypeVar, assert_never
from uuid import UUID

from workflows.actions import runs
from workflows.actions.run_log import Log
from workflows.actions.unperformed_effects import LeftToPerson
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.signals import Signal, TimeUp
from workflows.errors import NotThere
from workflows.runner.database_threads import DatabaseThreads
from workflows.runner.drivers.base import ModelUnavailable
from workflows.runner.left_processes import end_left_processes
from workflows.runner.performed_effects import is_performed
from workflows.telemetry.logs import log_context

T = TypeVar("T")
log = logging.getLogger(__name__)
CLOCK_TOLERANCE = 5.0
"""Seconds that a request may lie ahead of the clock."""

Outcome = Signal | LeftToPerson | None
"""Result of performing an effect. None: left to a person, without a reason."""

Perform = Callable[[Log, Effect], Awaitable[Outcome]]
"""Perform an effect of this run and return its signal, or leave it to a person. Raises only
RunCannotContinue, ModelUnavailable, and the errors of an unavailable database."""


class RunCannotContinue(Exception):
    """No worker can answer this run. It fails with the message as its reason."""


class RunExecutor:
    """Executes one run. No effect is performed twice here, and an effect that is no longer pending
    (a cancelled run, an external event) is cancelled.

    The log is held as long as no other writer changes it. It is read again after a notification,
    and when an answer does not fit the held log.
    """

    def __init__(
        self,
        run_id: UUID,
        *,
        perform: Perform,
        threads: DatabaseThreads,
        stopped_at: float | None,
        at_work: Callable[[UUID], AbstractContextManager[None]],
    ) -> None:
        self._run_id = run_id
        self._perform = perform
        self._threads = threads
        self._stopped_at = stopped_at
        """Time at which another worker stopped while it performed the pending effects; None if none
        did."""
        self._at_work = at_work
        self._log: Log | None = None
        """The log as last read or written here. None if it must be read."""
        self._newest = 0
        self._notified = False
        self._wakeup: asyncio.Future[None] | None = None
        """Resolved to end the current wait."""
        self._tasks: dict[str, asyncio.Task[Outcome]] = {}
        self._left_to_people: dict[str, LeftToPerson] = {}
        """Effects that are left to a person, by key."""
        self._allowed: set[str] = set()
        """Keys of effects that were allowed by a person before they were started here."""
        self._due: dict[str, float] = {}
        """End of each `Wait`, in seconds since 1970."""
        self._ends: dict[str, float] = {}
        """End of each `Wait` that began before the clock was set back, in seconds of the monotonic
        clock."""

    @property
    def newest(self) -> int:
        """Number of the newest event known here."""
        return self._log.run.n if self._log else self._newest

    def release_log(self) -> None:
        """Keep only the number of the newest event if the run only waits: thousands of runs do, and
        the log is read again with the answer. Call it on the worker's loop only."""
        if self._wakeup is not None:
            self._newest, self._log = self.newest, None

    def notify(self) -> None:
        """Announce that the run may have changed. Call it on the worker's loop only."""
        self._notified = True
        self._wake()

    async def work(self) -> None:
        """Work until the run has ended, or waits for people or for its time."""
        with log_context(run=self._run_id):
            await self._work()

    async def _work(self) -> None:
        try:
            with suppress(NotThere):
                if self._stopped_at is not None:
                    await self._threads.run(self._take_over, self._stopped_at)
                while await self._round():
                    pass
        except runs.ProgramBroke as broke:
            log.exception("Run %s cannot continue", self._run_id)
            reason = f"An internal error stopped the computation of the next step ({broke})."
            await self._fail(reason)
        except RunCannotContinue as error:
            await self._fail(str(error))
        finally:
            await self._cancel(list(self._tasks))

    def _take_over(self, stopped_at: float) -> None:
        """End what the other worker's commands left running, and record what is repeated here."""
        end_left_processes(str(self._run_id))
        runs.repeat_calls(self._run_id, is_performed, stopped_at)

    async def _fail(self, reason: str) -> None:
        with suppress(NotThere):
            await self._threads.run(runs.fail, self._run_id, reason)

    async def _round(self) -> bool:
        """Start pending effects, then wait for an answer and deliver it. False if nothing is left
        to do."""
        pending = await self._start_pending()
        if await self._deliver_answers():
            return True
        if self._log is not None and self._log.run.finished:
            return False  # Its job was deleted with the event that ended it.
        if not self._tasks and not self._ends:
            left = self._left_to_people
            people = {key: left[key] for key in pending if key in left}
            due = min(self._due.values(), default=None)
            n, self._log = self.newest, None
            return not await self._threads.run(
                runs.settle, self._run_id, n=n, people=people, due=due
            )
        await self._wait()
        await self._deliver_answers()
        return True

    async def _start_pending(self) -> list[str]:
        """Start new effects and cancel withdrawn ones. Returns the keys of all pending effects."""
        now = await self._read_log()
        pending = {effect.key: effect for effect in pending_effects(now.run)}
        await self._cancel([key for key in self._tasks if key not in pending])
        for key in set(now.run.allowed) - self._allowed:
            self._allowed.add(key)
            self._left_to_people.pop(key, None)
        for effect in pending.values():
            await self._start(now, effect)
        self._due = {key: due for key, due in self._due.items() if key in pending}
        self._ends = {key: end for key, end in self._ends.items() if key in self._due}
        return list(pending)

    async def _read_log(self) -> Log:
        if self._notified or self._log is None:
            self._notified = False
            work = partial(runs.work_of, self._run_id, self._log)
            self._log = await self._threads.run(self._compute, work)
        return self._log

    async def _start(self, now: Log, effect: Effect) -> None:
        if any(effect.key in started for started in (self._tasks, self._left_to_people, self._due)):
            return
        if effect.key in now.run.unanswered:
            return
        match effect:
            case Wait():
                asked_at = await self._threads.run(runs.asked_at, self._run_id, effect.key)
                due = asked_at + effect.seconds
                if asked_at > time.time() + CLOCK_TOLERANCE:
                    # The clock was set back. Wait here for the whole time, because a job in the
                    # database would be due by the clock.
                    due = time.time() + effect.seconds
                    self._ends[effect.key] = time.monotonic() + effect.seconds
                self._due[effect.key] = due
            case AskModel() | CallTool() | RunCommand() | AskHuman():
                work = asyncio.ensure_future(self._perform(now, effect))
                self._tasks[effect.key] = work
            case _:
                assert_never(effect)

    async def _deliver_answers(self) -> bool:
        """Deliver finished answers to the run. True if there were any."""
        answers: list[Signal] = []
        ended = [(key, task) for key, task in self._tasks.items() if task.done()]
        for key, task in ended:
            del self._tasks[key]
            try:
                answer = task.result()
            except ModelUnavailable as error:
                self._log = None
                await self._threads.run(
                    runs.hold, self._run_id, key, str(error), error.sent, error.connection
                )
                continue
            if answer is None or isinstance(answer, LeftToPerson):
                self._left_to_people[key] = answer or LeftToPerson()
            else:
                answers.append(answer)
        now = time.monotonic()
        over = [
            key
            for key, due in self._due.items()
            if due <= time.time() or self._ends.get(key, math.inf) <= now
        ]
        for key in over:
            del self._due[key]
            self._ends.pop(key, None)
            answers.append(TimeUp(at=time.time(), key=key))
        if answers:
            held, self._log = self._log, None
            work = partial(runs.deliver, self._run_id, *answers, held=held)
            self._log = await self._threads.run(self._compute, work)
        return bool(ended or over)

    def _compute(self, work: Callable[[], T]) -> T:
        """Compute the run's next step on a thread, marked for the case that it takes the worker
        down."""
        with self._at_work(self._run_id):
            return work()

    async def _wait(self) -> None:
        """Wait for an answer, a notification or the end of a `Wait`. A single future serves all
        three, because thousands of runs wait here."""
        if self._notified:
            return
        loop = asyncio.get_running_loop()
        self._wakeup = loop.create_future()
        for task in self._tasks.values():
            task.add_done_callback(self._wake)
        next_due = min(self._due.values(), default=None)
        clock = None
        if next_due is not None:
            clock = loop.call_later(max(0.0, next_due - time.time()), self._wake)
        try:
            await self._wakeup
        finally:
            if clock is not None:
                clock.cancel()
            for task in self._tasks.values():
                task.remove_done_callback(self._wake)
            self._wakeup = None

    def _wake(self, _: object = None) -> None:
        if self._wakeup is not None and not self._wakeup.done():
            self._wakeup.set_result(None)

    async def _cancel(self, keys: list[str]) -> None:
        """Cancel effects that are no longer pending."""
        tasks = [self._tasks.pop(key) for key in keys]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
