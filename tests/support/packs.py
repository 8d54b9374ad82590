"""Every pack there is: the samples of the dialects, and the packs of the corpus folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.corpus import CORPUS
from workflows.core.dialects import dialects, recognise
from workflows.core.pack.files import Files

FOLDERS = ("promptpack", "steps-registry", "steps-registry-history", "stages")


@dataclass(frozen=True, kw_only=True)
class KnownPack:
    """One pack to hold a promise to."""

    name: str
    dialect: str
    files: Files


def samples() -> Iterator[KnownPack]:
    """Packs that ship with a dialect."""
    for dialect in dialects().values():
        for name, files in dialect.samples().items():
            yield KnownPack(name=f"{dialect.name}/{name}", dialect=dialect.name, files=files)


def from_corpus() -> Iterator[KnownPack]:
    """Packs of the corpus, found as an import finds them: a folder as a tree, a lone file alone."""
    for folder in filter(lambda name: (CORPUS / name).is_dir(), FOLDERS):
        make = _stage_trees if folder == "stages" else _trees
        for tree in make(CORPUS / folder):
            for pack in recognise(tree[1]):
                files = Files.of({path: tree[1][path] for path in pack.paths})
                yield KnownPack(name=f"{tree[0]}:{pack.main}", dialect=pack.dialect, files=files)


def _trees(folder: Path) -> Iterator[tuple[str, Files]]:
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and (entry / ".agent").is_dir():
            yield entry.name, _read(entry, [path for path in entry.rglob("*") if path.is_file()])
        elif entry.is_dir() and not entry.name.startswith("_") and entry.name not in SKIP:
            for path in sorted(entry.rglob("*.json")):
                yield f"{folder.name}/{entry.name}", _read(path.parent, [path])
        elif entry.suffix == ".json":
            yield folder.name, _read(folder, [entry])


def _stage_trees(folder: Path) -> Iterator[tuple[str, Files]]:
    """Pipelines with their stage files as one tree, and every other file alone."""
    for path in sorted(folder.rglob("*")):
        if path.name == "pipeline.json":
            inside = [one for one in path.parent.rglob("*") if one.is_file()]
            yield f"stages/{path.parent.name}", _read(path.parent, inside)
        elif path.is_file() and path.parent != folder and "own" not in path.parts:
            yield f"stages/{path.parent.relative_to(folder)}", _read(path.parent, [path])


SKIP = ("schema", "vectors", "_oracle")


def _read(root: Path, paths: list[Path]) -> Files:
    return Files.of({path.relative_to(root).as_posix(): path.read_bytes() for path in paths})


def all_packs() -> list[KnownPack]:
    """Samples first, then the corpus."""
    return [*samples(), *from_corpus()]
