"""`signalbox merge`: a merge driver for git, which merges values where git merges lines."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from signalbox.commands.errors import CONFLICT, OK, Trouble
from signalbox.commands.packs import packs_in
from signalbox.project.baseline import Fingerprint, fingerprint
from workflows.actions.file_merge import merged
from workflows.core.pack.files import MAX_FILE_BYTES, BadFiles, Files
from workflows.core.rules.check import check
from workflows.errors import RepositoryRefused
from workflows.repos.git import Git


def run(options: argparse.Namespace) -> int:
    """Write the merged file over OURS. Exit 1 if a person has to look at it: both sides changed one
    value, or the result has errors that neither side has."""
    base, ours, theirs = (_read(name) for name in (options.base, options.ours, options.theirs))
    path = options.path or options.ours
    result = merged(base, ours, theirs)
    if result is None:
        Path(options.ours).write_bytes(_by_lines(options) or ours)
        print(f"{path}: both sides changed the same value.")
        return CONFLICT
    Path(options.ours).write_bytes(result)
    new = _errors(path, result) - _errors(path, ours) - _errors(path, theirs)
    for one in sorted(new):
        print(f"{path}: the merged pack has a new error {one.code} at {one.element}.")
    return CONFLICT if new else OK


def _read(name: str) -> bytes:
    place = Path(name)
    if place.stat().st_size > MAX_FILE_BYTES:
        raise Trouble(f"{name} has more than {MAX_FILE_BYTES:,} bytes.")
    return place.read_bytes()


def _by_lines(options: argparse.Namespace) -> bytes:
    """Git's merge of the lines, with markers at the conflicts; empty where git cannot merge."""
    labels: Sequence[str] = ("-L", "ours", "-L", "base", "-L", "theirs")
    size = f"--marker-size={options.marker_size}"
    files = (str(Path(name).absolute()) for name in (options.ours, options.base, options.theirs))
    try:
        done = Git(folder=Path.cwd()).attempt("merge-file", "-p", size, *labels, "--", *files)
    except RepositoryRefused:
        return b""
    return done.stdout if 0 <= done.returncode < 128 else b""


def _errors(path: str, data: bytes) -> set[Fingerprint]:
    """The errors of the packs in one file. A file that belongs to a larger pack has the same
    unrelated errors on each side."""
    try:
        packs = packs_in(Path.cwd(), Files.of({Path(path).name: data}))
    except BadFiles:
        return set()
    return {
        fingerprint(path, finding)
        for pack in packs
        for finding in check(pack.dialect, pack.dialect.read(pack.files), pack.profile(None))
        if finding.level == "error"
    }
