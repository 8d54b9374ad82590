"""Several packs as one side of an export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workflows.actions.file_merge import Place
from workflows.core.pack.files import Files
from workflows.errors import RepositoryRefused
from workflows.repos.export_plan import PackSide


def joined(sides: Sequence[PackSide], folder: str) -> PackSide:
    """The side with the files of all packs. Raises RepositoryRefused if two of them have different
    versions of one file."""
    if len(sides) == 1:
        return sides[0]
    files: dict[str, bytes] = {}
    for side in sides:
        for path, data in side.files.items():
            if files.setdefault(path, data) != data:
                raise RepositoryRefused(
                    f"Several of these packs have the file {path}, with different contents.",
                    hint="Propose them one after the other.",
                    where="others",
                )
    own = [{*side.files, *side.earlier_paths(folder)} for side in sides]

    def check(merged: Files) -> tuple[Sequence[Place], Sequence[dict[str, Any]]]:
        places: list[Place] = []
        findings: list[dict[str, Any]] = []
        for side, paths in zip(sides, own, strict=True):
            part = Files({path: data for path, data in merged.items() if path in paths})
            conflicts, new = side.check(part)
            places.extend(conflicts)
            findings.extend(new)
        return places, findings

    first = {path: data for side in sides for path, data in side.first.items()}
    return PackSide(files=Files.of(files), first=Files(first), check=check, parts=tuple(sides))
