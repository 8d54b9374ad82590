"""The consequences of edits of files that are not written yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from signalbox.commands.diff import as_text as difference_text
from signalbox.commands.packs import PackHere
from signalbox.commands.run_files import read_run
from signalbox.commands.session_tools import session_tools
from signalbox.project.settings_file import Project
from workflows.bindings.run_context import tool_spec
from workflows.consequences.consequences import Consequences, Coverage, Walks, consequences
from workflows.consequences.version import Version
from workflows.core.dialects.base import Dialect, Source
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.edits import Edit
from workflows.core.pack.findings import Finding
from workflows.core.rules.kit import count_of
from workflows.core.rules.worst_case import WorstCase

MEASURES = {"visits": "states", "calls": "model calls", "tokens": "tokens"}


def proposal(
    pack: PackHere,
    after: Source,
    edits: Sequence[Edit],
    project: Project,
    *,
    profile: str | None = None,
    walks: Walks | None,
    runs: Sequence[str] = (),
) -> Consequences:
    """The consequences of edits that were applied to a readable pack. `runs`: files
    of recorded runs."""
    used = pack.profile(profile or project.profile_for(pack.dialect.profiles))
    before, later = (
        Version(
            dialect=pack.dialect,
            source=source,
            profile=used,
            tools=tools_of_session,
            assumed=project.assume,
        )
        for source in (pack.readable_source(), after)
    )
    logs = {name: read_run(name) for name in runs}
    return consequences(before, later, edits, walks=walks, logs=logs or None)


def tools_of_session(dialect: Dialect, source: Source) -> Mapping[str, ToolSpec]:
    """The tools of a run without a server. Raises CannotRun for a name that nothing provides."""
    return {name: tool_spec(name, body) for name, body in session_tools(dialect, source).items()}


def as_text(found: Consequences, pack: PackHere) -> str:
    """For people: parts, changes, findings, and what runs would do; last the changed lines."""
    groups = {
        "Parts": _parts(found.parts) if len(found.parts) > 1 else (),
        "Findings": (
            *(line for one in found.findings_new for line in _finding("+", one)),
            *(line for one in found.findings_fixed for line in _finding("-", one)),
        ),
        "Worst case of a run": _worst(*found.worst),
        "Rehearsal": _coverage(found) if found.coverage else (),
        "Recorded runs": _runs(found) if found.diverging_runs is not None else (),
        "Cases": _cases(found) if found.cases else (),
    }
    lines = [difference_text(found.difference, pack), ""] if found.difference else []
    if not found.readable:
        lines.append("The pack cannot be read after these edits.")
    for title, group in groups.items():
        if texts := list(group):
            lines += [title, *(f"  {text}" for text in texts), ""]
    return "\n".join([*lines, *(one["diff"] for one in found.files)]).rstrip("\n")


def _parts(parts: Sequence[Sequence[int]]) -> Iterator[str]:
    for part in parts:
        yield f"edit{'s' if part[1:] else ''} {', '.join(str(n + 1) for n in part)}"


def _finding(sign: str, finding: Finding) -> Iterator[str]:
    place = f" line {finding.place.line}" if finding.place.line else ""
    yield f"{sign} {finding.level} {finding.code}{place}: {finding.message}"
    if finding.walk and sign == "+":
        yield f"    by {' → '.join(finding.walk[-6:])}"


def _worst(before: WorstCase | None, after: WorstCase | None) -> Iterator[str]:
    if before is None or after is None:
        return
    for name, words in MEASURES.items():
        was, now = (_bound(worst, name) for worst in (before, after))
        yield f"{words}: {was}" if was == now else f"{words}: {was} → {now}"


def _bound(worst: WorstCase, name: str) -> str:
    most = getattr(worst, name)
    return "no bound" if most is None else f"{most:,}"


def _coverage(found: Consequences) -> Iterator[str]:
    assert found.coverage is not None
    was, now = (_covered(one) for one in found.coverage)
    yield f"{was} → {now}" if was != now else was
    yield from (f"no longer taken: {id}" for id in found.lost)


def _covered(one: Coverage) -> str:
    return one.problem or f"{len(one.taken)} of {count_of(len(one.all), 'transition')} taken"


def _runs(found: Consequences) -> Iterator[str]:
    diverging = found.diverging_runs or ()
    yield f"{len(diverging)} of {count_of(found.runs, 'run')} would diverge."
    yield from (f"{one.run}: {one.message}" for one in diverging)


def _cases(found: Consequences) -> Iterator[str]:
    yield f"{len(found.breaking)} of {count_of(len(found.cases), 'case')} would break."
    yield from (f"{one.case}: {one.message}" for one in found.breaking)
    yield from (f"{one.case}: holds now." for one in found.cases if one.mended)
