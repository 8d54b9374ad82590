"""The jobs that run in a process of their own. Arguments and results are plain values of the core.

Each job has a pack as its first argument, which the process keeps parsed for the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from roles.core.file_diffs import file_differences
from workflows.agent_tools.packs import AgentPack, Answer
from workflows.agent_tools.tools import TOOLS
from workflows.consequences.affected_runs import affected_states
from workflows.consequences.consequences import Consequences, Walks, consequences
from workflows.consequences.recordings import CaseVerdict, case_verdicts, replayed
from workflows.consequences.version import Version
from workflows.core.compare.difference import Changes, difference
from workflows.core.compare.drawn_divergence import divergence_svg
from workflows.core.convert.conversion import Conversion, convert
from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect, ExportResult, Source
from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.events import Event
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import Limits, Rehearsal, rehearse
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.replay.verify import Verdict
from workflows.core.pack.call_bound import CallBound
from workflows.core.pack.causes import in_order
from workflows.core.pack.cut_graph import CUT_GRAPH, cut, cut_finding
from workflows.core.pack.edits import LAYOUT, Edit, EditRefused, WriteFile
from workflows.core.pack.files import BadFiles, Files
from workflows.core.pack.find import Query, find
from workflows.core.pack.findings import Finding
from workflows.core.pack.forms import Json
from workflows.core.pack.graph import Graph, Offer
from workflows.core.pack.replacement import replacement
from workflows.core.pack.text_ranges import PackRanges, TextRange
from workflows.core.rules.worst_case import WorstCase, pack_bound, pack_worst_case
from workflows.core.text.json.loads import json_lines, json_object
from workflows.core.tools.availability import (
    findings_with_tools,
    missing,
    missing_tools_reason,
)
from workflows.isolation.drawn_pack import DrawnChange, DrawnPack

LONG = frozenset({"rehearsed", "converted", "proposed", "verified", "recorded", "long_agent_tool"})
MAX_MATCHES = 500
"""Matches of a text that are shown."""


@dataclass(slots=True, kw_only=True)
class WarmPack:
    """A parsed pack, with its projections and its drawing by profile, each made once."""

    dialect: Dialect
    source: Source
    _versions: dict[str, Version] = field(default_factory=dict)
    _drawn: dict[str, DrawnPack] = field(default_factory=dict)
    _another: Version | None = None

    @classmethod
    def read(cls, dialect: str, files: Files) -> WarmPack:
        here = dialects()[dialect]
        return cls(dialect=here, source=here.read(files))

    @property
    def files(self) -> Files:
        return self.source.files

    def graph(self, profile: str) -> Graph:
        return self.version(profile).graph

    def version(self, profile: str, tools: Mapping[str, ToolSpec] | None = None) -> Version:
        """The pack under a profile. `tools`: those of the server, for rehearsals."""
        if profile not in self._versions:
            self._versions[profile] = Version(
                dialect=self.dialect, source=self.source, profile=profile
            )
        version = self._versions[profile]
        version.tools = partial(_available, tools or {})
        return version

    def another(self, files: Files, before: Version) -> Version:
        """Another version of the pack, kept for the next job about it."""
        kept = self._another
        if kept is None or (kept.source.files, kept.profile) != (files, before.profile):
            self._another = kept = replace(before, source=self.dialect.read(files))
        kept.tools = before.tools
        return kept

    def drawn(self, profile: str) -> DrawnPack:
        if profile not in self._drawn:
            self._drawn[profile] = _drawn(self, profile)
        return self._drawn[profile]


@dataclass(frozen=True, slots=True)
class Made:
    """The result of a job, and the pack that it made, which the process keeps too."""

    pack: WarmPack
    result: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why the edit with this index is not possible."""

    index: int
    message: str
    hint: str
    where: str


def drawn(pack: WarmPack, profile: str) -> DrawnPack:
    """Draw a pack, and list its objects, agents and tools."""
    return pack.drawn(profile)


def _drawn(pack: WarmPack, profile: str) -> DrawnPack:
    dialect, source = pack.dialect, pack.source
    graph = cut(pack.graph(profile))
    about: dict[str, Any] = {"main": source.main, "problems": source.findings, "graph": graph}
    if not source.readable:
        return DrawnPack(readable=False, outline=[], agents={}, **about)
    outline: list[dict[str, Any]] = [section.to_json() for section in dialect.outline(source)]
    return DrawnPack(
        readable=True,
        outline=outline,
        agents=_published_agents(pack, outline, profile),
        tools=dialect.tools(source),
        named_tools=tuple(
            replace(tool, place=source.locate(tool.place)) for tool in dialect.named_tools(source)
        ),
        **about,
    )


def _published_agents(
    pack: WarmPack, outline: Sequence[Mapping[str, Any]], profile: str
) -> dict[str, dict[str, Any]]:
    """The agents that a readable pack publishes, each with its card: the A2A card if the dialect
    has cards, else the values of its form."""
    cards = pack.dialect.cards(pack.source)
    if cards is not None:
        return dict(cards)
    named = [
        item["element"] for part in outline if part["kind"] == "agent" for item in part["items"]
    ]
    return {
        one.partition(":")[2]: dict(pack.dialect.fields(pack.source, one, profile).values)
        for one in named
    }


def findings(pack: WarmPack, profile: str) -> tuple[Finding, ...]:
    """Every finding, also about a graph that is too large to be drawn whole."""
    graph = pack.graph(profile)
    every = pack.version(profile).findings
    of_graph = cut_finding(graph, pack.source.main)
    if not of_graph:
        return every
    return in_order((*(one for one in every if one.code != CUT_GRAPH), *of_graph))


def edited(pack: WarmPack, edits: Sequence[Edit], profile: str, is_drawn: bool) -> Made | Refusal:
    """Apply edits: the changed files, and the drawing of the pack after them, as a DrawnChange if
    the server has the drawing of the pack."""
    source = pack.source
    for index, edit in enumerate(edits):
        if isinstance(edit, LAYOUT):
            continue
        try:
            source = pack.dialect.apply(source, edit)
        except (EditRefused, BadFiles) as refused:
            return Refusal(index, refused.message, refused.hint, refused.where)
    after = WarmPack(dialect=pack.dialect, source=source)
    drawing: DrawnPack | DrawnChange = after.drawn(profile)
    if is_drawn:
        drawing = DrawnChange.between(pack.drawn(profile), after.drawn(profile))
    return Made(after, (pack.files.difference(after.files), drawing))


def form(pack: WarmPack, element: str, profile: str) -> dict[str, Any]:
    """The form of an element. Raises EditRefused if the pack has no such element."""
    made = pack.dialect.fields(pack.source, element, profile)
    return replace(made, place=pack.source.locate(made.place)).to_json()


def offers(pack: WarmPack, state: str, profile: str) -> tuple[Offer, ...]:
    """The transitions that can still be added from a state."""
    return pack.dialect.offers(pack.source, state, profile)


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


def ranges(pack: WarmPack, profile: str, path: str) -> list[TextRange]:
    """The text of each element in one file."""
    return list(PackRanges(pack.dialect, pack.source, pack.graph(profile)).of(path))


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


def exported(pack: WarmPack, name: str) -> ExportResult:
    """Export a readable pack in another format of its dialect. Raises EditRefused."""
    form = next(one for one in pack.dialect.exports() if one.name == name)
    made: ExportResult = form.make(pack.source)
    located = (replace(one, place=pack.source.locate(one.place)) for one in made.findings)
    return replace(made, findings=tuple(located))


def converted(pack: WarmPack, profile: str, to: str) -> Conversion:
    """Convert a readable pack. Raises CannotConvert."""
    return convert(pack.dialect, pack.source, profile, dialects()[to])


def bounded(pack: WarmPack, profile: str, assumed: Mapping[str, int]) -> CallBound:
    """The most agents or model calls of one run of a readable pack."""
    return pack_bound(pack.dialect, pack.source, pack.graph(profile), assumed)


def worst(pack: WarmPack, profile: str) -> WorstCase:
    """The most that one run of a readable pack can use."""
    return pack_worst_case(pack.dialect, pack.source, pack.graph(profile), {})


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


def affected(pack: WarmPack, other: Files, profile: str) -> frozenset[str] | None:
    """The states whose steps another version alters; see `affected_states`."""
    before = pack.version(profile)
    after = pack.another(other, before)
    found = after.difference_from(before)
    return affected_states(before, after, found) if found else None


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

    before = pack.version(profile, tools)
    after = pack.another(other, before)
    walks = None if tools is None else Walks(runs=runs, limits=walk, is_over=timer)
    return consequences(before, after, edits, walks=walks, logs=logs, drawn=drawn)


def verified(
    pack: WarmPack, profile: str, *, logs: Mapping[str, Sequence[Event]]
) -> tuple[list[CaseVerdict], list[tuple[str, Verdict, str]]]:
    """The verdicts on the pack's cases, and on recorded runs, each with a drawing of its first
    divergence. Runs that cannot be replayed are left out."""
    version = pack.version(profile)
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
            version=pack.version(self.profile, self.tools),
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
    bodies: list[Any] = [json_object(data) or json_lines(data) for data in written.values()]
    for body in sorted(bodies, key=lambda one: isinstance(one, list)):
        log = pack.dialect.recorded_run(
            pack.source, profile, body, lambda path: by_name.get(PurePosixPath(path).name)
        )
        if log:
            return log, replayed(pack.version(profile).program, log)
    raise InvalidRecording("These files are not a run that a runtime of this format has written.")


JOBS: dict[str, Callable[..., Any]] = {
    job.__name__: job
    for job in (
        drawn, findings, edited, form, offers, typed, copied, compared, ranges, found, exported,
        converted, bounded, worst, affected, rehearsed, proposed, verified, recorded,
        agent_tool, long_agent_tool,
    )
}  # fmt: skip
