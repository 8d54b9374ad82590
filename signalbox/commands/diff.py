"""`signalbox diff`: the semantic difference of two versions of a pack."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from roles.core.line_diff import unified_lines
from signalbox.commands.errors import OK, Trouble
from signalbox.commands.packs import PackHere, pack_at
from workflows.core.compare.difference import Changes, Difference, EntryChange, difference
from workflows.core.compare.files import FileChange
from workflows.core.compare.json_values import ABSENT, Absent, FieldChange
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import pointer_text

DIFFERS = 1
LONG = 60
MOST_LINES = 24
MOST_COMPARED = 4_000
"""Maximum number of lines of one text that are compared line by line."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
Value = Json | Absent


def run(options: argparse.Namespace) -> int:
    """Exit 0 if both are equal, 1 if they differ. Raises Trouble if one is unreadable or their
    formats differ."""
    if options.after is None or (".." in options.before and not Path(options.before).exists()):
        if ".." not in options.before:
            raise Trouble("Name the second version.", hint="Git revisions are written REV..REV.")
        from signalbox.commands import diff_revisions

        return diff_revisions.run(options.before, options.after, options.format)
    if options.before == options.after == "-":
        raise Trouble("Only one of the two packs can come on standard input.")
    if os.devnull in (options.before, options.after):
        return _one_side(options)
    before, after = pack_at(options.before), pack_at(options.after)
    if before.dialect.name != after.dialect.name:
        raise Trouble(
            f"{before.shown} is a {before.dialect.label} and {after.shown} is a "
            f"{after.dialect.label}: only packs of one format can be compared."
        )
    profile = after.profile(None)
    older, newer = before.readable_source(), after.readable_source()
    diff = difference(after.dialect, older, newer, profile)
    match options.format:
        case "json":
            names = {"before": before.shown, "after": after.shown}
            print(json.dumps({**names, **diff.to_json()}, indent=2, ensure_ascii=False))
        case "svg":
            from workflows.core.compare.drawn_difference import as_svg

            older_graph = before.dialect.graph(older, profile)
            print(as_svg(older_graph, after.dialect.graph(newer, profile), diff))
        case _:
            print(as_text(diff, after))
    return OK if diff.same else DIFFERS


def _one_side(options: argparse.Namespace) -> int:
    """A pack that one version does not have: git names the null device for it."""
    is_added = options.before == os.devnull
    pack = pack_at(options.after if is_added else options.before)
    match options.format:
        case "json":
            change = {"added" if is_added else "removed": [pack.shown]}
            body = {"before": options.before, "after": options.after, **change}
            print(json.dumps(body, indent=2, ensure_ascii=False))
        case "svg":
            raise Trouble(f"{pack.shown} has no other version to draw.")
        case _:
            print(_printable(f"{'+' if is_added else '-'} pack {pack.shown}"))
    return DIFFERS


def as_text(diff: Difference, after: PackHere) -> str:
    """For people: grouped, a line per change, long texts as a short unified diff."""
    groups = {
        "Entries": map(_entry, diff.entries),
        "States": [*_names(diff.states, "state "), *_elements(diff, "state:")],
        "Transitions": [
            *_names(diff.transitions, "transition "),
            *_elements(diff, "transition:"),
        ],
        "Objects": [*_names(diff.objects, ""), *_elements(diff, "")],
        "Files": [line for file in diff.files for line in _file(file, after)],
    }
    lines = []
    for title, changes in groups.items():
        if texts := list(changes):
            lines += [title, *(f"  {line}" for line in texts), ""]
    lines += [f"{after.show(path)}: only the formatting differs." for path in diff.reformatted]
    if diff.same:
        lines.append("No difference in meaning." if diff.reformatted else "No difference.")
    return _printable("\n".join(lines).rstrip("\n"))


def _names(changes: Changes, kind: str) -> Iterator[str]:
    yield from (f"+ {kind}{name}" for name in changes.added)
    yield from (f"- {kind}{name}" for name in changes.removed)
    yield from (f"~ {kind}{was}, now {now}" for was, now in changes.renamed)


def _entry(entry: EntryChange) -> str:
    name = f"entry {entry.key}".rstrip()
    if entry.was is None:
        return f"+ {name} at {entry.now}"
    return (
        f"- {name} at {entry.was}" if entry.now is None else f"~ {name} {entry.was} → {entry.now}"
    )


def _elements(diff: Difference, kind: str) -> Iterator[str]:
    """Changed fields; for an element with the same fields, the changes of its drawing."""
    for one in diff.elements:
        if kind and not one.element.startswith(kind):
            continue
        if not kind and one.element.startswith(("state:", "transition:")):
            continue
        for change in one.fields:
            yield from _field(one.element, change)
        if not one.fields:
            for name, (was, now) in one.drawing.items():
                yield f"~ {one.element} is drawn with {name} {_short(was)} → {_short(now)}"


def _file(file: FileChange, after: PackHere) -> Iterator[str]:
    name = f"file {after.show(file.path)}"
    if file.change != "changed":
        yield f"{'+' if file.change == 'added' else '-'} {name}"
    elif not file.fields:
        yield f"~ {name}"
    for change in file.fields:
        yield from _field(name, change)


def _field(name: str, change: FieldChange) -> Iterator[str]:
    where = f"{name} {pointer_text(change.pointer)}".rstrip()
    if not _is_long(change.was) and not _is_long(change.now):
        yield _line(where, change)
        return
    sign = "+" if change.was is ABSENT else "-" if change.now is ABSENT else "~"
    yield f"{sign} {where}"
    yield from (f"    {line}" for line in _unified(_lines(change.was), _lines(change.now)))


def _line(where: str, change: FieldChange) -> str:
    if change.was is ABSENT:
        return f"+ {where} {_short(change.now)}"
    if change.now is ABSENT:
        return f"- {where} {_short(change.was)}"
    return f"~ {where} {_short(change.was)} → {_short(change.now)}"


def _short(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_long(value: Value) -> bool:
    if isinstance(value, str):
        return "\n" in value or len(value) > LONG
    return isinstance(value, dict | list) and len(_short(value)) > LONG


def _lines(value: Value) -> list[str]:
    if value is ABSENT:
        return []
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return text.splitlines()


def _unified(was: list[str], now: list[str]) -> Iterable[str]:
    if len(was) + len(now) > MOST_COMPARED:
        return [f"{len(was):,} lines were, {len(now):,} lines are: too many to show."]
    if was == now:
        return ["Only line ends differ."]
    lines = list(unified_lines(was, now, context=1, end=""))[2:]
    rest = len(lines) - MOST_LINES
    return lines if rest <= 0 else [*lines[:MOST_LINES], f"… {rest} more lines"]


def _printable(text: str) -> str:
    """Packs are untrusted, so control characters are not printed to the terminal."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
