"""`signalbox merge`: a merge driver for git, which merges values where git merges lines."""

from __future__ import annotations

import argparse
from pathlib import Path

from signalbox.commands.errors import CONFLICT, OK, Trouble
from signalbox.commands.packs import packs_in
from signalbox.project.baseline import Fingerprint, fingerprint
from workflows.core.merge.files import FileMerge
from workflows.core.pack.files import MAX_FILE_BYTES, BadFiles, Files
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import check


def run(options: argparse.Namespace) -> int:
    """Write the merged file over OURS. Exit 1 if a person has to look at it: both sides changed one
    value differently, or the result has errors that neither side has."""
    base, ours, theirs = (_read(name) for name in (options.base, options.ours, options.theirs))
    path = options.path or options.ours
    merge = FileMerge(path=path, base=base, mine=ours, theirs=theirs)
    if merge.clean is None:
        Path(options.ours).write_bytes(merge.marked(options.marker_size))
        for conflict in merge.conflicts:
            print(f"{path}:{conflict.line}: both sides changed {conflict.name} differently.")
        return CONFLICT
    Path(options.ours).write_bytes(merge.clean)
    had = {**_findings(path, ours), **_findings(path, theirs)}
    found = _findings(path, merge.clean)
    new = [found[key] for key in sorted(found.keys() - had.keys())]
    for one in new:
        kind = "error" if one.level == "error" else "finding"
        print(f"{path}: the merged pack has a new {kind} {one.code}: {one.message}")
    return CONFLICT if any(one.level == "error" for one in new) else OK


def _read(name: str) -> bytes:
    place = Path(name)
    if place.stat().st_size > MAX_FILE_BYTES:
        raise Trouble(f"{name} has more than {MAX_FILE_BYTES:,} bytes.")
    return place.read_bytes()


def _findings(path: str, data: bytes) -> dict[Fingerprint, Finding]:
    """The findings of the packs in one file. A file that belongs to a larger pack has the same
    unrelated findings on each side."""
    try:
        packs = packs_in(Path.cwd(), Files.of({Path(path).name: data}))
    except BadFiles:
        return {}
    return {
        fingerprint(path, finding): finding
        for pack in packs
        for finding in check(pack.dialect, pack.dialect.read(pack.files), pack.profile(None))
    }
