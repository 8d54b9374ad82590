"""Recorded runs under the current pack: their verdicts, and their replacement by today's runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from signalbox.commands.errors import UNREADABLE, Trouble
from signalbox.commands.packs import PackHere
from signalbox.commands.run import Headless
from signalbox.commands.run_files import (
    Recorded,
    read_near,
    read_run,
    run_files,
    write_events,
    write_script,
)
from signalbox.commands.run_output import Narrator
from signalbox.project.settings_file import Project
from workflows.bindings.run_context import program_from_log
from workflows.core.dialects.base import Dialect
from workflows.core.engine.events import Event
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.replay.recording import (
    InvalidRecording,
    expectation,
    read_recording,
    script_of,
    unmet_expectation,
)
from workflows.core.engine.replay.verify import Verdict, script_verdict, verify
from workflows.core.engine.run import RunState
from workflows.core.pack.graph import Graph
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRuns:
    """The runs of one pack by file. `accepted`: files that were replaced."""

    pack: PackHere
    today: Today
    bodies: Mapping[str, Recorded]
    verdicts: Mapping[str, Verdict]
    accepted: Sequence[str] = ()
    foreign: Sequence[str] = ()
    """Files that another runtime of the format has written."""


def verified(
    pack: PackHere, names: Sequence[str], profile: str | None, project: Project
) -> RecordedRuns:
    """The verdicts of the runs in these files. Raises Trouble for a file that cannot be read."""
    source, graph, used = pack.graph(profile or project.profile_for(pack.dialect.profiles))
    bodies = {name: read_run(name) for name in names}
    logs = {name: _foreign(name, one, pack.dialect, source, used) for name, one in bodies.items()}
    foreign = {name: log for name, log in logs.items() if log is not None}
    bodies |= foreign
    program: Program | CannotRun
    try:
        program = pack.dialect.program(source, used)
    except CannotRun as cannot:
        program = cannot
    today = Today(program=program, graph=graph)
    verdicts = {name: judge(name, body, today) for name, body in bodies.items()}
    return RecordedRuns(
        pack=pack, today=today, bodies=bodies, verdicts=verdicts, foreign=tuple(foreign)
    )


def _foreign(
    name: str, body: Recorded, dialect: Dialect, source: Any, profile: str
) -> list[Any] | None:
    """The log of a run that another runtime of the format has recorded; None for ours."""
    try:
        log = dialect.recorded_run(source, profile, body, partial(read_near, name))
    except (InvalidRecording, CannotRun) as bad:
        raise Trouble(f"{name}: {bad}", code=UNREADABLE) from bad
    return None if log is None else [event.to_json() for event in log]


def recorded_in(project: Project) -> Iterator[tuple[str, list[str]]]:
    """The packs in [verify.runs] of the settings, and the files of their runs."""
    here = Path.cwd()
    for pack, runs in project.recorded_runs.items():
        names = run_files(str(project.folder / runs))
        near = [
            str(Path(name).relative_to(here)) if Path(name).is_relative_to(here) else name
            for name in names
        ]
        yield str(project.folder / pack), near


def accept(runs: RecordedRuns) -> RecordedRuns:
    """Replace runs that diverge by those of the current pack with the recorded answers. A run whose
    answers do not lead to an end, or only to a failure, stays, and so does one of another
    runtime."""
    verdicts, accepted = dict(runs.verdicts), []
    for name, verdict in runs.verdicts.items():
        if (
            not verdict.holds
            and name not in runs.foreign
            and _replaced(name, runs.bodies[name], runs.today)
        ):
            verdicts[name] = judge(name, read_run(name), runs.today)
            accepted.append(name)
    return replace(runs, verdicts=verdicts, accepted=accepted)


def _replaced(name: str, body: Recorded, today: Today) -> bool:
    if isinstance(today.program, CannotRun):
        return False
    script = script_of(read_recording(body)) if isinstance(body, list) else dict(body)
    expected = (script.pop("expects", None) or {}).get("status")
    events, ended = _repeated(script, today)
    if not ended.finished or (ended.status == "failed" and expected != "failed"):
        return False
    if not isinstance(body, list):
        write_script(name, {**script, "expects": expectation(events)})
        return True
    if not verify(_as_it_began(today, events[0].fields), events).holds:
        return False
    write_events(name, events)
    return True


def judge(name: str, body: Recorded, today: Today) -> Verdict:
    """The verdict of one recorded run or script. Raises Trouble if it is invalid."""
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
    events, ended = _repeated(body, today)
    if script.expects is not None:
        n, why = unmet_expectation(script.expects, events)
        return script_verdict(events, why, n)
    bad = "" if ended.finished else "The script has no answer left."
    return script_verdict(events, ended.reason if ended.status == "failed" else bad)


def _repeated(body: Mapping[str, Any], today: Today) -> tuple[Sequence[Event], RunState]:
    assert not isinstance(today.program, CannotRun)
    script = read_script(body)
    again = Headless(drivers()["script"], today.graph, {"script": body}, _Silence(as_json=True))
    program = program_from_log(today.program, script.beside)
    ended = asyncio.run(again.play(program, script.inputs, MOST_ANSWERS))
    return again.events, ended
