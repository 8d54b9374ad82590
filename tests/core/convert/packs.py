"""Packs to convert: what ships with us, and what the corpus folder holds of the three dialects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.dialects.agent_graph.packs import MAIN, TEAM
from tests.support.checks import quick_or_slow
from tests.support.corpus import CORPUS, FULL
from workflows.core.convert.conversion import (
    CannotConvert,
    Conversion,
    NeutralPack,
    convert,
    converter,
)
from workflows.core.dialects import dialects, recognise
from workflows.core.pack.files import Files

NAMES = ("promptpack", "stages", "steps_registry")
PAIRS = tuple((one, other) for one in NAMES for other in NAMES if one != other)
SKIPPED = ("schema", "vectors", "_oracle", "_schemas")


@dataclass(frozen=True, kw_only=True)
class KnownPack:
    name: str
    dialect: str
    files: Files
    lasting: bool = False
    """True if its conversions are cached."""

    def source(self):
        return dialects()[self.dialect].read(self.files)


def samples() -> list[KnownPack]:
    return [
        KnownPack(name=f"{dialect}/{name}", dialect=dialect, files=files, lasting=True)
        for dialect in NAMES
        for name, files in dialects()[dialect].samples().items()
    ]


def graphs() -> list[KnownPack]:
    """Five agent graphs. They are converted in one direction only."""
    texts = {"team": TEAM, "reports": TEAM.replace("false", "true")}
    found = {name: Files.of({MAIN: text.encode()}) for name, text in texts.items()}
    found |= dialects()["agent_graph"].samples()
    return [
        KnownPack(name=f"agent_graph/{name}", dialect="agent_graph", files=files, lasting=True)
        for name, files in found.items()
    ]


@cache
def from_corpus() -> tuple[KnownPack, ...]:
    """Readable packs of the corpus that have something to convert, none of them twice."""
    once = {tuple(sorted(known.files.items())): known for known in _found()}
    return tuple(known for known in once.values() if _convertible(known))


def _found() -> Iterator[KnownPack]:
    for folder in ("promptpack", "stages", "steps-registry"):
        for tree in sorted((CORPUS / folder).rglob("*")):
            if not tree.is_dir() or set(tree.parts) & set(SKIPPED):
                continue
            if ".agent" in tree.relative_to(CORPUS).parts:
                continue
            yield from _packs(folder, tree)


def _packs(folder: str, tree: Path) -> Iterator[KnownPack]:
    whole = folder == "steps-registry" and (tree / ".agent").is_dir()
    paths = tree.rglob("*") if whole or (tree / "pipeline.json").exists() else tree.glob("*")
    read = {p.relative_to(tree).as_posix(): p.read_bytes() for p in sorted(paths) if p.is_file()}
    for pack in recognise(Files.of(read)):
        if pack.dialect in NAMES:
            files = Files.of({path: read[path] for path in pack.paths})
            name = f"{tree.relative_to(CORPUS).as_posix()}:{pack.main}"
            yield KnownPack(name=name, dialect=pack.dialect, files=files, lasting=True)


def _convertible(known: KnownPack) -> bool:
    source = known.source()
    return bool(source.readable and to_neutral(known).machine.states)


SOME = quick_or_slow(12, 3)
"""Every twelfth or third pack of the full corpus. All shipped ones are used."""


def some_of_corpus(dialect: str, every: int) -> list[KnownPack]:
    return [known for known in from_corpus() if known.dialect == dialect][:: every if FULL else 1]


def everything() -> list[KnownPack]:
    return [*samples(), *from_corpus()]


def to_neutral(known: KnownPack) -> NeutralPack:
    dialect = dialects()[known.dialect]
    return converter(dialect).to_neutral(known.source(), dialect.profiles[0])


_made: dict[tuple[str, str, str], Conversion] = {}


def converted(known: KnownPack, target: str) -> Conversion:
    key = (known.name, known.dialect, target)
    if key in _made:
        return _made[key]
    dialect = dialects()[known.dialect]
    made = convert(dialect, known.source(), dialect.profiles[0], dialects()[target])
    return _made.setdefault(key, made) if known.lasting else made


def targets(known: KnownPack) -> list[str]:
    return [name for name in NAMES if name != known.dialect]


__all__ = ["CannotConvert", "KnownPack", "converted", "everything", "some_of_corpus", "to_neutral"]
