"""`signalbox run`: one run without a server.

The driver answers for the model. Tools are called through their binding, commands are run with
`--allow-commands`, both in the run's workspace, unless the script answers. Otherwise the run waits
for a person; a rehearsal simulates the answer by its seed, and `--deny` denies every approval.
`Wait` does not wait: the run's clock is advanced instead.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, assert_never
from uuid import uuid4

from signalbox.commands.endpoint import models_line, reach_from
from signalbox.commands.errors import BUDGET_EXHAUSTED, FAILED, OK, UNREADABLE, WAITING, Trouble
from signalbox.commands.inputs import read_inputs, read_json
from signalbox.commands.junit import write_junit
from signalbox.commands.packs import PackHere, pack_at
from signalbox.commands.run_log import RunLog
from signalbox.commands.run_notice import print_choices, print_notice, print_unused
from signalbox.commands.run_output import Narrator
from signalbox.commands.run_result import result_lines, write_result
from signalbox.commands.run_tools import Binding, RunTools, bindings_from
from signalbox.commands.run_workspace import (
    RunWorkspace,
    check_branch,
    choice_from,
    workspace_fields,
    worktree_around,
)
from signalbox.commands.session_tools import session_tools
from workflows.actions.repeated_calls import repeated_calls
from workflows.bindings.run_context import program_from_log, tools_context
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
from workflows.core.engine.program import Budget, CannotRun, Program
from workflows.core.engine.replay.recording import (
    CONTEXT_FIELDS,
    InvalidRecording,
    unmet_expectation,
)
from workflows.core.engine.replay.script_file import (
    BadScript,
    ScriptFile,
    read_script,
    scripted_answer,
    scripted_command,
    scripted_tool,
    turn_of,
)
from workflows.core.engine.result import run_result
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Approve, Control, Signal, Start, TimeUp, ToolDone
from workflows.core.engine.transition import transition
from workflows.core.pack.graph import Graph
from workflows.runner.drivers import drivers
from workflows.runner.drivers.base import Driver, ModelUnavailable
from workflows.runner.left_processes import end_left_processes
from workflows.runner.planning_mode import refuse_command
from workflows.runner.simulated import deny_unattended, rehearse_answer
from workflows.runner.workspaces import WorkspaceChanges, WorkspaceChoice, journal_of

CODES = {"completed": OK, "failed": FAILED, "budget_exhausted": BUDGET_EXHAUSTED}


def run(options: argparse.Namespace) -> int:
    """Exit 0 completed, 1 failed, 3 budget exhausted, 4 waiting for a person; 1 also if the run
    differs from its script or its changes cannot be kept."""
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
    limits = {"cost": options.max_cost, "tokens": options.max_tokens}
    limits = {name: limit for name, limit in limits.items() if limit is not None}
    chosen = {
        "seed": options.seed,
        "script": script,
        "deny": options.deny,
        "allowed_tools": options.allow_tool,
        **({"budget": limits} if limits else {}),
        **beside,
    }
    if driver.name == "model":
        import pydantic_ai  # noqa: F401 - without it, the command ends before the run begins

        reach = reach_from(os.environ, options.model, options.model_name, options.price)
        chosen |= {"connection": reach, "model": reach.model}
        if line := models_line(reach):
            print(f"signalbox: {line}", file=sys.stderr)
    log = RunLog(options.log) if options.log else None
    begun = log.events if log else ()
    bound = bindings_from(options.tool, options.mcp)
    headless = Headless(driver, graph, chosen, narrator, log)
    try:
        beside = _with_tools(pack, source, bound, beside, begun, recorded)
    except CannotRun as cannot:
        headless.cannot_start(inputs, cannot)
        return FAILED
    headless.options = {**chosen, **beside}
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
    place = _workspace(options, pack, program, begun)
    headless.tools = RunTools(
        bound=bound,
        defaults=pack.dialect.bindings,
        declared=_declared(pack, source),
        commands=options.allow_commands,
        run_id=place.place.name,
        options=chosen,
        open=place.open,
        journal=partial(journal_of, place.place),
    )
    headless.continue_from(begun)
    if options.keep_branch and not headless.run.finished:
        check_branch(place.place.choice, options.keep_branch)
    if not begun:
        print_choices(program, inputs)
        print_unused(headless.tools, _named(pack, source))
    if driver.name != "rehearsal" and not headless.run.finished:
        named = [tool.name for tool in pack.dialect.tools(source)]
        print_notice(program, graph, headless.tools, recorded, named=named, deny=options.deny)
    place.save_interrupted()
    fields = {**workspace_fields(place.place.choice), **({"budget": limits} if limits else {})}
    headless.started_with = {"run": place.place.name, **fields} if fields or log else {}
    try:
        ended = asyncio.run(headless.play(program, inputs, options.max_steps))
    finally:
        changes = place.close(f"{pack.location.name}: run {place.place.name[:8]}")
    narrator.close(ended)
    result = run_result(ended, headless.events)
    if ended.finished and not options.json:
        print("\n".join(result_lines(result)))
    if options.result:
        write_result(options.result, result)
    if options.junit:
        waiting = ", ".join(type(effect).__name__ for effect in pending_effects(ended))
        write_junit(options.junit, pack=pack.shown, events=headless.events, waiting=waiting)
    _report_changes(changes, place, options.keep_branch if ended.status == "completed" else "")
    if headless.departed:
        raise Trouble(f"This is not the run that was recorded. {headless.departed}", code=FAILED)
    return CODES.get(ended.status, FAILED) if ended.finished else WAITING


def _with_tools(
    pack: PackHere,
    source: Any,
    bound: Mapping[str, Binding | None],
    beside: Mapping[str, Any],
    begun: tuple[Event, ...],
    recorded: ScriptFile,
) -> dict[str, Any]:
    """The run context with the tools of this session. A log that continues and a recorded script
    keep the ones that they have. Raises CannotRun for a tool that nothing provides."""
    if begun:
        kept = begun[0].fields.get("tools")
        return {**beside, **({"tools": kept} if kept else {})}
    if recorded.expects:
        return dict(beside)
    return {"tools": tools_context(session_tools(pack.dialect, source, bound)), **beside}


def _declared(pack: PackHere, source: Any) -> dict[str, Mapping[str, Any]]:
    """Parameters of the tools that the pack declares itself, by name."""
    named = {tool.name for tool in pack.dialect.named_tools(source)}
    tools = pack.dialect.tools(source)
    return {tool.name: tool.parameters for tool in tools if tool.name not in named}


def _named(pack: PackHere, source: Any) -> set[str]:
    """Every tool that the pack declares or names."""
    declared = {tool.name for tool in pack.dialect.tools(source)}
    return declared | {tool.name for tool in pack.dialect.named_tools(source)}


def _workspace(
    options: argparse.Namespace, pack: PackHere, program: Program, begun: tuple[Event, ...]
) -> RunWorkspace:
    """The workspace of `--workspace`, or of the log that continues. A pack that asks for a work
    tree gets one of the repository that it is in. Raises Trouble."""
    run_id, choice = str(uuid4()), choice_from(options.workspace)
    if begun:
        run_id = str(begun[0].fields.get("run") or run_id)
        choice = WorkspaceChoice.of(begun[0].fields)
    elif not options.workspace and program.wants_worktree and pack.root is not None:
        around = worktree_around(pack.root)
        if around is not None:
            choice = around
            print(
                f"signalbox: The pack asks for a work tree. It is made of {around.path} at HEAD.",
                file=sys.stderr,
            )
    return RunWorkspace(run_id, choice, pack.files)


def _report_changes(changes: WorkspaceChanges | None, place: RunWorkspace, branch: str) -> None:
    """Print the place of the run's changes; keep them as a branch if one is named."""
    if changes is None or not changes.files:
        if branch:
            print("signalbox: The run changed nothing, so there is no branch.", file=sys.stderr)
        return
    count = f"{len(changes.files)} changed file{'s' if len(changes.files) > 1 else ''}"
    if branch:
        commit = place.keep_branch(branch, changes)
        print(f"signalbox: {count}, kept as branch {branch} ({commit[:12]}).", file=sys.stderr)
    elif changes.ref:
        print(f"signalbox: {count}, kept in {changes.ref}.", file=sys.stderr)
    elif changes.kind == "folder":
        print(f"signalbox: {count} in {place.place.choice.path}.", file=sys.stderr)
    else:
        print(f"signalbox: {count} in a copy of the pack, which is removed.", file=sys.stderr)
        print(changes.diff, file=sys.stderr)


def _driver(name: str) -> Driver:
    available = drivers()
    if name not in available:
        raise Trouble(f"Unknown driver {name!r}. Drivers: {', '.join(available)}.")
    return available[name]


class Headless:
    """The runner of a run without a server."""

    tools: RunTools | None = None
    """None: nothing is executed."""

    def __init__(
        self,
        driver: Driver,
        graph: Graph,
        options: Mapping[str, Any],
        narrator: Narrator,
        log: RunLog | None = None,
    ) -> None:
        limits = options.get("budget")
        self.budget = Budget(**limits) if limits else None
        self.driver = driver
        self.graph = graph
        self.options = options
        self.script = read_script(options["script"])
        self.narrator = narrator
        self.run = RunState()
        self.events: list[Event] = []
        self.started_with: Mapping[str, Any] = {}
        """Further fields of `run.started`."""
        self._log = log
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
        if self.run.status == "new":
            events = self._next(program, Start(at=self.now(), inputs=inputs))
            fields = {**self.started_with, "driver": self.driver.name}
            self._take(_with_fields(events, fields, self.options))
        elif self.run.status == "paused" and not self.run.finished:
            resume = Control(at=self.now(), what="resume", reason="Continued from its log.")
            self._take(self._next(program, resume))
        for tool in () if self.run.finished else self.options.get("allowed_tools", ()):
            self._write("tool.allowed", {"name": tool})
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
            self._take(self._next(program, replace(signal, at=self.now())))
        return self.run

    def _next(self, program: Program, signal: Signal) -> tuple[Event, ...]:
        return transition(program, self.run, signal, budget=self.budget)[0]

    def continue_from(self, begun: tuple[Event, ...]) -> None:
        """Continue a run after its recorded events; one that has ended stays as it is."""
        self.run, self.events = fold_all(begun), list(begun)
        self.ahead = max(0.0, self.run.now - time.time())
        if begun and self.tools is not None:
            end_left_processes(self.tools.run_id)
            idle = round(self.now() - self.run.now, 3)
            for draft in repeated_calls(self.run, self._performs, idle):
                self._write(draft.type, draft.fields)

    def _performs(self, effect: Effect) -> bool:
        """Return True if this process performs the effect: no script and no person answers it."""
        match effect:
            case AskModel():
                return self.driver.name == "model"
            case CallTool():
                scripted = scripted_tool(self.script, effect, self.run) is not None
                return not scripted and self.tools is not None and self.tools.performs(effect)
            case RunCommand():
                scripted = scripted_command(self.script, effect, self.run) is not None
                refused = refuse_command(effect, self.options) is not None
                allowed = self.tools is not None and self.tools.commands
                return allowed and not scripted and not refused
            case AskHuman() | Wait():
                return False
            case _:
                assert_never(effect)

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
        answers = sum(len(states) for states in self.run.answered.values())
        turn = turn_of(self.script, effect, self.run)
        return 0 if turn == answers + 1 else 1 if turn is None else turn + 1

    async def _answer(self, effect: Effect) -> Signal | None:
        match effect:
            case AskModel():
                return await self.driver.answer(effect, self.run, self.graph, self.options)
            case RunCommand():
                return (
                    refuse_command(effect, self.options)
                    or scripted_command(self.script, effect, self.run)
                    or (await self.tools.run(effect) if self.tools else None)
                    or self._made_up(effect)
                )
            case AskHuman(call=call):
                answer = scripted_answer(self.script, effect, self.run)
                if not answer and call and call["name"] in self.run.allowed_tools:
                    return Approve(at=self.now(), key=effect.key)
                return answer or deny_unattended(effect, self.options)
            case CallTool():
                return scripted_tool(self.script, effect, self.run) or await self._call(effect)
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

    async def _call(self, effect: CallTool) -> ToolDone | None:
        """The result of a tool. A rehearsal simulates it. A script without one for it gets an error
        if nothing is bound to the tool. Other calls that are not made here wait for a person."""
        if self.driver.name == "rehearsal":
            result = f"Rehearsed result of {effect.name}."
            return ToolDone(at=self.now(), key=effect.key, result=result)
        if self.tools is None:
            return None
        if self.driver.name == "script" and self.tools.is_unbound(effect.name):
            error = f"The tool {effect.name} is not bound, and the script has no result for it."
            return ToolDone(at=self.now(), key=effect.key, error=error, called=False)
        return await self.tools.call(effect) if self.tools.performs(effect) else None

    def _take(self, events: tuple[Event, ...]) -> None:
        if self._log is not None and events:
            self._log.write(events)
        self.run = fold_all(events, self.run)
        self.events += events
        for event in events:
            self.narrator.tell(event)

    def _finish(self, status: str, reason: str) -> None:
        self._write("run.finished", {"status": status, "reason": reason})

    def _write(self, type: str, fields: Mapping[str, Any]) -> None:
        self._take((Event(n=self.run.n + 1, at=self.now(), type=type, fields=fields),))


def _with_fields(
    events: tuple[Event, ...], fields: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Event, ...]:
    """Add these fields and the run context to `run.started`."""
    first, *rest = events
    beside = {name: options[name] for name in CONTEXT_FIELDS if options.get(name)}
    return (replace(first, fields={**first.fields, **fields, **beside}), *rest)
