"""`signalbox verify`: recorded runs checked against the current pack, with the first divergence of
each.

A run is a file of events, one per line as `signalbox run --json` prints them, or a saved script. No
model is called and nothing of the pack is executed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signalbox.commands.errors import FAILED, OK, UNREADABLE, Trouble
from signalbox.commands.packs import pack_at
from signalbox.commands.run import Headless
from signalbox.commands.run_output import Narrator
from workflows.core.engine.events import Event
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.replay.recording import (
    InvalidRecording,
    read_recording,
    unmet_expectation,
)
from workflows.core.engine.replay.verify import Verdict, script_verdict, verify
from workflows.core.engine.run import RunState
from workflows.core.pack.graph import Graph
from workflows.run_context import program_from_log
from workflows.runner.drivers import drivers
from workflows.runner.drivers.script_file import BadScript, read_script

MOST_ANSWERS = 1_000
"""Number of answers after which a script that repeats its last one is stopped."""


class _Silence(Narrator):
    """A stream that drops the events of a repeated script."""

    def tell(self, event: Event) -> None:
        pass

    def close(self, run: RunState) -> None:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """The current pack, or the reason why it has no program."""

    program: Program | CannotRun
    graph: Graph


def run(options: argparse.Namespace) -> int:
    """Exit 0 if all runs match, 1 if some diverge, 2 if one cannot be read."""
    recorded = {name: _read(name) for name in options.runs}
    pack = pack_at(options.path)
    source, graph, profile = pack.graph(options.profile)
    program: Program | CannotRun
    try:
        program = pack.dialect.program(source, profile)
    except CannotRun as cannot:
        program = cannot
    today = Today(program=program, graph=graph)
    verdicts = {name: _judge(name, body, today) for name, body in recorded.items()}
    tell = _as_json if options.format == "json" else _as_text
    print(tell(verdicts))
    return OK if all(verdict.holds for verdict in verdicts.values()) else FAILED


def _judge(name: str, body: list[Any] | Mapping[str, Any], today: Today) -> Verdict:
    try:
        if isinstance(body, list):
            log = read_recording(body)
            return verify(_as_it_began(today, log[0].fields), log)
        return _repeat(body, today)
    except InvalidRecording as bad:
        raise Trouble(f"{name}: {bad}", code=UNREADABLE) from bad
    except BadScript as bad:
        raise Trouble(f"{name}: {bad.message}", code=UNREADABLE) from bad


def _as_it_began(today: Today, started: Mapping[str, Any]) -> Program | CannotRun:
    if isinstance(today.program, CannotRun):
        return today.program
    return program_from_log(today.program, started)


def _repeat(body: Mapping[str, Any], today: Today) -> Verdict:
    """Run a script. A script without expectations matches if the run ends."""
    script = read_script(body)
    if isinstance(today.program, CannotRun):
        return script_verdict((), today.program.message)
    again = Headless(drivers()["script"], today.graph, {"script": body}, _Silence(as_json=True))
    program = program_from_log(today.program, script.beside)
    ended = asyncio.run(again.play(program, script.inputs, MOST_ANSWERS))
    if script.expects is not None:
        n, why = unmet_expectation(script.expects, again.events)
        return script_verdict(again.events, why, n)
    bad = "" if ended.finished else "The script has no answer left."
    return script_verdict(again.events, ended.reason if ended.status == "failed" else bad)


def _read(name: str) -> list[Any] | Mapping[str, Any]:
    """The events in a file, or its script. Raises Trouble with the invalid line."""
    text = Path(name).read_text(encoding="utf-8-sig")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return [_line(name, n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    match whole:
        case {"events": [*events]} | [*events]:
            return events
        case {"n": _, "type": _}:
            return [whole]
        case {}:
            return dict(whole)
        case _:
            raise Trouble(f"{name}: this is neither a recorded run nor a script.")


def _line(name: str, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as bad:
        raise Trouble(
            f"{name}:{number}:{bad.colno}: this is not JSON: {bad.msg}.",
            hint="A recorded run has one event per line, as `signalbox run --json` prints them.",
        ) from bad
    except RecursionError:
        raise Trouble(f"{name}:{number}: this JSON is nested too deeply.") from None
    except ValueError:
        raise Trouble(f"{name}:{number}: a number in it has too many digits.") from None


def _as_text(verdicts: Mapping[str, Verdict]) -> str:
    lines = []
    for name, verdict in verdicts.items():
        if verdict.divergence:
            lines.append(f"{name}: departs. {verdict.divergence.message}")
        else:
            lines.append(f"{name}: holds, {verdict.events} events.")
        if verdict.reworded:
            numbers = ", ".join(map(str, verdict.reworded[:8]))
            more = ", …" if len(verdict.reworded) > 8 else ""
            lines.append(f"  Put in other words: event {numbers}{more}.")
    departed = sum(not verdict.holds for verdict in verdicts.values())
    return "\n".join([*lines, f"{len(verdicts) - departed} of {len(verdicts)} runs hold."])


def _as_json(verdicts: Mapping[str, Verdict]) -> str:
    body = {"runs": [{"run": name, **verdict.to_json()} for name, verdict in verdicts.items()]}
    return json.dumps(body, indent=2, ensure_ascii=False)
