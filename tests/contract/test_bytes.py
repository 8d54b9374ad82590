"""Promises of every dialect: reading keeps bytes, an edit changes only its lines, undo restores."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.support.checks import run_checks
from tests.support.corpus import at_least
from tests.support.packs import KnownPack, all_packs
from workflows.core.dialects import dialects
from workflows.core.pack.edits import Connect, Edit, EditRefused, RenameState, SetField
from workflows.core.pack.files import Files
from workflows.core.pack.graph import State
from workflows.core.text import spans

PACKS = all_packs()


@cache
def _source(index: int) -> Any:
    known = PACKS[index]
    return dialects()[known.dialect].read(known.files)


def _read(known: KnownPack) -> Any:
    return _source(PACKS.index(known))


def _changed_lines(old: bytes, new: bytes) -> tuple[list[str], list[str]]:
    before, after = (data.decode("utf-8", "surrogateescape").split("\n") for data in (old, new))
    gone: list[str] = []
    come: list[str] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        if tag != "equal":
            gone += before[a:b]
            come += after[c:d]
    return gone, come


def _apply(known: KnownPack, edit: Edit) -> Files:
    """Apply, and check what holds for any edit: its spans, inverted, restore the bytes."""
    source = _read(known)
    after: Files = dialects()[known.dialect].apply(source, edit).files
    for path, data in known.files.difference(after).items():
        if data is None or path not in known.files:
            continue
        old = known.files[path]
        changes = spans.difference(old, data)
        assert spans.apply(old, changes) == data
        assert spans.apply(data, spans.inverse(old, changes)) == old
    again = dialects()[known.dialect].read(after)
    assert again.readable
    return after


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(PACKS) >= at_least(200, 40)


def reading_keeps_every_byte(known: KnownPack) -> None:
    source = _read(known)
    assert dict(source.files) == dict(known.files)


NUMBERED = re.compile(r"-\d+\Z")
OTHERS = re.compile(r"[^a-z0-9]+")


def is_derived(id: str, text: str) -> bool:
    """True for the id of a call in a script: the words of its label, without a number."""
    plain = OTHERS.sub("-", text.lower())
    words = NUMBERED.sub("", id).split("-")
    return "-".join(words) in plain or all(word in plain for word in words)


def _names(state: State) -> list[str]:
    """The parts of a state's id: on a level, the key of its element and the name of the state."""
    above = state.level.rpartition(":")[2]
    return [above, state.id.removeprefix(f"{above}/")] if state.level else [state.id]


def the_graph_names_only_what_is_in_the_files(known: KnownPack) -> None:
    dialect = dialects()[known.dialect]
    text = b"\n".join(known.files.values()).decode("utf-8", "replace") + "\n".join(known.files)
    escaped = text.encode("utf-8").decode("unicode_escape", "replace") if "\\u" in text else text
    for profile in dialect.profiles:
        graph = dialect.graph(_read(known), profile)
        ids = [state.id for state in graph.states]
        assert len(ids) == len(set(ids))
        for state in graph.states:
            for name in _names(state):
                assert name in text or name in escaped or is_derived(name, text)
        arrows = [arrow.id for arrow in graph.transitions]
        assert len(arrows) == len(set(arrows))
        assert {arrow.source for arrow in graph.transitions} <= set(ids)


def _changed_files(
    before: Files, after: Files, old: str, new: str
) -> Iterator[tuple[str, bytes, bytes]]:
    """The changed files. A file or folder named after a state has the same file under its new
    name."""
    part, new_part = old.rpartition(".")[2], new.rpartition(".")[2]
    changes = before.difference(after)
    # A prompt's folder is written with hyphens, even if the state's name is not.
    added = {path.replace("_", "-"): path for path in changes if path not in before}
    moved = {
        path: next(
            added[name.replace("_", "-")]
            for name in (
                path.replace(f"{old}.", f"{new}."),
                path.replace(f"/{part}/", f"/{new_part}/"),
                path.replace(part, new_part),
            )
            if name.replace("_", "-") in added
        )
        for path in changes
        if path not in after
    }
    for path, data in changes.items():
        if path in moved:
            yield path, before[path], after.get(moved[path], b"")
        elif path not in moved.values():
            yield path, before.get(path, b""), data or b""


def renaming_a_state_changes_only_lines_that_name_it(known: KnownPack) -> None:
    dialect = dialects()[known.dialect]
    graph = dialect.graph(_read(known), dialect.profiles[0])
    if not graph.states:
        return
    state = graph.states[-1]
    old, own = state.id, _names(state)[-1]
    new = old + "-renamed" if "-" in own or "." in own else old + "_renamed"
    try:
        after = _apply(known, RenameState(id=old, new_id=new))
    except EditRefused as refused:
        assert refused.message
        return
    for path, before_bytes, behind_bytes in _changed_files(known.files, after, own, new):
        gone, come = _changed_lines(before_bytes, behind_bytes)
        assert len(gone) == len(come), path
        for before, behind in zip(gone, come, strict=True):
            assert own.rpartition(".")[2] in before or own.replace(".", "_") in before
            assert behind != before
    names = [state.id for state in dialect.graph(dialect.read(after), dialect.profiles[0]).states]
    assert names == [new if state.id == old else state.id for state in graph.states]
    back = dialect.apply(dialect.read(after), RenameState(id=new, new_id=old))
    assert dict(back.files) == dict(known.files)


def a_new_transition_changes_only_the_lines_it_must(known: KnownPack) -> None:
    dialect = dialects()[known.dialect]
    source = _read(known)
    graph = dialect.graph(source, dialect.profiles[0])
    for state in graph.states:
        if state.stateless or state.terminal:
            continue
        for offer in dialect.offers(source, state.id, dialect.profiles[0]):
            label = offer.label or "SignalboxTest"
            beside = graph.on(state.level).states
            targets = offer.targets if offer.targets is not None else (beside[-1].id,)
            if offer.reason or not targets or offer.kind != "event":
                continue
            edit = Connect(source=state.id, target=targets[0], label=label)
            after = _apply(known, edit)
            changed = known.files.difference(after)
            assert changed
            for path, data in changed.items():
                gone, come = _changed_lines(known.files.get(path, b""), data or b"")
                assert len(gone) <= 6, (path, gone)
                assert len(come) <= len(gone) + 14 or not gone, (path, come)
            arrows = dialect.graph(dialect.read(after), dialect.profiles[0]).transitions
            assert any(
                (arrow.source, arrow.target) == (edit.source, edit.target)
                and label in (arrow.label, arrow.event)
                for arrow in arrows
            )
            return


def setting_a_field_changes_only_its_line(known: KnownPack) -> None:
    dialect = dialects()[known.dialect]
    source = _read(known)
    graph = dialect.graph(source, dialect.profiles[0])
    drawn = [state for state in graph.states if not state.stateless]
    if not drawn:
        return
    form = dialect.fields(source, f"state:{drawn[0].id}", dialect.profiles[0])
    properties: Any = form.schema["properties"]
    field = next((key for key in ("name", "label") if key in properties), "description")
    try:
        after = _apply(
            known, SetField(element=form.element, field=f"/{field}", value="A new line of text")
        )
    except EditRefused as refused:
        assert refused.message
        return
    changed = known.files.difference(after)
    assert len(changed) == 1
    ((path, data),) = changed.items()
    gone, come = _changed_lines(known.files[path], data or b"")
    assert len(gone) <= 2
    assert len(come) <= 2
    assert any("A new line of text" in line for line in come)


@pytest.mark.parametrize("known", PACKS, ids=lambda known: known.name)
def test_a_pack_keeps_its_bytes_through_reading_and_edits(known: KnownPack) -> None:
    run_checks(
        (known,),
        reading_keeps_every_byte,
        the_graph_names_only_what_is_in_the_files,
        renaming_a_state_changes_only_lines_that_name_it,
        a_new_transition_changes_only_the_lines_it_must,
        setting_a_field_changes_only_its_line,
    )
