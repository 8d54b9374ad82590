"""One worker's time with one run: perform what is pending until no worker can go on."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import assert_never
from uuid import UUID

from workflows.actions import runs
from workflows.actions.run_log import Log
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.signals import Signal, TimeUp
from workflows.errors import NotThere
from workflows.runner.database_threads import DatabaseThreads
from workflows.runner.drivers.base import Unanswered
from workflows.runner.inline import deliver_signal
from workflows.runner.simulated import SIMULATED
from workflows.telemetry.logs import about

log = logging.getLogger(__name__)

Perform = Callable[[Log, Effect], Awaitable[Signal | None]]
"""Does an effect of this run and answers with its signal; None leaves it to a person. Raises
CannotGoOn, Unanswered or what the database says where that is away, and nothing else."""


AdvanceInline = Callable[[UUID, Log | None], tuple[Log, bool]]
"""Reads a run where it is not in hand, and may go on with it by itself; True where it could do more
of that."""


def read_only(run_id: UUID, log: Log | None) -> tuple[Log, bool]:
    """Leave everything to `Perform`."""
    return log or runs.work_of(run_id), False


class CannotGoOn(Exception):
    """Nothing here can answer this run; the sentence says why. The run fails with it."""


class RunExecutor:
    """Nothing is requested twice here, and what is no longer wanted (a cancelled run, an event from
    outside) is dropped half-way: the log is in hand as long as nobody else writes to it, and is
    read again when somebody rings or an answer does not fit behind what was read."""

    def __init__(
        self,
        run_id: UUID,
        *,
        perform: Perform,
        threads: DatabaseThreads,
        carry_on: AdvanceInline = read_only,
    ) -> None:
        self._run_id = run_id
        self._perform = perform
        self._carry_on = carry_on
        self._threads = threads
        self._in_hand: Log | None = None
        """The log as it was read or written here last. None where it is to be read."""
        self._seen = 0
        self._rung = False
        self._happens: asyncio.Future[None] | None = None
        """Where it waits for something to happen."""
        self._under_way: dict[str, asyncio.Task[Signal | None]] = {}
        self._people: set[str] = set()
        """Keys of effects that the driver leaves to a person."""
        self._due: dict[str, float] = {}
        """When each `Wait` ends, in seconds since 1970."""

    @property
    def seen(self) -> int:
        """Number of the newest event that is known here."""
        return self._in_hand.run.n if self._in_hand else self._seen

    def put_down(self) -> None:
        """Hold no more of the run than its number, if all it does is wait: thousands do, and their
        logs are read again with the answer. On the worker's loop only."""
        if self._happens is not None:
            self._seen, self._in_hand = self.seen, None

    def ring(self) -> None:
        """The run may have changed from outside. On the worker's loop only."""
        self._rung = True
        self._happened()

    async def work(self) -> None:
        """Until the run is over, or waits for people or for its time."""
        with about(run=self._run_id):
            await self._work()

    async def _work(self) -> None:
        try:
            with suppress(NotThere):
                while await self._go_on():
                    pass
        except runs.ProgramBroke as broke:
            log.exception("Run %s cannot go on", self._run_id)
            reason = f"Signalbox itself made a mistake while it decided what is next ({broke})."
            await self._fail(reason)
        except CannotGoOn as why:
            await self._fail(str(why))
        finally:
            await self._drop(list(self._under_way))

    async def _fail(self, reason: str) -> None:
        with suppress(NotThere):
            await self._threads.run(runs.fail, self._run_id, reason)

    async def _go_on(self) -> bool:
        """Begin what is wanted, then take in what ends first. False when there is nothing to do."""
        wanted = await self._begin_what_is_wanted()
        if wanted is None or await self._deliver_what_ended():
            return True
        if not self._under_way:
            people = [key for key in wanted if key in self._people]
            due = min(self._due.values(), default=None)
            n, self._in_hand = self.seen, None
            return not await self._threads.run(
                runs.settle, self._run_id, n=n, people=people, due=due
            )
        await self._until_something_happens()
        await self._deliver_what_ended()
        return True

    async def _begin_what_is_wanted(self) -> list[str] | None:
        """The keys of all that is pending. None where there is more to do at once."""
        now, more = await self._look()
        if more:
            return None
        wanted = {effect.key: effect for effect in pending_effects(now.run)}
        await self._drop([key for key in self._under_way if key not in wanted])
        for effect in wanted.values():
            await self._begin(now, effect)
        self._due = {key: due for key, due in self._due.items() if key in wanted}
        return list(wanted)

    async def _look(self) -> tuple[Log, bool]:
        """The run as it is now; True where there is more to do at once."""
        if self._rung:
            self._in_hand = None
        self._rung = False
        known = self._under_way or self._people or self._due
        read = read_only if known else self._carry_on
        in_hand = self._in_hand
        if in_hand and (read is read_only or in_hand.row.driver not in SIMULATED):
            return in_hand, False
        now, more = await self._threads.run(read, self._run_id, in_hand)
        self._in_hand = now
        return now, more

    async def _begin(self, now: Log, effect: Effect) -> None:
        if any(effect.key in known for known in (self._under_way, self._people, self._due)):
            return
        if effect.key in now.run.unanswered:
            return
        match effect:
            case Wait():
                asked = await self._threads.run(runs.asked_at, self._run_id, effect.key)
                self._due[effect.key] = asked + effect.seconds
            case AskModel() | CallTool() | RunCommand() | AskHuman():
                work = asyncio.ensure_future(self._perform(now, effect))
                self._under_way[effect.key] = work
            case _:
                assert_never(effect)

    async def _deliver_what_ended(self) -> bool:
        """Hand answers to the run. True if there were any."""
        ended = [(key, task) for key, task in self._under_way.items() if task.done()]
        for key, task in ended:
            del self._under_way[key]
            try:
                answer = task.result()
            except Unanswered as why:
                self._in_hand = None
                await self._threads.run(runs.hold, self._run_id, key, str(why))
                continue
            if answer is None:
                self._people.add(key)
            else:
                await self._pass_on(answer)
        over = [key for key, due in self._due.items() if due <= time.time()]
        for key in over:
            del self._due[key]
            await self._pass_on(TimeUp(at=time.time(), key=key))
        return bool(ended or over)

    async def _pass_on(self, answer: Signal) -> None:
        now, self._in_hand = self._in_hand, None
        self._in_hand = await self._threads.run(deliver_signal, self._run_id, now, answer)

    async def _until_something_happens(self) -> None:
        """An answer, a ring, or the end of a `Wait`. Thousands of runs wait here at once, so only
        a future is made for it."""
        if self._rung:
            return
        loop = asyncio.get_running_loop()
        self._happens = loop.create_future()
        for task in self._under_way.values():
            task.add_done_callback(self._happened)
        next_due = min(self._due.values(), default=None)
        clock = None
        if next_due is not None:
            clock = loop.call_later(max(0.0, next_due - time.time()), self._happened)
        try:
            await self._happens
        finally:
            if clock is not None:
                clock.cancel()
            for task in self._under_way.values():
                task.remove_done_callback(self._happened)
            self._happens = None

    def _happened(self, _: object = None) -> None:
        if self._happens is not None and not self._happens.done():
            self._happens.set_result(None)

    async def _drop(self, keys: list[str]) -> None:
        """Nobody wants these answers any more."""
        tasks = [self._under_way.pop(key) for key in keys]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
