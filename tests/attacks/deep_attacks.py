"""Files that are nested without end, in the places of a pack: the main file and the others."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import product

from tests.support.packs import samples
from workflows.core.dialects import dialects
from workflows.core.pack.edits import EditRefused, RenameState
from workflows.core.pack.files import Files
from workflows.core.rules import check as checking
from workflows.core.rules.check import check

LEVELS = 100_000
LINES = 1_500

DEEP: dict[str, bytes] = {
    "JSON lists": b"[" * LEVELS + b"]" * LEVELS,
    "open JSON lists": b"[" * LEVELS,
    "JSON objects": b'{"a":' * LEVELS + b"1" + b"}" * LEVELS,
    "JSON lists in an object": b'{"a":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    "JSON lists over the limit": b"[" * 250 + b"]" * 250,
    "YAML lists": b"a: " + b"[" * LEVELS + b"]" * LEVELS,
    "open YAML mappings": b"a: " + b"{" * LEVELS,
    "YAML blocks": b"\n".join(b" " * level + b"a:" for level in range(LINES)),
    "YAML lists in a line": b"- " * LEVELS + b"x",
    "YAML aliases": b"a0: &a0 [x]\n"
    + b"\n".join(
        b"a%d: &a%d [%s]" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 12)
    ),
    "front matter lists": b"---\na: " + b"[" * LEVELS + b"\n---\nx",
    "front matter blocks": b"---\n"
    + b"\n".join(b" " * level + b"a:" for level in range(LINES))
    + b"\n---\nx",
    "markdown quotes": b">" * LEVELS,
    "markdown lists": b"\n".join(b" " * 2 * level + b"- x" for level in range(LINES)),
    "markdown brackets": b"[" * LEVELS,
    "markdown emphasis": b"_*" * LEVELS,
    "braces": b"{{" * LEVELS,
    "parentheses": b"(" * LEVELS,
    "conditions": b"{% if x %}" * 20_000,
    "references": b"${" * LEVELS,
}


def run(dialect: str, all_pairs: str) -> list[tuple[str, float, list[str]]]:
    """(file and attack, processor seconds, problems) of the largest sample of a dialect, with each
    of its kinds of files replaced in turn: by each attack, or ("") so that each of both is once."""
    checking.RAISE_BROKEN_RULES = False
    packs = [pack.files for pack in samples() if pack.dialect == dialect]
    files = max(packs, key=len)
    edit = _edit(dialect, files)
    found = []
    kinds, names = _kinds(files), list(DEEP)
    once = range(max(len(kinds), len(names)))
    pairs = [(kinds[n % len(kinds)], names[n % len(names)]) for n in once]
    for path, name in product(kinds, names) if all_pairs else pairs:
        begun = time.process_time()
        problems = list(_problems(dialect, files.changed({path: DEEP[name]}), path, edit))
        found.append((f"{path}: {name}", time.process_time() - begun, problems))
    return found


def _kinds(files: Files) -> list[str]:
    """A file of each folder and of each suffix."""
    kinds = {path.rpartition(".")[2]: path for path in reversed(list(files))}
    kinds |= {path.rpartition("/")[0]: path for path in reversed(list(files))}
    return sorted(set(kinds.values()))


def _edit(dialect: str, files: Files) -> RenameState:
    """A change of the pack that works before the attack."""
    one = dialects()[dialect]
    source = one.read(files)
    for state in one.graph(source, one.profiles[0]).states:
        edit = RenameState(id=state.id, new_id=f"{state.id}x")
        with suppress(EditRefused):
            one.apply(source, edit)
            return edit
    raise LookupError(dialect)


def _problems(dialect: str, files: Files, path: str, edit: RenameState) -> Iterator[str]:
    """Faults of Signalbox, and edits refused because of another file. A finding is none."""
    one = dialects()[dialect]
    for other in dialects().values():
        other.recognises(files)
    source = one.read(files)
    if not source.readable:
        if not source.findings:
            yield "unreadable without a finding"
        return
    for profile in one.profiles:
        graph = one.graph(source, profile)
        found = check(one, source, profile, graph)
        yield from (item.message for item in found if item.code == checking.BROKEN_RULE)
    if path != source.main and any(state.id == edit.id for state in graph.states):
        try:
            one.apply(source, edit)
        except EditRefused as refused:
            yield f"the edit of another file is refused: {refused}"
