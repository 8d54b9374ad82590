"""Conversion from one dialect to another, with a complete report.

The source is read into a neutral machine, files are written from it in the target's dialect, and
these are read back. A fact that comes back unchanged was kept; one that comes back different was
approximated; one that is missing was dropped. The report therefore describes the files, not the
intention of the writer, which only adds reasons and approximations of its own. Every leaf of the
author's files is in exactly one entry.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from textwrap import shorten
from typing import Any, Literal, TypeAlias

from workflows.core.convert.coverage import CoverageReport, Key
from workflows.core.convert.facts import DEFAULTS, facts, transition_key
from workflows.core.convert.neutral import Machine, RefKind, refs
from workflows.core.dialects.base import Dialect
from workflows.core.pack.causes import in_order
from workflows.core.pack.files import BadFiles, Files
from workflows.core.pack.findings import Finding, Place
from workflows.core.pack.forms import Json
from workflows.core.rules.check import check
from workflows.core.tools.availability import missing, missing_tool_findings

_WORD = re.compile(r"\w+")

Fate: TypeAlias = Literal["kept", "approximated", "dropped", "added"]
FATES: tuple[Fate, ...] = ("kept", "approximated", "dropped", "added")
"""From best to worst for a leaf; `added`: the target requires it, the source lacks it."""


@dataclass(frozen=True, kw_only=True)
class NeutralPack:
    """A pack as a machine, with the place of each fact."""

    machine: Machine
    coverage: CoverageReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A remark of a writer about one fact: `fate` is the best possible fate of the fact."""

    key: Key
    fate: Literal["approximated", "dropped"]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPack:
    """Files written from a machine, with remarks."""

    files: Files
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Converter:
    """The converter of a dialect. `why` maps a feature (or its first word) to the reason why the
    dialect does not support it; `knows` are the placeholders that it can write."""

    to_neutral: Callable[[Any, str], NeutralPack]
    from_neutral: Callable[[Machine], WrittenPack] | None = None
    """None: no pack is converted to this dialect."""
    why: Mapping[str, str] = field(default_factory=dict)
    knows: frozenset[RefKind] = frozenset()
    built_in: frozenset[str] = frozenset()
    """Tools that every state of the dialect has without naming them."""


class CannotConvert(Exception):
    """This pair of dialects, or this pack, cannot be converted. The message gives the reason."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportEntry:
    """One entry of the report: a part of the author's files and its fate. For an added value the
    place is empty. `implied` is True for a fact that follows from a rule of the format and from no
    value of the files; the place is the one to which the rule applies."""

    element: str
    feature: str
    fate: Fate
    why: str
    place: Place
    keys: tuple[Key, ...] = ()
    implied: bool = False

    def to_json(self) -> dict[str, object]:
        """The shape of `signalbox convert --report` and of the API."""
        return {
            "element": self.element,
            "feature": self.feature,
            "fate": self.fate,
            "why": self.why,
            "path": self.place.path,
            "pointer": self.place.pointer,
            "line": self.place.line,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """The files of the new pack, and the report in the order of the old files."""

    source: str
    target: str
    files: Files
    report: tuple[ReportEntry, ...]
    findings: tuple[Finding, ...] = ()
    """Findings of the target's rules in the new files, and of the tools that no server has until
    they are bound."""

    @property
    def failing(self) -> bool:
        """True if the new pack has errors."""
        return any(finding.level == "error" for finding in self.findings)

    @property
    def counts(self) -> dict[Fate, int]:
        """The number of entries per fate."""
        counted = Counter(each.fate for each in self.report)
        return {fate: counted[fate] for fate in FATES}

    @property
    def lossy(self) -> bool:
        """True if anything was approximated or dropped."""
        return any(each.fate in ("approximated", "dropped") for each in self.report)

    def to_json(self) -> dict[str, object]:
        """The report without the files."""
        return {
            "source": self.source,
            "target": self.target,
            "counts": self.counts,
            "report": [each.to_json() for each in self.report],
            "findings": [finding.to_json() for finding in self.findings],
        }


def converts(source: Dialect, target: Dialect) -> bool:
    """True if packs of `source` can be converted to `target`."""
    into = target.converter()
    writes = into is not None and into.from_neutral is not None
    return writes and source.converter() is not None and source.name != target.name


def converter(dialect: Dialect) -> Converter:
    """The converter of this dialect. Raises CannotConvert for a dialect without one."""
    found = dialect.converter()
    if found is None:
        raise CannotConvert(f"{dialect.label} packs are not converted from or to other dialects.")
    return found


def convert(source: Dialect, pack: Any, profile: str, target: Dialect) -> Conversion:
    """Write a readable pack in another dialect. Raises CannotConvert."""
    if source.name == target.name:
        raise CannotConvert(
            f"This pack is {target.label} already.", hint="Choose another dialect to convert to."
        )
    old, new = converter(source), converter(target)
    if new.from_neutral is None:
        raise CannotConvert(f"No pack is converted to {target.label}, which has no fixed order.")
    read = old.to_neutral(pack, profile)
    if not read.machine.states:
        raise CannotConvert("This pack has no state that could be converted.")
    try:
        drafted = new.from_neutral(read.machine)
    except BadFiles as refused:
        raise CannotConvert(
            f"A file of this pack in {target.label} cannot be named: {refused.message}",
            hint="Give the pack and its states shorter ids.",
        ) from refused
    written = target.read(drafted.files)
    again = new.to_neutral(written, target.profiles[0])
    judge = _Comparison(
        label=target.label,
        before=facts(read.machine),
        after=facts(again.machine),
        notes={
            note.key: note
            for note in (
                *drafted.notes,
                *_missing_tools(read.machine, again.machine, old.built_in - new.built_in, target),
                *_written_placeholders(read.machine, new),
            )
        },
        why=new.why,
    )
    report = (*judge.entries(read.coverage), *judge.added(read.machine, again.coverage))
    return Conversion(
        source=source.name,
        target=target.name,
        files=drafted.files,
        report=report,
        findings=_findings(target, written),
    )


def _findings(target: Dialect, written: Any) -> tuple[Finding, ...]:
    """The findings of `check`, with the tools that the new pack names and no pack declares."""
    unbound = missing_tool_findings(missing(target.named_tools(written), ()))
    located = (replace(one, place=written.locate(one.place)) for one in unbound)
    found = check(target, written, target.profiles[0])
    return in_order((*found, *located))


def _missing_tools(
    before: Machine, after: Machine, lost: Collection[str], target: Dialect
) -> Iterator[Note]:
    """Remarks on prompts that mention a tool which the new pack does not have."""
    tools = {tool.name or tool.key for tool in before.tools}
    for state in after.states:
        tools -= set(state.tools or ())
    tools -= {tool.name or tool.key for tool in after.tools}
    names = {*lost, *tools}
    for state in before.states:
        text = " ".join(part for part in state.prompt if isinstance(part, str))
        used = sorted(names.intersection(_WORD.findall(text)))
        if used:
            why = f"It mentions {', '.join(used)}, which {target.label} does not have."
            yield Note(key=(f"state:{state.id}", "prompt"), fate="approximated", why=why)


def _written_placeholders(machine: Machine, target: Converter) -> Iterator[Note]:
    """Remarks on placeholders that the target does not support, and on lost spellings."""
    for state in machine.states:
        for transition in (transition for transition in state.transitions if transition.spelling):
            why = (
                f"The outcome is “{transition.label}”; "
                f"its spelling “{transition.spelling}” is lost."
            )
            yield Note(
                key=transition_key(state.id, transition.label, "spelling"),
                fate="approximated",
                why=why,
            )
        for ref in refs(state.prompt):
            if ref.kind not in target.knows and ref.kind in ("fragment", "state"):
                what = f"fragment “{ref.name}”" if ref.kind == "fragment" else f"state's {ref.name}"
                why = (
                    f"The {what} is written as text, because the target has no placeholder for it."
                )
                yield Note(key=(f"state:{state.id}", "prompt"), fate="approximated", why=why)
                break


@dataclass(frozen=True, kw_only=True)
class _Comparison:
    label: str
    before: Mapping[Key, Json]
    after: Mapping[Key, Json]
    notes: Mapping[Key, Note]
    why: Mapping[str, str]

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """Transition that is missing → the new one of the same state with the same facts."""

        def ways(one: Mapping[Key, Json], other: Mapping[Key, Json]) -> dict[str, dict[str, Json]]:
            elements = {element for element, _ in other}
            found: dict[str, dict[str, Json]] = {}
            for (element, feature), value in one.items():
                if element.startswith("transition:") and element not in elements:
                    found.setdefault(element, {})[feature] = value
            return found

        new = ways(self.after, self.before)
        names: dict[str, str] = {}
        for element, own in ways(self.before, self.after).items():
            state = element.partition("|")[0]
            alike = [one for one in new if one.startswith(f"{state}|") and new[one] == own]
            if len(alike) == 1 and alike[0] not in names.values():
                names[element] = alike[0]
        return names

    def fate(self, key: Key) -> tuple[Fate, str]:
        """The fate of a fact, with its reason."""
        if key[0] in self.renamed:
            label = self.renamed[key[0]].partition("|")[2]
            return "approximated", f"In {self.label}, this outcome has the name “{label}”."
        note = self.notes.get(key)
        fate = self._compared(key)
        if fate == "dropped" and note is not None and note.fate == "approximated":
            fate = "approximated"
        elif note is not None and FATES.index(note.fate) > FATES.index(fate):
            fate = note.fate
        if fate == "kept":
            return fate, ""
        return fate, note.why if note is not None else self._reason(key, fate)

    def _compared(self, key: Key) -> Fate:
        if key not in self.before:  # A default of every dialect, which the source states.
            return "kept" if key not in self.after else "approximated"
        if key not in self.after:
            return "kept" if self.before[key] == DEFAULTS.get(key[1], ...) else "dropped"
        return "kept" if self.before[key] == self.after[key] else "approximated"

    def _reason(self, key: Key, fate: Fate) -> str:
        feature = key[1]
        for name in (feature, feature.partition(" ")[0], key[0].partition(":")[0]):
            if name in self.why:
                return self.why[name]
        if fate == "approximated":
            return first_difference(self.before.get(key), self.after.get(key))
        return f"{self.label} does not support this."

    def entries(self, coverage: CoverageReport) -> Iterator[ReportEntry]:
        """Every part of the files once, then the implied facts that are lost."""
        for entry in coverage.entries():
            place = coverage.place(entry.path, entry.pointer, entry.element)
            fate, why, key = self._worst(entry.keys, entry.why)
            element, feature = key if key is not None else (entry.element, "")
            yield ReportEntry(
                element=element, feature=feature or _last(entry.pointer, entry.path), fate=fate,
                why=why, place=place, keys=entry.keys,
            )  # fmt: skip
        for key, (path, pointer) in coverage.implied.items():
            fate, why = self.fate(key)
            if fate != "kept":
                place = coverage.place(path, pointer, key[0])
                yield ReportEntry(element=key[0], feature=key[1], fate=fate, why=why, place=place,
                           keys=(key,), implied=True)  # fmt: skip

    def _worst(self, keys: Iterable[Key], why: str) -> tuple[Fate, str, Key | None]:
        fates = [(*self.fate(key), key) for key in keys]
        if not fates:
            return "dropped", why or "The conversion does not read this value.", None
        return max(fates, key=lambda each: FATES.index(each[0]))

    def added(self, machine: Machine, coverage: CoverageReport) -> Iterator[ReportEntry]:
        """The facts that only the new files contain."""
        elements = {f"state:{state.id}" for state in machine.states}
        written = {key for keys in coverage.marks.values() for key in keys}
        fresh = [key for key in self.after if key not in self.before and key in written]
        made = {element for element, feature in fresh if feature == "id"} - elements
        for element, feature in fresh:
            if element in self.renamed.values():
                continue
            owner = element.removeprefix("transition:").partition("|")[0]
            if feature != "id" and (element in made or f"state:{owner}" in made):
                continue
            why = f"{self.label} requires this, and the source does not contain it."
            note = self.notes.get((element, feature))
            yield ReportEntry(
                element=element, feature=feature, fate="added", keys=((element, feature),),
                why=note.why if note is not None else why, place=Place(),
            )  # fmt: skip


def first_difference(before: Json, after: Json) -> str:
    """A sentence with the first difference of two values; texts are quoted from there on."""
    old, new = _plain(before), _plain(after)
    at = next((n for n, pair in enumerate(zip(old, new, strict=False)) if len({*pair}) > 1), None)
    start = max(0, (min(len(old), len(new)) if at is None else at) - 10)
    quoted = [shorten(text[start:], 60, placeholder=" …") or "nothing" for text in (old, new)]
    return f"“{quoted[0]}” is “{quoted[1]}” in the new pack."


def _plain(value: Json) -> str:
    """A value as text; the pieces of a prompt in a row."""
    if isinstance(value, list) and any(isinstance(one, list) for one in value):
        pieces = (f"{{{one[-1]}}}" if isinstance(one, list) else str(one) for one in value if one)
        return " ".join("".join(pieces).split())
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return " ".join(value[0].split())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _last(pointer: tuple[str | int, ...], path: str) -> str:
    """The name of a part of a file without a fact: its last key."""
    words = [step for step in pointer if isinstance(step, str)]
    return words[-1] if words else path.rpartition("/")[2]
