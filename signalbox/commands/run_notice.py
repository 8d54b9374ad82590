"""Notices before a run: reasons for which it may wait for a person, found by rehearsing it, and
choices of its start."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from signalbox.commands.run_tools import RunTools
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import Program
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.replay.script_file import ScriptFile
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start, TimeUp
from workflows.core.engine.transition import transition
from workflows.core.pack.graph import Graph
from workflows.runner.simulated import rehearse_answer

WALKS = 6
MAX_STEPS = 120
MAX_LISTED = 8
LONGEST = 100
SERVER_TOOLS = re.compile(r"mcp__(?P<server>.+)__")


def print_notice(
    program: Program,
    graph: Graph,
    tools: RunTools,
    script: ScriptFile,
    *,
    named: Iterable[str],
    deny: bool,
) -> None:
    """Print on standard error what may wait for a person, and the option that changes it.
    `named`: the tools that the pack names."""
    needs: dict[str, str] = {}
    for name in named:
        needs |= _tool_need(name, tools, script)
    for effect in _effects(program, graph):
        match effect:
            case RunCommand() if not tools.commands and not script.entries["commands"]:
                needs[f"the command `{_short(shlex.join(effect.command))}`"] = "--allow-commands"
            case CallTool():
                needs |= _tool_need(effect.name, tools, script)
            case AskHuman(call=call) if not script.entries["answers"]:
                name = call["name"] if call else ""
                if deny and effect.kind == "approve":
                    continue
                if name and name not in tools.options["allowed_tools"]:
                    needs[f"a call of {name}"] = f"--allow-tool {name}"
                elif not name:
                    needs[f"a question in {effect.state}"] = "--script with answers"
            case AskModel() | RunCommand() | AskHuman() | Wait():
                pass
            case _:
                assert_never(effect)
    if not needs:
        return
    print("signalbox: This run may wait for a person:", file=sys.stderr)
    for what, option in list(needs.items())[:MAX_LISTED]:
        print(f"  {what} ({option})", file=sys.stderr)
    if len(needs) > MAX_LISTED:
        print(f"  … and {len(needs) - MAX_LISTED} more", file=sys.stderr)


def print_choices(program: Program, inputs: Mapping[str, str]) -> None:
    """Print on standard error the choices of this start that `inputs` leaves to the pack."""
    for option in program.options:
        if len(option.values) > 1 and not option.required and option.name not in inputs:
            values = _short(", ".join(option.values))
            print(
                f"signalbox: {option.title} can be chosen with --input {option.name}=NAME: "
                f"{values}.",
                file=sys.stderr,
            )


def print_unused(tools: RunTools, named: Collection[str]) -> None:
    """Print on standard error the tools of the command line that the pack does not name: they may
    be misspelled. A pack that names none can use any."""
    if not named:
        return
    for name in tools.bound:
        server = SERVER_TOOLS.fullmatch(name)
        if server and not any(one.startswith(name) for one in named):
            about = f"no tool of the server {server['server']!r} (--mcp)"
        elif not server and name not in named:
            about = f"no tool {name!r} (--tool)"
        else:
            continue
        print(f"signalbox: The pack names {about}.", file=sys.stderr)


def _tool_need(name: str, tools: RunTools, script: ScriptFile) -> Mapping[str, str]:
    option = tools.asks_a_person(name)
    return {f"the tool {name}": option} if option and not script.entries["tools"] else {}


def _effects(program: Program, graph: Graph) -> Iterator[Effect]:
    """Effects of a few rehearsals. Nothing is executed."""
    for seed in range(1, WALKS + 1):
        begin = Start(at=0.0, inputs=simulated_inputs(program))
        events, effects = transition(program, RunState(), begin)
        run = fold_all(events)
        for _ in range(MAX_STEPS):
            yield from effects
            pending = pending_effects(run)
            if run.finished or not pending:
                break
            answer = rehearse_answer(pending[0], run, graph, {"seed": seed})
            if answer is None and isinstance(pending[0], Wait):
                answer = TimeUp(at=run.now, key=pending[0].key)
            if answer is None:
                break
            events, effects = transition(program, run, replace(answer, at=run.now))
            run = fold_all(events, run)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"
