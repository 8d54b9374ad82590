"""Execution of effects: effect → driver, tool or command → signal.

A failing driver becomes an answer with an error, which the pack's program handles. A run ends only
if nothing on this server can answer it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import Any, assert_never

from workflows.actions.run_log import Log
from workflows.actions.run_programs import program_of
from workflows.actions.unperformed_effects import LeftToPerson
from workflows.core.engine.capabilities import missing_capability
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.program import CannotRun
from workflows.core.engine.signals import CommandDone, Reply, Signal, ToolDone
from workflows.core.pack.graph import Graph
from workflows.models import Run
from workflows.notifications import partial_output
from workflows.runner import sandbox, tool_calls
from workflows.runner.database_threads import DATABASE_UNAVAILABLE, in_thread
from workflows.runner.drivers import drivers
from workflows.runner.drivers.base import Driver, ModelUnavailable, delay_seconds
from workflows.runner.executor import Outcome, RunCannotContinue
from workflows.runner.left_processes import effect_environment
from workflows.runner.permissions import command_left_to_person, may_perform_command
from workflows.runner.planning_mode import refuse_command
from workflows.runner.simulated import SIMULATORS, deny_unattended, simulates_tools
from workflows.runner.workspaces import WorkspaceUnavailable
from workflows.selectors.model_choices import options_at
from workflows.selectors.sources import view
from workflows.telemetry.logs import log_context

logger = logging.getLogger(__name__)


async def perform(log: Log, effect: Effect) -> Outcome:
    """Perform an effect, or leave it to a person. Raises RunCannotContinue if no answer is
    possible, ModelUnavailable if one may be possible later, and the errors of an unavailable
    database."""
    run_id, driver = log.row.pk, log.row.driver
    with log_context(pack=log.row.pack.name, state=effect.state):
        performing = _perform(log, effect)
        del log  # Thousands of runs wait here, and their logs can be read again.
        try:
            return await performing
        except WorkspaceUnavailable as unavailable:
            raise RunCannotContinue(str(unavailable)) from unavailable
        except (RunCannotContinue, ModelUnavailable, *DATABASE_UNAVAILABLE):
            raise
        except Exception as error:
            logger.exception("Driver %s failed at %s of run %s", driver, effect.key, run_id)
            return _error_signal(effect, f"{type(error).__name__}: {error}")


async def _perform(log: Log, effect: Effect) -> Outcome:
    left: LeftToPerson | None = None
    refusal = refuse_command(effect, log.row.options)
    if refusal is not None:
        return refusal
    match effect:
        case RunCommand():
            if await in_thread(may_perform_command, log.row, log.run, effect):
                return await _command(log, effect)
            left = command_left_to_person(log.row)
        case CallTool():
            if not simulates_tools(log.row, log.run, effect):
                result = await tool_calls.call(log.row, log.run, effect)
                if not isinstance(result, LeftToPerson):
                    return result
                left = result
        case AskHuman():
            decided = await tool_calls.decided_approval(log.row, log.run, effect)
            if decided is not None:
                return decided
        case AskModel() | Wait():
            pass
        case _:
            assert_never(effect)
    pending = _driver(log, effect)
    del log
    return await pending or left


async def _command(log: Log, effect: RunCommand) -> CommandDone:
    place = await tool_calls.workspace(log.row)
    result = await sandbox.run(
        effect.command,
        folder=place.folder,
        timeout=effect.timeout,
        extra={**place.environment, **effect_environment(str(log.row.pk), effect.key)},
        files=place.files,
    )
    return CommandDone(
        at=time.time(),
        key=effect.key,
        exit=result.exit,
        stdout=result.stdout,
        stderr=result.stderr,
    )


async def _driver(log: Log, effect: Effect) -> Signal | None:
    """The answer of the driver or simulator, after the configured delay."""
    row, options = log.row, log.row.options
    driver = drivers().get(row.driver)
    if driver is None:
        names = ", ".join(sorted(drivers()))
        raise RunCannotContinue(f"There is no driver {row.driver!r} here. Use one of {names}.")
    await asyncio.sleep(delay_seconds(options))
    try:
        if row.driver in SIMULATORS:
            signal = await in_thread(_simulated_answer, driver, log, effect)
        elif isinstance(effect, AskModel):
            graph, request_options = await in_thread(_question, row, driver, effect)
            with partial_output.publish_partial_output(row.pk, effect.key) as on_delta:
                pending = driver.answer(effect, log.run, graph, request_options, on_delta)
                del log, row
                signal = await pending
        else:
            signal = None
    except CannotRun as error:
        raise RunCannotContinue(error.message) from error
    signal = signal or deny_unattended(effect, options)
    return None if signal is None else replace(signal, at=time.time())


def _question(row: Run, driver: Driver, effect: AskModel) -> tuple[Graph, dict[str, Any]]:
    """The graph and the options of this model request. Raises RunCannotContinue if the pack
    requires a capability that this driver lacks."""
    problem = missing_capability(program_of(row), driver.claims, row.driver)
    if problem:
        raise RunCannotContinue(problem)
    return _graph(row), options_at(row, effect.state)


def _simulated_answer(driver: Driver, log: Log, effect: Effect) -> Signal | None:
    """Computed on a thread: a large graph takes long enough to block the loop noticeably."""
    options, graph = log.row.options, _graph(log.row)
    if isinstance(effect, AskModel):
        return asyncio.run(driver.answer(effect, log.run, graph, options))
    return SIMULATORS[driver.name](effect, log.run, graph, options)


def _graph(row: Run) -> Graph:
    return view(row.pack, row.revision, row.profile).run_graph


def _error_signal(effect: Effect, why: str) -> Signal:
    """The failure signal of this kind of effect."""
    match effect:
        case AskModel(key=key):
            return Reply(at=time.time(), key=key, error=why)
        case CallTool(key=key):
            return ToolDone(at=time.time(), key=key, error=why, called=False)
        case RunCommand(key=key):
            return CommandDone(at=time.time(), key=key, exit=sandbox.NOT_FOUND, stderr=why)
        case AskHuman() | Wait():
            raise RunCannotContinue(f"The driver failed to answer for a person ({why}).")
        case _:
            assert_never(effect)
