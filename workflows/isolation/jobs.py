"""The jobs that run in a process of their own. Arguments and results are plain values of the core.

Each job has a pack as its first argument, which the process keeps parsed for the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from roles.core.file_diffs import file_differences
from workflows.agent_tools.packs import AgentPack, Answer
from workflows.agent_tools.tools import TOOLS
from workflows.consequences.consequences import Consequences, Version, Walks, consequences
from workflows.consequences.recordings import CaseVerdict, case_verdicts, replayed
from workflows.core.compare.difference import Changes, difference
from workflows.core.compare.drawn_divergence import divergence_svg
from workflows.core.convert.conversion import Conversion, convert
from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect, Source
from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.events import Event
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import Limits, Rehearsal, rehearse
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.replay.verify import Verdict
from workflows.core.pack.call_bound import CallBound
from workflows.core.pack.edits import Edit, EditRefused, WriteFile
from workflows.core.pack.files import BadFiles, Files
from workflows.core.pack.find import Query, find
from workflows.core.pack.findings import Finding
from workflows.core.pack.forms import Json
from workflows.core.pack.graph import Graph
from workflows.core.pack.replacement import replacement
from workflows.core.pack.text_ranges import PackRanges
from workflows.core.rules.check import check
from workflows.core.rules.worst_case import pack_bound
from workflows.core.text.json.loads import json_lines, json_object
from workflows.core.tools.availability import (
    findings_with_tools,
    missing,
    missing_tools_reason,
)

LONG = frozenset({"rehearsed", "converted", "proposed", "verified", "recorded", "long_agent_tool"})
MAX_MATCHES = 500
"""Matches of a text that are shown."""


@dataclass(slots=True, kw_only=True)
class WarmPack:
    """A parsed pack, with its graphs by profile, each drawn once."""

    dialect: Dialect
    source: Source
    _graphs: dict[str, Graph] = field(default_factory=dict)

    @classmethod
    def read(cls, dialect: str, files: Files) -> WarmPack:
        here = dialects()[dialect]
        return cls(dialect=here, source=here.read(files))

    @property
    def files(self) -> Files:
        return self.source.files

    def graph(self, profile: str) -> Graph:
        if profile not in self._graphs:
            self._graphs[profile] = self.dialect.graph(self.source, profile)
        return self._graphs[profile]


def tried(pack: WarmPack) -> None:
    """Read a pack. The server then reads it too, knowing that it ends."""


def drawn(pack: WarmPack, profile: str) -> None:
    """Draw a pack, list its objects and its agents, for the same reason."""
    pack.graph(profile)
    if pack.source.readable:
        pack.dialect.outline(pack.source)
        published_agents(pack.dialect, pack.source, profile)


def published_agents(dialect: Dialect, source: Source, profile: str) -> dict[str, dict[str, Any]]:
    """The agents that a readable pack publishes, each with its card: the A2A card if the dialect
    has cards, else the values of its form."""
    cards = dialect.cards(source)
    if cards is not None:
        return dict(cards)
    sections: list[dict[str, Any]] = [part.to_json() for part in dialect.outline(source)]
    agents = (part["items"] for part in sections if part["kind"] == "agent")
    named = [item["element"] for items in agents for item in items]
    return {
        one.partition(":")[2]: dict(dialect.fields(source, one, profile).values) for one in named
    }


def findings(pack: WarmPack, profile: str) -> tuple[Finding, ...]:
    """Every finding of a pack that can be drawn in time."""
    drawn(pack, profile)
    return check(pack.dialect, pack.source, profile, pack.graph(profile))


def edited(pack: WarmPack, edits: Sequence[Edit]) -> WarmPack | None:
    """Apply edits. None if one is refused: the server applies them too, and gives the reason."""
    try:
        source = pack.dialect.apply_all(pack.source, edits)
    except (EditRefused, BadFiles):
        return None
    return WarmPack(dialect=pack.dialect, source=source)


def typed(pack: WarmPack, path: str, text: str) -> tuple[bool, list[Finding]]:
    """Return True if the pack is readable with this text, and the errors of reading the file.
    Raises EditRefused and BadFiles."""
    after = pack.dialect.apply(pack.source, WriteFile(path=path, text=text))
    errors = [one for one in after.findings if one.level == "error" and one.place.path == path]
    return after.readable, errors


def copied(pack: WarmPack, states: tuple[str, ...]) -> Json:
    """A fragment for `paste`. Raises EditRefused."""
    return pack.dialect.copy(pack.source, states)


def compared(
    pack: WarmPack, other: Files, profile: str
) -> tuple[Changes, Changes, list[dict[str, str]]]:
    """Changes of states and transitions from a pack to another version, if both are readable, and
    the diffs of their files."""
    new = pack.dialect.read(other)
    files = file_differences(pack.files, other)
    if not (pack.source.readable and new.readable):
        return Changes(), Changes(), files
    meaning = difference(pack.dialect, pack.source, new, profile)
    return meaning.states, meaning.transitions, files


def ranges(pack: WarmPack, profile: str, path: str) -> list[dict[str, object]]:
    """The text of each element in one file."""
    found = PackRanges(pack.dialect, pack.source, pack.graph(profile)).of(path)
    return [one.to_json() for one in found]


def found(pack: WarmPack, profile: str, query: Query) -> dict[str, Any]:
    """Matches of a query, the edits that replace them, and what the edits change."""
    result = find(pack.dialect, pack.source, pack.graph(profile), query)
    plan = replacement(pack.dialect, pack.source, result)
    return {
        "matches": [match.to_json() for match in result.matches[:MAX_MATCHES]],
        "truncated": len(result.matches) > MAX_MATCHES,
        "edits": [edit.to_json() for edit in plan.edits],
        "refused": list(plan.problems),
        "files": file_differences(pack.files, plan.files),
    }


def converted(pack: WarmPack, profile: str, to: str) -> Conversion:
    """Convert a readable pack. Raises CannotConvert."""
    return convert(pack.dialect, pack.source, profile, dialects()[to])


def bounded(pack: WarmPack, profile: str, assumed: Mapping[str, int]) -> CallBound:
    """The most agents or model calls of one run of a readable pack."""
    return pack_bound(pack.dialect, pack.source, pack.graph(profile), assumed)


def rehearsed(
    pack: WarmPack,
    profile: str,
    *,
    tools: Mapping[str, ToolSpec],
    runs: int,
    seed: int,
    walk: Limits,
    seconds: float,
    keep: int = 0,
) -> Rehearsal:
    """Rehearse a readable pack; runs that do not fit into the time are left out. Raises
    CannotRun."""
    until = time.monotonic() + seconds
    return rehearse(
        pack.dialect.program(pack.source, profile).with_tools(tools),
        pack.graph(profile),
        runs=runs,
        seed=seed,
        limits=walk,
        is_over=lambda: time.monotonic() > until,
        keep=keep,
    )


def proposed(
    pack: WarmPack,
    other: Files,
    profile: str,
    *,
    edits: Sequence[Edit],
    tools: Mapping[str, ToolSpec] | None,
    logs: Mapping[str, Sequence[Event]] | None,
    runs: int,
    walk: Limits,
    seconds: float,
    drawn: bool,
) -> Consequences:
    """The consequences of a change from a pack to another version of it. `tools`: those of the
    server, for the rehearsal of both; None for no rehearsal. `seconds`: for each rehearsal."""

    def timer() -> Callable[[], bool]:
        until = time.monotonic() + seconds
        return lambda: time.monotonic() > until

    before, after = (
        Version(
            dialect=pack.dialect,
            source=source,
            profile=profile,
            tools=partial(_available, tools or {}),
        )
        for source in (pack.source, pack.dialect.read(other))
    )
    walks = None if tools is None else Walks(runs=runs, limits=walk, is_over=timer)
    return consequences(before, after, edits, walks=walks, logs=logs, drawn=drawn)


def verified(
    pack: WarmPack, profile: str, *, logs: Mapping[str, Sequence[Event]]
) -> tuple[list[CaseVerdict], list[tuple[str, Verdict, str]]]:
    """The verdicts on the pack's cases, and on recorded runs, each with a drawing of its first
    divergence. Runs that cannot be replayed are left out."""
    version = Version(dialect=pack.dialect, source=pack.source, profile=profile)
    runs = []
    for name, log in logs.items():
        try:
            verdict = replayed(version.program, log)
        except InvalidRecording:
            continue
        found = verdict.divergence
        svg = divergence_svg(pack.graph(profile), log, found) if found else ""
        runs.append((name, verdict, svg))
    return list(case_verdicts(version.program, pack.files)), runs


def _available(
    tools: Mapping[str, ToolSpec], dialect: Dialect, source: Source
) -> Mapping[str, ToolSpec]:
    """The tools, if a pack names no other. Raises CannotRun."""
    reason, remedy = missing_tools_reason(missing(dialect.named_tools(source), tools))
    if reason:
        raise CannotRun(f"{reason} {remedy}")
    return tools


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPack:
    """The values of an `AgentPack` that its files do not have. `tools`: those of the
    server; `logs`: recorded runs by id."""

    name: str
    revision: str
    profile: str
    tools: Mapping[str, ToolSpec]
    logs: Mapping[str, Sequence[Event]]
    walk: Limits
    seconds: float

    def opened(self, pack: WarmPack) -> AgentPack:
        """The pack as tools see it."""
        named = pack.dialect.named_tools(pack.source) if pack.source.readable else ()
        return AgentPack(
            name=self.name,
            revision=self.revision,
            version=Version(
                dialect=pack.dialect,
                source=pack.source,
                profile=self.profile,
                tools=partial(_available, self.tools),
            ),
            selected=lambda found: findings_with_tools(
                found, named, self.tools, pack.source.locate
            ),
            walk=self.walk,
            seconds=self.seconds,
            recorded=lambda names: self.logs,
        )


def agent_tool(
    pack: WarmPack,
    tool: str,
    given: Mapping[str, Any],
    first: SentPack,
    others: Sequence[tuple[SentPack, str, Files]],
) -> Answer:
    """Call a tool of an agent with a pack, and with others of which the dialects and files are
    sent. Raises the errors of tools."""
    more = (sent.opened(WarmPack.read(dialect, files)) for sent, dialect, files in others)
    call = TOOLS[tool].call
    assert call is not None
    answer: Answer = call(first.opened(pack), *more, given, lambda stage: None)
    return answer


def long_agent_tool(*arguments: Any) -> Answer:
    """An `agent_tool` for which no edit should wait."""
    return agent_tool(*arguments)


def recorded(
    pack: WarmPack, profile: str, *, written: Mapping[str, bytes]
) -> tuple[Sequence[Event], Verdict]:
    """The log of the run that another runtime has written into these files, and the verdict on it.
    A file that it names is found by its own name, because a selection of files has no folders.
    Raises InvalidRecording and CannotRun."""
    by_name = {PurePosixPath(path).name: data for path, data in written.items()}
    version = Version(dialect=pack.dialect, source=pack.source, profile=profile)
    bodies: list[Any] = [json_object(data) or json_lines(data) for data in written.values()]
    for body in sorted(bodies, key=lambda one: isinstance(one, list)):
        log = pack.dialect.recorded_run(
            pack.source, profile, body, lambda path: by_name.get(PurePosixPath(path).name)
        )
        if log:
            return log, replayed(version.program, log)
    raise InvalidRecording("These files are not a run that a runtime of this format has written.")


JOBS: dict[str, Callable[..., Any]] = {
    job.__name__: job
    for job in (
        tried, drawn, findings, edited, typed, copied, compared, ranges, found, converted,
        bounded, rehearsed, proposed, verified, recorded, agent_tool, long_agent_tool,
    )
}  # fmt: skip
