"""Effect → driver, tool or command → signal.

A driver that breaks becomes an answer with an error, which the pack's own program deals with; only
a run that nothing here can answer at all is ended.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import Any, assert_never

from workflows.actions.run_log import Log
from workflows.actions.run_programs import program_of
from workflows.core.engine.capabilities import missing_capability
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.program import CannotRun
from workflows.core.engine.signals import CommandDone, Reply, Signal, ToolDone
from workflows.core.pack.graph import Graph
from workflows.models import Run
from workflows.notifications import partial_output
from workflows.notifications.bus import publish_delta
from workflows.runner import sandbox, tool_calls
from workflows.runner.database_threads import DATABASE_UNAVAILABLE, in_thread
from workflows.runner.drivers import drivers
from workflows.runner.drivers.base import Driver, ModelUnavailable, OnDelta, delay_seconds
from workflows.runner.executor import RunCannotContinue
from workflows.runner.planning_mode import refuse_command
from workflows.runner.simulated import SIMULATORS, deny_unattended, simulates_tools
from workflows.runner.tool_calls import may_run_commands
from workflows.selectors.model_choices import options_at
from workflows.selectors.sources import view
from workflows.telemetry.logs import log_context

logger = logging.getLogger(__name__)


async def perform(log: Log, effect: Effect) -> Signal | None:
    """Have an effect done. None: a person answers. Raises CannotGoOn where nobody ever can,
    ModelUnavailable where somebody may later, and what the database says where that is away."""
    run_id, driver = log.row.pk, log.row.driver
    with log_context(pack=log.row.pack.name, state=effect.state):
        performing = _perform(log, effect)
        del log  # thousands of runs wait here, and their logs can be read again
        try:
            return await performing
        except (RunCannotContinue, ModelUnavailable, *DATABASE_UNAVAILABLE):
            raise
        except Exception as broke:
            logger.exception("Driver %s broke at %s of run %s", driver, effect.key, run_id)
            return _error_signal(effect, f"{type(broke).__name__}: {broke}")


async def _perform(log: Log, effect: Effect) -> Signal | None:
    told = refuse_command(effect, log.row.options)
    if told is not None:
        return told
    match effect:
        case RunCommand():
            if may_run_commands(log.row):
                return await _command(log, effect)
        case CallTool():
            if not simulates_tools(log.row, log.run, effect):
                done = await tool_calls.call(log.row, effect)
                if done is not None:
                    return done
        case AskModel() | AskHuman() | Wait():
            pass
        case _:
            assert_never(effect)
    asking = _driver(log, effect)
    del log
    return await asking


async def _command(log: Log, effect: RunCommand) -> CommandDone:
    folder = await tool_calls.workspace(log.row)
    ended = await sandbox.run(effect.command, folder=folder, timeout=effect.timeout)
    return CommandDone(
        at=time.time(),
        key=effect.key,
        exit=ended.exit,
        stdout=ended.stdout,
        stderr=ended.stderr,
    )


async def _driver(log: Log, effect: Effect) -> Signal | None:
    """The driver, or who stands in for the rest; at its own pace, so that people can watch."""
    row, options = log.row, log.row.options
    driver = drivers().get(row.driver)
    if driver is None:
        known = ", ".join(sorted(drivers()))
        raise RunCannotContinue(f"There is no driver {row.driver!r} here; there are {known}.")
    graph = await in_thread(_graph, row)
    await asyncio.sleep(delay_seconds(options))
    try:
        if row.driver in SIMULATORS:
            said = await asyncio.to_thread(_simulated_answer, driver, log, effect, graph)
        elif isinstance(effect, AskModel):
            asked_with = await in_thread(_question_options, row, driver, effect)
            with partial_output.publish_partial_output(row.pk, effect.key) as say:
                asking = driver.answer(effect, log.run, graph, asked_with, say)
                del log, row
                said = await asking
        else:
            said = None
    except CannotRun as cannot:
        raise RunCannotContinue(cannot.message) from cannot
    said = said or deny_unattended(effect, options)
    return None if said is None else replace(said, at=time.time())


def _question_options(row: Run, driver: Driver, effect: AskModel) -> dict[str, Any]:
    """The options of this question. Raises CannotGoOn where the pack asks more of a model than this
    driver has."""
    lacking = missing_capability(program_of(row), driver.claims, row.driver)
    if lacking:
        raise RunCannotContinue(lacking)
    return options_at(row, effect.state)


def _simulated_answer(driver: Driver, log: Log, effect: Effect, graph: Graph) -> Signal | None:
    """Nothing but computing, so on a thread: a large graph takes long enough to be felt."""
    options = log.row.options
    if isinstance(effect, AskModel):
        answer = driver.answer(effect, log.run, graph, options, _delta(log.row, effect))
        return asyncio.run(answer)
    return SIMULATORS[driver.name](effect, log.run, graph, options)


def _graph(row: Run) -> Graph:
    return view(row.pack, row.revision, row.profile).graph


def _delta(row: Run, effect: AskModel) -> OnDelta:
    async def pass_on(text: str) -> None:
        publish_delta(row.pk, effect.key, text)

    return pass_on


def _error_signal(effect: Effect, why: str) -> Signal:
    """The effect's own kind of failure."""
    match effect:
        case AskModel(key=key):
            return Reply(at=time.time(), key=key, error=why)
        case CallTool(key=key):
            return ToolDone(at=time.time(), key=key, error=why)
        case RunCommand(key=key):
            return CommandDone(at=time.time(), key=key, exit=sandbox.NOT_FOUND, stderr=why)
        case AskHuman() | Wait():
            raise RunCannotContinue(f"The driver failed to answer for a person ({why}).")
        case _:
            assert_never(effect)
