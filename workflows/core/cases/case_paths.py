"""The places of cases in a tree of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from posixpath import basename, dirname
from typing import TYPE_CHECKING

from workflows.core.pack.relocation import file_name_of

if TYPE_CHECKING:
    from workflows.core.dialects.base import PackLocation

ENDINGS = (".scenario.yaml", ".scenario.yml")
SCENARIOS = "scenarios"
"""The folder of scenarios next to a pack, if that is the only one in its folder."""


def folder_of(main: str) -> str:
    """The folder of a pack's cases: `review.cases` for `review.pack.json`."""
    return f"{main[: len(main) - len(basename(main))]}{basename(main).partition('.')[0]}.cases"


def path_of(main: str, name: str) -> str:
    """The place of a new case of a pack."""
    return f"{folder_of(main)}/{file_name_of(name)}{ENDINGS[0]}"


def case_paths(files: Iterable[str]) -> list[str]:
    """The cases among the files of one pack."""
    return sorted(path for path in files if path.endswith(ENDINGS))


def with_cases(files: Iterable[str], packs: Sequence[PackLocation]) -> Iterator[PackLocation]:
    """The packs of a tree with their cases."""
    folders: dict[str, list[str]] = {}
    for path in case_paths(files):
        folders.setdefault(dirname(path), []).append(path)
    mains = Counter(dirname(pack.main) for pack in packs)
    for pack in packs:
        alone = mains[dirname(pack.main)] == 1
        own = [
            *folders.pop(folder_of(pack.main), ()),
            *(_scenarios(pack, folders) if alone else ()),
        ]
        new = tuple(path for path in own if path not in pack.paths)
        yield replace(pack, paths=(*pack.paths, *new)) if new else pack


def _scenarios(pack: PackLocation, folders: Mapping[str, list[str]]) -> Sequence[str]:
    top = dirname(pack.main)
    return folders.get(f"{top}/{SCENARIOS}" if top else SCENARIOS, ())
