"""Simulators of tools, commands and people in rehearsals and scripted runs.

With a driver that is not listed here, people answer all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, Wait
from workflows.core.engine.rehearsal.answers import answer_for, choose
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.replay.script_file import (
    next_entry,
    script_of,
    scripted_signal,
)
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Approve, Signal
from workflows.core.pack.graph import Graph

if TYPE_CHECKING:
    from workflows.models import Run

Simulator: TypeAlias = Callable[[Effect, RunState, Graph, Mapping[str, Any]], Signal | None]

SUCCESSES_OF_FOUR = 3
"""Simulated commands and approvals that succeed, out of four."""


def rehearse_answer(
    effect: Effect, run: RunState, graph: Graph, options: Mapping[str, Any]
) -> Signal | None:
    """An answer by seed: the same log gives the same answer, also after a restart."""
    seed = options.get("seed", 1)
    choice = choose(effect, run, graph, Rng(seed, effect.key, "choice"))
    good = Rng(seed, effect.key, "good").below(4) < SUCCESSES_OF_FOUR
    return answer_for(effect, choice, seed=seed, at=run.now, good=good)


def script_answer(
    effect: Effect, run: RunState, graph: Graph, options: Mapping[str, Any]
) -> Signal | None:
    """The script's answer. A tool without an entry returns a simulated result; a command or a
    question without an entry waits for a person. Raises BadScript."""
    if isinstance(effect, AskModel | Wait):
        return None
    result = scripted_signal(script_of(options), effect, run)
    if result is None and isinstance(effect, CallTool):
        return rehearse_answer(effect, run, graph, options)
    return result


def simulates_tools(row: Run, run: RunState, effect: CallTool) -> bool:
    """Return True if the driver simulates this call. A rehearsal simulates every tool, a script the
    tools that it has an entry for; other tools are called through their binding. Raises BadScript.
    """
    if row.driver == "script":
        script = script_of(row.options)
        return next_entry(script, "tools", effect, run) is not None
    return row.driver == "rehearsal"


def deny_unattended(effect: Effect, options: Mapping[str, Any]) -> Signal | None:
    """The denial of an approval, in a run that was started with `deny`; else None."""
    if options.get("deny") is True and isinstance(effect, AskHuman) and effect.kind == "approve":
        return Approve(at=0.0, key=effect.key, approve=False)
    return None


SIMULATORS: dict[str, Simulator] = {"rehearsal": rehearse_answer, "script": script_answer}
