"""Recorded runs under the current pack: their verdicts, and their replacement by today's runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from signalbox.commands.errors import UNREADABLE, Trouble
from signalbox.commands.packs import PackHere
from signalbox.commands.run_files import (
    is_case,
    read_body,
    read_near,
    read_run,
    run_files,
    write_events,
    write_expectations,
)
from signalbox.project.settings_file import Project
from workflows.consequences.recordings import Recording, in_its_context, replayed
from workflows.core.cases.case_file import has_answers
from workflows.core.cases.case_paths import case_paths
from workflows.core.dialects.base import Dialect
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.replay.recording import InvalidRecording, expectation, script_of
from workflows.core.engine.replay.script_file import ScriptFile, read_script
from workflows.core.engine.replay.script_run import run_script
from workflows.core.engine.replay.verify import Verdict, verify


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRuns:
    """The runs of one pack by file. `program`: of the current pack, or why it has none. `accepted`:
    files that were replaced."""

    pack: PackHere
    program: Program | CannotRun
    recordings: Mapping[str, Recording]
    verdicts: Mapping[str, Verdict]
    accepted: Sequence[str] = ()
    foreign: Sequence[str] = ()
    """Files that another runtime of the format has written."""


def verified(
    pack: PackHere, names: Sequence[str], profile: str | None, project: Project
) -> RecordedRuns:
    """The verdicts of the runs in these files. Raises Trouble for a file that cannot be read."""
    source, _, used = pack.graph(profile or project.profile_for(pack.dialect.profiles))
    recordings: dict[str, Recording] = {}
    foreign: list[str] = []
    for name in names:
        recordings[name], is_foreign = recording(name, pack.dialect, source, used)
        foreign += [name] if is_foreign else []
    program: Program | CannotRun
    try:
        program = pack.dialect.program(source, used)
    except CannotRun as cannot:
        program = cannot
    verdicts = {name: _judged(program, name, one) for name, one in recordings.items()}
    return RecordedRuns(
        pack=pack, program=program, recordings=recordings, verdicts=verdicts, foreign=foreign
    )


def recording(name: str, dialect: Dialect, source: Any, profile: str) -> tuple[Recording, bool]:
    """The run in a file, and whether another runtime of the format has recorded it."""
    if not is_case(name):
        try:
            body = read_body(name)
            log = dialect.recorded_run(source, profile, body, partial(read_near, name))
        except (InvalidRecording, CannotRun) as bad:
            raise Trouble(f"{name}: {bad}", code=UNREADABLE) from bad
        if log is not None:
            return log, True
    return read_run(name), False


def cases_of(pack: PackHere) -> list[str]:
    """The files with the pack's cases, without scenarios that have no answers."""
    if pack.root is None:
        return []
    return [pack.show(path) for path in case_paths(pack.files) if has_answers(pack.files[path])]


def listed_runs(pack: PackHere, project: Project) -> list[str]:
    """The files of the pack's runs in [verify.runs] of the settings."""
    here, place = Path.cwd(), pack.home / pack.location.main
    folders = [
        runs for name, runs in project.recorded_runs.items() if project.folder / name == place
    ]
    names = [name for runs in folders for name in run_files(str(project.folder / runs))]
    return [
        str(Path(name).relative_to(here)) if Path(name).is_relative_to(here) else name
        for name in names
    ]


def accept(runs: RecordedRuns) -> RecordedRuns:
    """Replace runs that diverge by those of the current pack with the recorded answers. A run whose
    answers do not lead to an end, or only to a failure, stays, and so does one of another
    runtime."""
    verdicts, accepted = dict(runs.verdicts), []
    for name, verdict in runs.verdicts.items():
        stays = verdict.holds or name in runs.foreign
        if not stays and _replaced(name, runs.recordings[name], runs.program):
            verdicts[name] = _judged(runs.program, name, read_run(name))
            accepted.append(name)
    return replace(runs, verdicts=verdicts, accepted=accepted)


def _replaced(name: str, recording: Recording, program: Program | CannotRun) -> bool:
    is_script = isinstance(recording, ScriptFile)
    script = recording if isinstance(recording, ScriptFile) else read_script(script_of(recording))
    program = in_its_context(program, script.beside)
    if isinstance(program, CannotRun):
        return False
    expected = (script.expects or {}).get("status")
    events, ended, _ = run_script(program, script)
    if not ended.finished or (ended.status == "failed" and expected != "failed"):
        return False
    if is_script:
        write_expectations(name, expectation(events))
        return True
    if not verify(program, events).holds:
        return False
    write_events(name, events)
    return True


def _judged(program: Program | CannotRun, name: str, recording: Recording) -> Verdict:
    try:
        return replayed(program, recording)
    except InvalidRecording as bad:
        raise Trouble(f"{name}: {bad}", code=UNREADABLE) from bad
