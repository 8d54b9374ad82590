"""`signalbox diff REV..REV`: the packs that two git revisions add, remove and change."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signalbox.commands.diff import DIFFERS, as_text
from signalbox.commands.errors import OK, Trouble
from signalbox.commands.packs import PackHere, is_searched, packs_in
from signalbox.project.repository import Repository, commit_of, files_at, repository_of
from workflows.core.compare.difference import Difference, difference
from workflows.core.pack.files import MAX_FILE_BYTES, Files


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One pack that differs. `problem`: the reason why its versions cannot be compared."""

    path: str
    after: PackHere
    diff: Difference | None = None
    problem: str = ""


def run(revisions: str, inside: str | None, form: str) -> int:
    """Exit 0 if no pack differs, 1 if one does. Raises Trouble for an unknown revision."""
    if form == "svg":
        raise Trouble("Revisions are compared as text or json.", hint="Name two files for svg.")
    place = Path(os.path.normpath(Path(inside or ".").absolute()))
    repository = repository_of(place if place.is_dir() else place.parent)
    if repository is None:
        raise Trouble(f"{inside or 'This folder'} is in no git repository.")
    older, _, newer = revisions.partition("..")
    names = older or "HEAD", newer or "HEAD"
    before, after = (
        packs_at_commit(repository, commit_of(repository, name), place) for name in names
    )
    added = sorted(set(after) - set(before))
    removed = sorted(set(before) - set(after))
    changed = [
        change
        for key in sorted(set(before) & set(after))
        if (change := _change(key[0], before[key], after[key]))
    ]
    if form == "json":
        body = {
            "before": names[0],
            "after": names[1],
            "added": [path for path, _ in added],
            "removed": [path for path, _ in removed],
            "changed": [_as_json(change) for change in changed],
        }
        print(json.dumps(body, indent=2, ensure_ascii=False))
    else:
        lines = [f"+ pack {path}" for path, _ in added] + [f"- pack {path}" for path, _ in removed]
        for change in changed:
            lines.append(f"~ pack {change.path}")
            text = as_text(change.diff, change.after) if change.diff else change.problem
            lines += [f"  {line}".rstrip() for line in text.splitlines()]
        print("\n".join(lines) or "No difference.")
    differs = added or removed or any(not one.diff or not one.diff.same for one in changed)
    return DIFFERS if differs else OK


def packs_at_commit(
    repository: Repository, commit: str, place: Path
) -> dict[tuple[str, str], PackHere]:
    """Path and dialect → pack, for the packs of a commit below a place."""
    inside = place.relative_to(repository.root).as_posix()
    folder = "" if inside == "." else inside if place.is_dir() else inside.rpartition("/")[0]

    def wanted(path: str) -> bool:
        return is_searched(path) and (not folder or path.startswith((f"{folder}/", ".agent/")))

    files = files_at(repository, commit, wanted, MAX_FILE_BYTES)
    packs = {}
    for pack in packs_in(repository.root, Files(files)):
        main = repository.root / pack.location.main
        if main.is_relative_to(place) or place in _paths(pack):
            packs[pack.shown, pack.dialect.name] = pack
    return packs


def _paths(pack: PackHere) -> set[Path]:
    return {pack.home / path for path in pack.files}


def _change(path: str, before: PackHere, after: PackHere) -> Change | None:
    if dict(before.files) == dict(after.files):
        return None
    older, newer = before.dialect.read(before.files), after.dialect.read(after.files)
    if not older.readable or not newer.readable:
        when = "before" if not older.readable else "after"
        return Change(path=path, after=after, problem=f"It cannot be read {when} the change.")
    diff = difference(after.dialect, older, newer, after.profile(None))
    return Change(path=path, after=after, diff=diff)


def _as_json(change: Change) -> dict[str, Any]:
    body = change.diff.to_json() if change.diff else {"problem": change.problem}
    return {"path": change.path, **body}
