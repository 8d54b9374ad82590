"""A search for `args` with which a script calls an agent.

The script runs with a value, and reports which properties it misses. They are added. If it then
ends without an agent, single values are changed: to what its message or its comparisons name, to
lists, to nothing. A change is followed if the script then ends for another reason.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from workflows.core.dialects.workflow_scripts.format.syntax import text
from workflows.core.dialects.workflow_scripts.program.inputs import LIST_MEMBERS
from workflows.core.dialects.workflow_scripts.program.replay import Replay
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.engine.rehearsal.patterns import text_for
from workflows.core.engine.rehearsal.rng import Rng

MOST_RUNS = 120
"""Runs of the script in one search."""
MOST_WORDS = 30
ABSENT = object()
WORDS = re.compile(r"[\w./-]{1,60}")
QUOTED = re.compile(r"['\"`]([^'\"`\n]{1,60})['\"`]")
LISTED = re.compile(r"\[[^\[\]]{1,200}\]")
COMPARED = re.compile(r"[!=]==?|\.(?:startsWith|endsWith|includes|indexOf)\Z")

Path = tuple[str | int, ...]


def fitting_args(source: ScriptSource, body: str, first: Sequence[Any]) -> Any:
    """A value of `args` with which the script calls an agent, the likeliest of `first` if there is
    none. None in `first` is a start without args."""
    literals = _literals(source)
    waiting, changed = deque(first), deque[Any]()
    seen, reasons = set[str](), set[str]()
    while (waiting or changed) and len(seen) < MOST_RUNS:
        is_first = bool(waiting)
        value = (waiting or changed).popleft()
        if (written := json.dumps(value)) in seen:
            continue
        seen.add(written)
        replay = Replay(body, value, has_args=value is not None, traced=True)
        status = replay.status
        if status.call is not None:
            return value
        if value is None:
            continue
        if (reads := replay.reads()) is None:
            break
        missing, notes = reads
        fuller = value
        for path in missing:
            fuller = _with(fuller, path)
        if fuller != value:
            waiting.appendleft(fuller)
            continue
        result = json.dumps(status.result, ensure_ascii=False)
        reason = "\n".join((status.failure or result, *notes))
        if reason not in reasons:
            reasons.add(reason)
            changes = list(_changes(value, reason, literals))
            changed = deque((*changed, *changes) if is_first else (*changes, *changed))
    return first[0]


def _literals(source: ScriptSource) -> list[str]:
    """The strings with which the script compares something, and texts that its patterns match."""
    found: dict[str | None, None] = {}
    for node in source.nodes:
        if node.type == "regex_pattern":
            found.setdefault(text_for(text(node), Rng("args", text(node))))
        elif node.type == "string_fragment":
            outer = node.parent.parent if node.parent is not None else None
            if outer is not None and outer.type == "arguments":
                outer = outer.prev_sibling
            if outer is not None and COMPARED.search(text(outer)) and len(text(node)) <= 60:
                found.setdefault(text(node))
    return [one for one in found if one]


def _with(value: Any, path: Path) -> Any:
    """The value with a text at a path where the script misses a property. A list where it misses a
    method of lists."""
    if not path:
        return value
    name, *rest = path
    if isinstance(value, list) and isinstance(name, int) and name < len(value):
        return [*value[:name], _with(value[name], tuple(rest)), *value[name + 1 :]]
    if not isinstance(value, dict):
        return value
    if rest:
        return {**value, name: _with(value.get(str(name)), tuple(rest))}
    if name in LIST_MEMBERS or name == "length":
        return [value]
    return {**value, str(name): value.get(str(name), f"the {name}")}


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for name, inner in items:
        yield from _leaves(inner, (*path, name))


def _changes(value: Any, reason: str, literals: list[str]) -> Iterator[Any]:
    """The value with one change, the likely ones first: of what the reason names, to what it
    names."""
    places = sorted(_leaves(value), key=lambda one: not _named(one, reason))
    words = tuple(dict.fromkeys((*QUOTED.findall(reason), *WORDS.findall(reason))))[:MOST_WORDS]
    for path, old in places:
        if isinstance(old, str):
            for word in (*words, *literals):
                yield _put(value, path, word)
    for path, _ in places:
        name = next((one for one in reversed(path) if isinstance(one, str)), "item")
        for new in ([f"{name} 1", f"{name} 2"], [{}], {}, [1, 2], 1, True, *_listed(reason)):
            yield _put(value, path, new)
        if path and isinstance(path[-1], str):
            yield _put(value, path, ABSENT)


def _named(place: tuple[Path, Any], reason: str) -> bool:
    path, value = place
    name = next((str(one) for one in reversed(path) if isinstance(one, str)), "")
    return bool(name and name in reason) or (isinstance(value, str) and value in reason)


def _listed(reason: str) -> Iterator[Any]:
    """The lists that a message shows as an example."""
    for one in LISTED.findall(reason):
        try:
            yield json.loads(one)
        except ValueError:
            continue


def _put(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    name, *rest = path
    if isinstance(value, list) and isinstance(name, int):
        return [*value[:name], _put(value[name], tuple(rest), new), *value[name + 1 :]]
    inner = _put(value[name], tuple(rest), new)
    others = {key: one for key, one in value.items() if key != name}
    return others if inner is ABSENT else {**value, name: inner}
