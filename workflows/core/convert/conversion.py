"""From one dialect to another, with a report that cannot leave anything out.

The source is read into a neutral machine, files are written from that in the target's dialect, and
then read back. A fact that comes back the same is kept; one that comes back different was
approximated; one that does not come back was dropped. So the report says what the files say, not
what the writer meant. What the writer has to add is how and why, and where it had to make do.
Every leaf of the author's files stands under exactly one entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from workflows.core.convert.coverage import CoverageReport, Key
from workflows.core.convert.facts import STANDARD, facts, transition_key
from workflows.core.convert.neutral import Machine, RefKind, refs
from workflows.core.dialects.base import Dialect
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Place
from workflows.core.pack.forms import Json

Fate: TypeAlias = Literal["kept", "approximated", "dropped", "added"]
FATES: tuple[Fate, ...] = ("kept", "approximated", "dropped", "added")
"""From best to worst for a leaf; `added` is what the target demands and the source never said."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """A pack as a machine, and where each of its facts stands."""

    machine: Machine
    ledger: CoverageReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a writer has to say about one fact: `fate` is the best that can be claimed for it."""

    key: Key
    fate: Literal["approximated", "dropped"]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """Files written from a machine, and what there is to say about them."""

    files: Files
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Converter:
    """How a dialect takes part. `why` says for a feature (or the first word of one) why the dialect
    has no place for it; `knows` are the placeholders that it can write."""

    to_neutral: Callable[[Any, str], Read]
    from_neutral: Callable[[Machine], Drafted]
    why: Mapping[str, str] = field(default_factory=dict)
    knows: frozenset[RefKind] = frozenset()


class CannotConvert(Exception):
    """This pair of dialects, or this pack, cannot be converted: the sentence says why."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One entry of the report: a part of the author's files and what became of it. For what was
    added the place is empty. `unsaid`: the format's own rule said this, and no value of the files;
    the place is where it held."""

    element: str
    feature: str
    fate: Fate
    why: str
    place: Place
    keys: tuple[Key, ...] = ()
    unsaid: bool = False

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
    """The new pack's files, and the report in the order of the old one's."""

    source: str
    target: str
    files: Files
    report: tuple[Told, ...]

    @property
    def counts(self) -> dict[Fate, int]:
        """How many entries of each fate."""
        counted = Counter(each.fate for each in self.report)
        return {fate: counted[fate] for fate in FATES}

    @property
    def lossy(self) -> bool:
        """Whether anything was approximated or dropped."""
        return any(each.fate in ("approximated", "dropped") for each in self.report)

    def to_json(self) -> dict[str, object]:
        """The report on its own."""
        return {
            "source": self.source,
            "target": self.target,
            "counts": self.counts,
            "report": [each.to_json() for each in self.report],
        }


def converts(dialect: Dialect) -> bool:
    """Whether packs are converted from and to this dialect."""
    return dialect.converter is not None


def converter(dialect: Dialect) -> Converter:
    """How this dialect converts. Raises CannotConvert for one that does not."""
    if dialect.converter is None:
        raise CannotConvert(f"{dialect.label} packs are not converted from or to other dialects.")
    return dialect.converter


def convert(source: Dialect, pack: Any, profile: str, target: Dialect) -> Conversion:
    """Write a readable pack in another dialect. Raises CannotConvert."""
    if source.name == target.name:
        raise CannotConvert(
            f"This pack is {target.label} already.", hint="Choose another dialect to convert to."
        )
    old, new = converter(source), converter(target)
    read = old.to_neutral(pack, profile)
    if not read.machine.states:
        raise CannotConvert("This pack has no state that could be converted.")
    drafted = new.from_neutral(read.machine)
    written = target.read(drafted.files)
    again = new.to_neutral(written, target.profiles[0])
    judge = _Judge(
        label=target.label,
        before=facts(read.machine),
        after=facts(again.machine),
        notes={note.key: note for note in (*drafted.notes, *_spelled_out(read.machine, new))},
        why=new.why,
    )
    report = (*judge.entries(read.ledger), *judge.added(read.machine, again.ledger))
    return Conversion(source=source.name, target=target.name, files=drafted.files, report=report)


def _spelled_out(machine: Machine, target: Converter) -> Iterator[Note]:
    """Prompts with placeholders that the target does not have, and names spelled another way."""
    for state in machine.states:
        for way in (way for way in state.ways if way.spelling):
            why = f"The outcome is called “{way.label}”, which no longer tells “{way.spelling}”."
            yield Note(
                key=transition_key(state.id, way.label, "spelling"), fate="approximated", why=why
            )
        for ref in refs(state.prompt):
            if ref.kind not in target.knows and ref.kind in ("fragment", "state"):
                what = f"fragment “{ref.name}”" if ref.kind == "fragment" else f"state's {ref.name}"
                why = f"The {what} is written out, for there is no placeholder for it."
                yield Note(key=(f"state:{state.id}", "prompt"), fate="approximated", why=why)
                break


@dataclass(frozen=True, kw_only=True)
class _Judge:
    label: str
    before: Mapping[Key, Json]
    after: Mapping[Key, Json]
    notes: Mapping[Key, Note]
    why: Mapping[str, str]

    def fate(self, key: Key) -> tuple[Fate, str]:
        """What became of a fact, and how or why."""
        note = self.notes.get(key)
        fate = self._seen(key)
        if fate == "dropped" and note is not None and note.fate == "approximated":
            fate = "approximated"
        elif note is not None and FATES.index(note.fate) > FATES.index(fate):
            fate = note.fate
        if fate == "kept":
            return fate, ""
        return fate, note.why if note is not None else self._reason(key, fate)

    def _seen(self, key: Key) -> Fate:
        if key not in self.before:  # the standard: said, and meant by every dialect without a word
            return "kept" if key not in self.after else "approximated"
        if key not in self.after:
            return "kept" if self.before[key] == STANDARD.get(key[1], ...) else "dropped"
        return "kept" if self.before[key] == self.after[key] else "approximated"

    def _reason(self, key: Key, fate: Fate) -> str:
        feature = key[1]
        for name in (feature, feature.partition(" ")[0], key[0].partition(":")[0]):
            if name in self.why:
                return self.why[name]
        if fate == "approximated":
            return f"{self.label} says this in other words."
        return f"{self.label} has no place for this."

    def entries(self, ledger: CoverageReport) -> Iterator[Told]:
        """Every part of the files once, then what the format said without words and is lost."""
        for said in ledger.entries():
            place = ledger.place(said.path, said.pointer, said.element)
            fate, why, key = self._worst(said.keys, said.why)
            element, feature = key if key is not None else (said.element, "")
            yield Told(
                element=element, feature=feature or _last(said.pointer, said.path), fate=fate,
                why=why, place=place, keys=said.keys,
            )  # fmt: skip
        for key, (path, pointer) in ledger.implied.items():
            fate, why = self.fate(key)
            if fate != "kept":
                place = ledger.place(path, pointer, key[0])
                yield Told(element=key[0], feature=key[1], fate=fate, why=why, place=place,
                           keys=(key,), unsaid=True)  # fmt: skip

    def _worst(self, keys: Iterable[Key], why: str) -> tuple[Fate, str, Key | None]:
        fates = [(*self.fate(key), key) for key in keys]
        if not fates:
            return "dropped", why or f"{self.label} has no place for this.", None
        return max(fates, key=lambda each: FATES.index(each[0]))

    def added(self, machine: Machine, ledger: CoverageReport) -> Iterator[Told]:
        """What the new files say and the old ones did not."""
        known = {f"state:{state.id}" for state in machine.states}
        written = {key for keys in ledger.marks.values() for key in keys}
        fresh = [key for key in self.after if key not in self.before and key in written]
        made = {element for element, feature in fresh if feature == "id"} - known
        for element, feature in fresh:
            owner = element.removeprefix("transition:").partition("|")[0]
            if feature != "id" and (element in made or f"state:{owner}" in made):
                continue
            why = f"{self.label} asks for this, and nothing in the source said it."
            note = self.notes.get((element, feature))
            yield Told(element=element, feature=feature, fate="added", keys=((element, feature),),
                       why=note.why if note is not None else why, place=Place())  # fmt: skip


def _last(pointer: tuple[str | int, ...], path: str) -> str:
    """What to call a part of a file that no fact names: its last key."""
    words = [step for step in pointer if isinstance(step, str)]
    return words[-1] if words else path.rpartition("/")[2]
