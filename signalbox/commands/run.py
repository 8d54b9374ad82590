"""`signalbox run`: one run without a server. Nothing of the pack is executed here.

The driver answers for the model; commands, tools and people are answered by the script. The run
waits at a command or question that the script does not answer; a rehearsal simulates the result of
a command by its seed, and `--deny` denies every approval. `Wait` does not wait: the run's clock is
advanced instead.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, assert_never

from signalbox.commands.endpoint import reach_from
from signalbox.commands.errors import BUDGET_EXHAUSTED, FAILED, OK, UNREADABLE, WAITING, Trouble
from signalbox.commands.inputs import read_inputs, read_json
from signalbox.commands.packs import pack_at
from signalbox.commands.run_output import Narrator
from workflows.core.engine.capabilities import missing_capability
from workflows.core.engine.effects import (
    AskHuman,
    AskModel,
    CallTool,
    Effect,
    RunCommand,
    Wait,
)
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.replay.recording import (
    CONTEXT_FIELDS,
    InvalidRecording,
    unmet_expectation,
)
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Signal, Start, TimeUp, ToolDone
from workflows.core.engine.transition import transition
from workflows.core.pack.graph import Graph
from workflows.run_context import program_from_log
from workflows.runner.drivers import drivers
from workflows.runner.drivers.base import Driver, ModelUnavailable
from workflows.runner.drivers.script_file import (
    BadScript,
    read_script,
    scripted_answer,
    scripted_command,
    scripted_tool,
    turn_of,
)
from workflows.runner.planning_mode import refuse_command
from workflows.runner.simulated import deny_unattended, rehearse_answer

CODES = {"completed": OK, "failed": FAILED, "budget_exhausted": BUDGET_EXHAUSTED}


def run(options: argparse.Namespace) -> int:
    """Exit 0 completed, 1 failed, 3 budget exhausted, 4 waiting for a person; 1 also if the run
    differs from its script."""
    inputs = read_inputs(options.input, options.input_file)
    script = read_json(options.script) if options.script else {}
    driver = _driver(options.driver or ("script" if options.script else "rehearsal"))
    pack = pack_at(options.path)
    source, graph, profile = pack.graph(options.profile)
    narrator = Narrator(as_json=options.json)
    try:
        recorded = read_script(script)
    except BadScript as bad:
        raise Trouble(f"{options.script}: {bad.message}", code=UNREADABLE) from bad
    inputs = {**recorded.inputs, **inputs}
    beside = {**recorded.beside, **({"mode": options.mode} if options.mode else {})}
    chosen = {"seed": options.seed, "script": script, "deny": options.deny, **beside}
    if driver.name == "model":
        reach = reach_from(os.environ, options.model)
        chosen |= {"connection": reach, "model": reach.model}
    headless = Headless(driver, graph, chosen, narrator)
    try:
        program: Program = program_from_log(pack.dialect.program(source, profile), beside)
    except CannotRun as cannot:
        headless.cannot_start(inputs, cannot)
        return FAILED
    except InvalidRecording as bad:
        raise Trouble(f"{options.script}: {bad}", code=UNREADABLE) from bad
    lacking = missing_capability(program, driver.claims, driver.name)
    if lacking:
        headless.cannot_start(inputs, CannotRun(lacking))
        return FAILED
    ended = asyncio.run(headless.play(program, inputs, options.max_steps))
    narrator.close(ended)
    if headless.departed:
        raise Trouble(f"This is not the run that was recorded. {headless.departed}", code=FAILED)
    return CODES.get(ended.status, FAILED) if ended.finished else WAITING


def _driver(name: str) -> Driver:
    known = drivers()
    if name not in known:
        raise Trouble(f"Unknown driver {name!r}. Drivers: {', '.join(known)}.")
    return known[name]


class Headless:
    """The runner of a run without a server."""

    def __init__(
        self, driver: Driver, graph: Graph, options: Mapping[str, Any], narrator: Narrator
    ) -> None:
        self.driver = driver
        self.graph = graph
        self.options = options
        self.script = read_script(options["script"])
        self.narrator = narrator
        self.run = RunState()
        self.events: list[Event] = []
        self.ahead = 0.0
        """Seconds that the run's clock is ahead, for every skipped `Wait`."""

    @property
    def departed(self) -> str:
        """One sentence: the divergence of this run from its script, "" for none."""
        return unmet_expectation(self.script.expects, self.events)[1] if self.script.expects else ""

    def now(self) -> float:
        return time.time() + self.ahead

    async def play(self, program: Program, inputs: Mapping[str, str], steps: int) -> RunState:
        """Run until the end, or until an answer is missing."""
        events, _ = transition(program, self.run, Start(at=self.now(), inputs=inputs))
        self._take(_with_driver(events, self.driver.name, self.options))
        taken = 0
        while not self.run.finished:
            try:
                signal = await self._next_answer()
            except CannotRun as cannot:
                self._finish("failed", cannot.message)
                break
            except ModelUnavailable as why:
                self._write("run.paused", {"reason": str(why)})
                break
            if signal is None:
                break
            if taken == steps:
                self._finish("budget_exhausted", f"max_steps {taken} reached limit {steps}")
                break
            taken += 1
            events, _ = transition(program, self.run, replace(signal, at=self.now()))
            self._take(events)
        return self.run

    def cannot_start(self, inputs: Mapping[str, str], cannot: CannotRun) -> None:
        """The log of a pack without a program: it started, and failed with the reason."""
        fields = {"inputs": dict(inputs), "driver": self.driver.name}
        self._take((Event(n=1, at=self.now(), type="run.started", fields=fields),))
        self._finish("failed", cannot.message)
        self.narrator.close(self.run)

    async def _next_answer(self) -> Signal | None:
        """The answer to the first pending effect that can be answered here."""
        for effect in sorted(pending_effects(self.run), key=self._turn):
            signal = await self._answer(effect)
            if signal is not None:
                return signal
        return None

    def _turn(self, effect: Effect) -> int:
        """Order of pending effects. A recorded run may answer out of order, and so does its script;
        other scripts answer in order."""
        given = sum(len(states) for states in self.run.answered.values())
        turn = turn_of(self.script, effect, self.run)
        return 0 if turn == given + 1 else 1 if turn is None else turn + 1

    async def _answer(self, effect: Effect) -> Signal | None:
        match effect:
            case AskModel():
                return await self.driver.answer(effect, self.run, self.graph, self.options)
            case RunCommand():
                return (
                    refuse_command(effect, self.options)
                    or scripted_command(self.script, effect, self.run)
                    or self._made_up(effect)
                )
            case AskHuman():
                told = scripted_answer(self.script, effect, self.run)
                return told or deny_unattended(effect, self.options)
            case CallTool():
                return scripted_tool(self.script, effect, self.run) or self._stand_in(effect)
            case Wait():
                self.ahead += effect.seconds
                return TimeUp(at=self.now(), key=effect.key)
            case _:
                assert_never(effect)

    def _made_up(self, effect: RunCommand) -> Signal | None:
        """A simulated result of a command in a rehearsal; other runs wait for a person."""
        if self.driver.name != "rehearsal":
            return None
        return rehearse_answer(effect, self.run, self.graph, self.options)

    def _stand_in(self, effect: CallTool) -> ToolDone:
        """Tools are not called here: a rehearsal continues with a simulated result, other runs get
        an error."""
        if self.driver.name == "rehearsal":
            result = f"Rehearsed result of {effect.name}."
            return ToolDone(at=self.now(), key=effect.key, result=result)
        error = f"The tool {effect.name} is not run here, and the script has no result for it."
        return ToolDone(at=self.now(), key=effect.key, error=error)

    def _take(self, events: tuple[Event, ...]) -> None:
        self.run = fold_all(events, self.run)
        self.events += events
        for event in events:
            self.narrator.tell(event)

    def _finish(self, status: str, reason: str) -> None:
        self._write("run.finished", {"status": status, "reason": reason})

    def _write(self, type: str, fields: Mapping[str, Any]) -> None:
        self._take((Event(n=self.run.n + 1, at=self.now(), type=type, fields=fields),))


def _with_driver(
    events: tuple[Event, ...], driver: str, options: Mapping[str, Any]
) -> tuple[Event, ...]:
    """Add the driver and the run context to `run.started`."""
    first, *rest = events
    beside = {name: options[name] for name in CONTEXT_FIELDS if options.get(name)}
    return (replace(first, fields={**first.fields, "driver": driver, **beside}), *rest)
