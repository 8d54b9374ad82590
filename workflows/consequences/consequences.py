"""Consequences of a change of a pack, computed without a model. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from workflows.consequences.affected_runs import affected_part, affected_states
from workflows.consequences.changes import files_change, findings_change
from workflows.consequences.parts import Part, parts
from workflows.consequences.recordings import Recording, case_verdicts, replayed
from workflows.consequences.version import Version
from workflows.core.compare.difference import Difference
from workflows.core.compare.drawn_difference import as_svg
from workflows.core.compare.drawn_divergence import divergence_svg
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.rehearsal.rehearse import Limits, Rehearsal, rehearse
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.replay.script_file import ScriptFile
from workflows.core.pack.edits import Edit
from workflows.core.pack.findings import Finding
from workflows.core.rules.worst_case import WorstCase

TOO_SLOW = "No run of the rehearsal fits into its time."
CUT = "The rehearsal ended at its time limit, with {:,} of {:,} transitions taken."


@dataclass(frozen=True, slots=True, kw_only=True)
class Walks:
    """A rehearsal of each version. `is_over`: true when a rehearsal has to end; it begins when it
    is made, once for each version."""

    runs: int = 50
    seed: int = 1
    limits: Limits = field(default_factory=lambda: Limits(covered=True))
    is_over: Callable[[], Callable[[], bool]] = lambda: lambda: False


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Transitions taken in the rehearsal of one version. `problem`: why there is none, or why they
    are not all."""

    taken: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"taken": len(self.taken), "of": len(self.all), "problem": self.problem}


@dataclass(frozen=True, slots=True, kw_only=True)
class DivergingRun:
    """A recorded run that would take another path, and its first event that differs."""

    run: str
    n: int
    message: str
    svg: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenTransition:
    """A transition that the change removes, and the event of a recorded run that took it."""

    transition: str
    run: str
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChange:
    """A case of the later version. `before`, `after`: whether it holds, None without a verdict;
    `message`: why it does not hold after the change."""

    case: str
    name: str
    before: bool | None
    after: bool | None
    message: str

    @property
    def mended(self) -> bool:
        return self.before is False and self.after is True


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequences:
    """Consequences of a change. `difference` is None if a version cannot be read, `coverage` and
    `diverging_runs` without `walks` and `logs`; `runs` is the number of recorded runs that were
    replayed. A worst case without a number has no bound."""

    readable: bool
    parts: tuple[Part, ...]
    difference: Difference | None
    files: Sequence[Mapping[str, str]]
    findings_new: tuple[Finding, ...]
    findings_fixed: tuple[Finding, ...]
    worst: tuple[WorstCase | None, WorstCase | None]
    coverage: tuple[Coverage, Coverage] | None = None
    diverging_runs: tuple[DivergingRun, ...] | None = None
    runs: int = 0
    removed_taken: tuple[TakenTransition, ...] = ()
    cases: tuple[CaseChange, ...] = ()
    svg: str = ""

    @property
    def breaking(self) -> tuple[CaseChange, ...]:
        """Cases that hold before the change only."""
        return tuple(one for one in self.cases if one.before and one.after is False)

    @property
    def lost(self) -> tuple[str, ...]:
        """Transitions that stay, and that only a rehearsal before the change takes. None for
        rehearsals with a problem, because their time is the reason then."""
        if self.coverage is None or any(one.problem for one in self.coverage):
            return ()
        was, now = self.coverage
        open_now = set(now.all) - set(now.taken)
        return tuple(id for id in was.taken if id in open_now)

    def to_json(self) -> dict[str, Any]:
        """`{readable, parts[[index]], difference, files[{path, change, diff}], findings_new,
        findings_fixed, worst_case{before, after}, coverage{before, after, lost}, diverging_runs,
        runs, removed_taken[{transition, run, n}],
        cases[{case, name, before, after, message}]}`."""
        coverage, runs = None, self.diverging_runs
        if self.coverage is not None:
            was, now = (one.to_json() for one in self.coverage)
            coverage = {"before": was, "after": now, "lost": list(self.lost)}
        return {
            "readable": self.readable,
            "parts": [list(part) for part in self.parts],
            "difference": self.difference.to_json() if self.difference else None,
            "files": list(self.files),
            "findings_new": [one.to_json() for one in self.findings_new],
            "findings_fixed": [one.to_json() for one in self.findings_fixed],
            "worst_case": {
                name: asdict(worst) if worst else None
                for name, worst in zip(("before", "after"), self.worst, strict=True)
            },
            "coverage": coverage,
            "diverging_runs": None if runs is None else [asdict(one) for one in runs],
            "runs": self.runs,
            "removed_taken": [asdict(one) for one in self.removed_taken],
            "cases": [asdict(one) for one in self.cases],
        }


def consequences(
    before: Version,
    after: Version,
    edits: Sequence[Edit] = (),
    *,
    walks: Walks | None = None,
    logs: Mapping[str, Recording] | None = None,
    drawn: bool = False,
    report: Callable[[str], None] = lambda stage: None,
) -> Consequences:
    """Compare two versions of a pack. `edits`: those that made the second one, for its parts.
    `logs`: recorded runs by name. `drawn`: with SVG drawings. `report` is called with the name of
    each stage before it, and may raise to end the work."""
    report("findings")
    new, fixed = findings_change(before.findings, after.findings)
    report("difference")
    found = after.difference_from(before)
    report("parts")
    groups = parts(before.dialect, before.source, edits) if edits else ()
    coverage = None
    if walks is not None:
        report("rehearsal before")
        was = _coverage(before, walks)
        report("rehearsal after")
        coverage = was, _coverage(after, walks)
    report("recorded runs")
    diverging = None
    if logs is not None:
        states = affected_states(before, after, found) if found else None
        diverging = tuple(_diverging(before, after, logs, states, drawn))
    return Consequences(
        readable=after.source.readable,
        parts=groups,
        difference=found,
        files=files_change(before.source.files, after.source.files),
        findings_new=new,
        findings_fixed=fixed,
        worst=(before.worst, after.worst),
        coverage=coverage,
        diverging_runs=diverging,
        runs=len(logs or ()),
        cases=tuple(_cases(before, after)),
        svg=as_svg(before.graph, after.graph, found) if drawn and found else "",
    )


def _coverage(version: Version, walks: Walks) -> Coverage:
    """The coverage of a version, which is kept unless time was short."""
    try:
        program, tools = version.walked_program(), version.tools(version.dialect, version.source)
    except CannotRun as cannot:
        return Coverage(problem=cannot.message)
    key = walks.runs, walks.seed, walks.limits, repr(tools)
    kept: Coverage | None = version.rehearsed.get(key)
    if kept is None:
        kept = _rehearsed(version, program, walks)
        if not kept.problem:
            version.rehearsed[key] = kept
    return kept


def _rehearsed(version: Version, program: Program, walks: Walks) -> Coverage:
    is_over = walks.is_over()
    try:
        made: Rehearsal = rehearse(
            program,
            version.graph,
            runs=walks.runs,
            seed=walks.seed,
            limits=walks.limits,
            is_over=is_over,
        )
    except CannotRun as cannot:
        return Coverage(problem=cannot.message)
    if not made.runs:
        return Coverage(problem=TOO_SLOW)
    missed = set(made.unreached)
    taken = tuple(id for id in made.transitions if id not in missed)
    total = tuple(made.transitions)
    cut = CUT.format(len(taken), len(total)) if is_over() and missed else ""
    return Coverage(taken=taken, all=total, problem=cut)


def _diverging(
    before: Version,
    after: Version,
    logs: Mapping[str, Recording],
    states: Collection[str] | None,
    drawn: bool,
) -> Iterator[DivergingRun]:
    """Runs that diverge because of the change: not before it, or only at a later event. `states`:
    those whose steps it can alter, None for all."""
    for name, log in logs.items():
        first, end = 0, None
        if states is not None and not isinstance(log, ScriptFile):
            first, end = affected_part(log, states)
            if first == end:
                continue
            log = log[:end]
        try:
            now = replayed(after.program, log, first).divergence
            was = replayed(before.program, log, first).divergence if now else None
        except InvalidRecording:
            continue
        if now is None or (was is not None and was.n <= now.n):
            continue
        svg = ""
        if drawn and after.source.readable and not isinstance(log, ScriptFile):
            svg = divergence_svg(after.graph, log, now)
        yield DivergingRun(run=name, n=now.n, message=now.message, svg=svg)


def _cases(before: Version, after: Version) -> Iterator[CaseChange]:
    was = {one.path: one for one in case_verdicts(before.program, before.source.files)}
    for now in case_verdicts(after.program, after.source.files):
        earlier = was.get(now.path)
        yield CaseChange(
            case=now.path,
            name=now.name,
            before=earlier.holds if earlier else None,
            after=now.holds,
            message=now.message,
        )
