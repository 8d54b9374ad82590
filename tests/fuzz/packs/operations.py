"""One mutated pack through every pure operation. Every exception is a fault of Signalbox."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.engine.test_real_programs import signal
from tests.fuzz.packs.locality import BytesChanged, check_locality
from workflows.core.convert.conversion import CannotConvert, convert
from workflows.core.dialects import dialects, recognise
from workflows.core.dialects.base import Dialect
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Signal, Start
from workflows.core.engine.transition import transition
from workflows.core.pack.archives import unpack
from workflows.core.pack.edits import (
    AddState,
    Connect,
    Disconnect,
    DuplicateState,
    Edit,
    EditRefused,
    Paste,
    Relabel,
    RemoveObject,
    RemoveState,
    RenameObject,
    RenameState,
    Retarget,
    SetEntry,
    SetField,
    UnsetField,
    WriteFile,
)
from workflows.core.pack.files import BadFiles, Files
from workflows.core.pack.graph import Graph
from workflows.core.rules.check import BROKEN_RULE, check

SECONDS = 2.0
"""Processor time that one operation on one file may take."""
MARK = "fuzzed value"
"""The text that edits write. No pack has it, so a place with it is the place of the edit."""


SIGNALS = 25
INPUTS = ("", "hello", '{"text": "hello", "n": 3}', "7")
SWITCHES = ("promptpack.yields", "promptpack.judges")
FEW = 2
"""Edits of one pack, unless it is tried with all of them."""
ALL = 1_000


class TooSlow(AssertionError):
    """An operation took longer than `SECONDS`."""


class BrokenRule(AssertionError):
    """A rule raised an exception."""


def _timed(name: str, call: Callable[[], Any]) -> Any:
    begin = time.thread_time()
    try:
        return call()
    finally:
        spent = time.thread_time() - begin
        if spent > SECONDS:
            raise TooSlow(f"{name} took {spent:.1f} s")


def check_archive(data: bytes, chance: Random) -> None:
    """Unpack an archive as an import does, and check the packs inside."""
    try:
        files = _timed("unpack", lambda: unpack(data))
    except BadFiles as refused:
        _worded(refused.message)
        return
    check_tree(files, chance)


def check_tree(files: Files, chance: Random) -> None:
    """Find the packs of a tree, and check the first three."""
    for pack in _timed("recognise", lambda: recognise(files))[:3]:
        own = Files({path: files[path] for path in pack.paths})
        check_pack(dialects()[pack.dialect], own, chance)


def check_pack(dialect: Dialect, files: Files, chance: Random, most: int = FEW) -> None:
    """Read, draw, check, open forms, edit, convert and run one pack. `most` is the number of
    edits, forms and fixes of findings."""
    source = _timed("read", lambda: dialect.read(files))
    if dict(source.files) != dict(files):
        raise BytesChanged("reading changed the files")
    profile = chance.choice(dialect.profiles)
    graph = _timed("graph", lambda: dialect.graph(source, profile))
    json.dumps(graph.to_json(), allow_nan=False)
    for ids in ([one.id for one in graph.states], [one.id for one in graph.transitions]):
        assert len(ids) == len(set(ids)), ids
    fixes = []
    for finding in _timed("check", lambda: check(dialect, source, profile, graph)):
        _worded(finding.message)
        assert finding.place.line >= 1
        if finding.code == BROKEN_RULE:
            raise BrokenRule(finding.message)
        fixes += finding.fix.edits if finding.fix else ()
    if source.readable:
        _look(dialect, source, graph, profile, chance, most)
        for edit in _edits(dialect, source, graph, profile, chance, most):
            check_edit(dialect, source, edit, profile)
        for edit in chance.sample(fixes, min(most, len(fixes))):
            check_edit(dialect, source, edit, profile)
        _leave(dialect, source, profile, chance)
        _run(dialect, source, graph, profile, chance)
    written = WriteFile(path=source.main, text=f"{MARK}\n")
    check_edit(dialect, source, written, profile)


def _look(
    dialect: Dialect, source: Any, graph: Graph, profile: str, chance: Random, most: int
) -> None:
    outline = _timed("outline", lambda: dialect.outline(source))
    elements = ["pack", *(f"state:{state.id}" for state in graph.states)]
    elements += [f"transition:{arrow.id}" for arrow in graph.transitions]
    elements += [element for section in outline for element, _ in section.items]
    for element in chance.sample(elements, min(most + 1, len(elements))):
        try:
            form = _timed("fields", lambda: dialect.fields(source, element, profile))  # noqa: B023
            json.dumps(form.to_json(), allow_nan=False)
        except EditRefused as refused:
            _worded(refused.message)
    for state in chance.sample(graph.states, min(most, len(graph.states))):
        _timed("offers", lambda: dialect.offers(source, state.id, profile))  # noqa: B023
        try:
            _timed("copy", lambda: dialect.copy(source, (state.id,)))  # noqa: B023
        except EditRefused as refused:
            _worded(refused.message)
    _timed("tools", lambda: (dialect.tools(source), dialect.named_tools(source)))
    _timed("cards", lambda: dialect.cards(source))


def _edits(
    dialect: Dialect, source: Any, graph: Graph, profile: str, chance: Random, most: int
) -> Iterator[Edit]:
    """Edits that fit the pack, unless it is damaged there."""
    states = [state.id for state in graph.states if not state.stateless]
    arrows = [arrow.id for arrow in graph.transitions]
    offered: list[Callable[[], Edit | None]] = [
        lambda: AddState(id="fuzzed_state"),
        lambda: _field(dialect, source, "pack", profile, chance),
    ]
    objects = [element for part in dialect.outline(source) for element, _ in part.items]
    if objects:
        named = chance.choice(objects)
        offered += [
            lambda: RemoveObject(element=named),
            lambda: RenameObject(element=named, new_key="fuzzed"),
        ]
    if states:
        one, other = chance.choice(states), chance.choice(states)
        offered += [
            lambda: RenameState(id=one, new_id=f"{one}_fuzzed"),
            lambda: RemoveState(id=one),
            lambda: DuplicateState(id=one, new_id=f"{one}_fuzzed"),
            lambda: Connect(source=one, target=other, label="FuzzedEvent"),
            lambda: SetEntry(id=one),
            lambda: Paste(fragment=dialect.copy(source, tuple(dict.fromkeys((one, other))))),
            lambda: _field(dialect, source, f"state:{one}", profile, chance),
            lambda: _field(dialect, source, f"state:{other}", profile, chance),
        ]
    if arrows:
        arrow = chance.choice(arrows)
        offered += [
            lambda: Disconnect(transition=arrow),
            lambda: Relabel(transition=arrow, label="FuzzedEvent"),
        ]
        if states:
            offered.append(lambda: Retarget(transition=arrow, target=chance.choice(states)))
            offered += [
                lambda offer=offer: Connect(source=one, target=other, label=offer.label)
                for offer in dialect.offers(source, one, profile)
            ]
    for make in chance.sample(offered, min(most, len(offered))):
        try:
            edit = make()
        except EditRefused:
            continue
        if edit is not None:
            yield edit


def _field(
    dialect: Dialect, source: Any, element: str, profile: str, chance: Random
) -> Edit | None:
    """A text in place of one text of the form, or the field removed."""
    form = dialect.fields(source, element, profile)
    properties: Any = form.schema.get("properties", {})
    texts = [
        name
        for name, schema in properties.items()
        if schema.get("type") == "string" and not schema.get("readOnly")
    ]
    if not texts:
        return None
    pointer = "/" + chance.choice(texts).replace("~", "~0").replace("/", "~1")
    if chance.random() < 0.2:
        return UnsetField(element=element, field=pointer)
    return SetField(element=element, field=pointer, value=MARK)


def check_edit(dialect: Dialect, source: Any, edit: Edit, profile: str) -> None:
    """Apply one edit: it is refused with a message, or changes its own place only."""
    before = dict(source.files)
    try:
        after = _timed(edit.type, lambda: dialect.apply(source, edit))
    except EditRefused as refused:
        _worded(refused.message)
        if dict(source.files) != before:
            raise BytesChanged("a refused edit changed the files") from None
        return
    if dict(source.files) != before:
        raise BytesChanged("an edit changed its source")
    if isinstance(edit, WriteFile):
        changes = source.files.difference(after.files)
        if set(changes) - {edit.path} or after.files[edit.path] != edit.text.encode():
            raise BytesChanged(f"writing {edit.path} changed {sorted(changes)}")
        return
    check_locality(source.files, after.files)
    again = dialect.read(after.files)
    if dialect.graph(again, profile) != dialect.graph(after, profile):
        raise BytesChanged(f"after {edit.type} the files are read otherwise than they are held")


def _leave(dialect: Dialect, source: Any, profile: str, chance: Random) -> None:
    target = chance.choice([one for one in dialects().values() if one.name != dialect.name])
    try:
        made = _timed("convert", lambda: convert(dialect, source, profile, target))
        made.to_json()
    except CannotConvert as cannot:
        _worded(cannot.message)
    if formats := dialect.exports():
        form = chance.choice(formats)
        try:
            _timed("export", lambda: form.make(source))
        except EditRefused as refused:
            _worded(refused.message)


def _run(dialect: Dialect, source: Any, graph: Graph, profile: str, chance: Random) -> None:
    """Answers and other signals, right and wrong. After each one the log folds to the run."""
    try:
        program: Program = _timed("program", lambda: dialect.program(source, profile))
    except CannotRun as cannot:
        _worded(str(cannot))
        return
    inputs = {name: chance.choice(INPUTS) for name in program.required_inputs}
    inputs |= {name: "yes" for name in SWITCHES if chance.random() < 0.5}
    run, log, rng = RunState(), list[Event](), Rng(chance.getrandbits(32))
    coming: Signal = Start(at=1.0, inputs=inputs)
    for number in range(SIGNALS):
        before = set(run.pending)
        events, effects = _timed("signal", lambda: transition(program, run, coming))  # noqa: B023
        log += [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in events]
        run = fold_all(events, run)
        assert {effect.key for effect in effects} == set(run.pending) - before
        if run.finished:
            break
        coming = signal(run, graph, rng, 2.0 + number)
    assert fold_all(log) == run


def _worded(message: str) -> None:
    """A message has text, and can be stored and sent."""
    assert message.strip()
    message.encode("utf-8")
