"""Recorded runs and cases against a version of a pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from workflows.core.cases.case_file import BadCase, read_case
from workflows.core.cases.case_paths import case_paths
from workflows.core.engine.events import Event
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.replay.script_file import ScriptFile
from workflows.core.engine.replay.script_run import verify_script
from workflows.core.engine.replay.verify import Verdict, verify

Recording: TypeAlias = Sequence[Event] | ScriptFile
"""The events of a run, or a script."""
NO_ANSWERS = "This scenario has no answers. Keep a run under its name, or run it with a model."


def replayed(program: Program | CannotRun, recording: Recording, first: int = 0) -> Verdict:
    """The verdict on a recorded run or a script. `first`: see `verify`. Raises InvalidRecording."""
    if isinstance(recording, ScriptFile):
        return verify_script(in_its_context(program, recording.beside), recording)
    return verify(in_its_context(program, recording[0].fields), recording, first)


def in_its_context(program: Program | CannotRun, context: Mapping[str, Any]) -> Program | CannotRun:
    """The program as a recorded run began. Raises InvalidRecording."""
    # Imported late: only recordings need the texts of roles, and the library of their templates.
    from workflows.bindings.run_context import program_from_log

    return program if isinstance(program, CannotRun) else program_from_log(program, context)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseVerdict:
    """A case of a pack. `verdict`: None for one without a verdict, and `problem` is the reason."""

    path: str
    name: str
    description: str = ""
    verdict: Verdict | None = None
    unchecked: tuple[str, ...] = ()
    problem: str = ""

    @property
    def holds(self) -> bool | None:
        return self.verdict.holds if self.verdict else None

    @property
    def message(self) -> str:
        """The reason why it fails, has no verdict, or reaches no end; "" if it holds to the end."""
        if self.verdict is None:
            return self.problem
        divergence = self.verdict.divergence
        return divergence.message if divergence else self.verdict.note

    def to_json(self) -> dict[str, Any]:
        divergence = self.verdict.divergence if self.verdict else None
        return {
            "path": self.path,
            "name": self.name,
            "description": self.description,
            "holds": self.holds,
            "n": divergence.n if divergence else None,
            "message": self.message,
            "unchecked": list(self.unchecked),
        }


def case_verdicts(
    program: Program | CannotRun, files: Mapping[str, bytes]
) -> Iterator[CaseVerdict]:
    """The verdicts on the cases among the files of a pack, by path."""
    for path in case_paths(files):
        yield case_verdict(program, path, files[path])


def case_verdict(program: Program | CannotRun, path: str, data: bytes) -> CaseVerdict:
    """The verdict on one case."""
    name = path.rpartition("/")[2].partition(".")[0]
    try:
        case = read_case(data)
        verdict = replayed(program, case.script) if case.script else None
    except (BadCase, InvalidRecording) as bad:
        return CaseVerdict(path=path, name=name, problem=str(bad))
    return CaseVerdict(
        path=path,
        name=case.name or name,
        description=case.description,
        verdict=verdict,
        unchecked=case.unchecked,
        problem="" if verdict else NO_ANSWERS,
    )
