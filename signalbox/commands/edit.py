"""`signalbox edit`: the API's edits, applied to files or only tried."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from signalbox.commands.errors import Trouble
from signalbox.commands.inputs import read_json
from signalbox.commands.output import write_files
from signalbox.commands.packs import PackHere, pack_at
from signalbox.project.settings_file import project_of
from workflows.core.dialects.base import Source
from workflows.core.pack.edits import LAYOUT, Edit, edits_from_json


def run(options: argparse.Namespace) -> int:
    """Apply all edits or none. Raises EditRefused with the edit that is not possible."""
    if options.path == options.edits == "-":
        raise Trouble("Only one of pack and edits can come on standard input.")
    edits = edits_from_json(read_json(options.edits))
    pack = pack_at(options.path)
    source = pack.dialect.apply_all(pack.readable_source(), edits)
    if options.dry_run:
        return _preview(pack, source, edits, options)
    after = source.files
    changes = pack.files.difference(after)
    if options.output:
        write_files(Path(options.output), after)
    elif pack.root is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(after[pack.location.main])
        return 0
    else:
        write_files(pack.root, changes)
    left_out = sum(isinstance(edit, LAYOUT) for edit in edits)
    _tell(pack, changes, len(edits) - left_out, left_out)
    return 0


def _preview(
    pack: PackHere, after: Source, edits: Sequence[Edit], options: argparse.Namespace
) -> int:
    from signalbox.commands.proposal import as_text, proposal
    from signalbox.commands.recorded_runs import listed_runs
    from workflows.consequences.consequences import Walks

    project = project_of(options.path)
    found = proposal(
        pack,
        after,
        edits,
        project,
        profile=options.profile,
        walks=Walks(),
        runs=listed_runs(pack, project),
    )
    if options.json:
        print(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
    else:
        print(f"{as_text(found, pack)}\n\nNothing was written.")
    return 0


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
