"""`signalbox edit`: the API's edits, applied to files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signalbox.commands.errors import Trouble
from signalbox.commands.inputs import read_json
from signalbox.commands.output import write_files
from signalbox.commands.packs import PackHere, pack_at
from workflows.core.pack.edits import LAYOUT, Edit, EditRefused, edits_from_json
from workflows.core.pack.files import Files


def run(options: argparse.Namespace) -> int:
    """Apply all edits or none. Raises EditRefused with the edit that is not possible."""
    if options.path == options.edits == "-":
        raise Trouble("Only one of pack and edits can come on standard input.")
    edits = edits_from_json(read_json(options.edits))
    pack = pack_at(options.path)
    source = pack.readable_source()
    after, left_out = _applied(pack, source, edits)
    changes = pack.files.difference(after)
    if options.output:
        write_files(Path(options.output), after)
    elif pack.root is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(after[pack.location.main])
        return 0
    else:
        write_files(pack.root, changes)
    _tell(pack, changes, len(edits) - left_out, left_out)
    return 0


def _applied(pack: PackHere, source: Any, edits: tuple[Edit, ...]) -> tuple[Files, int]:
    """The files after all edits, and the number of layout edits, which files do not hold."""
    left_out = 0
    for number, edit in enumerate(edits):
        if isinstance(edit, LAYOUT):
            left_out += 1
            continue
        try:
            source = pack.dialect.apply(source, edit)
        except EditRefused as refused:
            raise EditRefused(
                refused.message, where=f"edit {number + 1} ({edit.type})", hint=refused.hint
            ) from refused
    return source.files, left_out


def _tell(pack: PackHere, changes: Mapping[str, bytes | None], applied: int, left_out: int) -> None:
    edits = "1 edit" if applied == 1 else f"{applied} edits"
    if not changes:
        print(f"{edits} applied; no file changed.")
    for path, data in changes.items():
        word = "removed" if data is None else "added" if path not in pack.files else "changed"
        print(f"{word} {pack.show(path)}")
    if changes:
        print(f"{edits} applied.")
    if left_out:
        print(f"{left_out} layout edits were skipped: files hold no positions.")
