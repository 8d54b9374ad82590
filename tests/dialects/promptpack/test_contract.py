"""The contract of dialects, checked for every pack of the corpus."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.dialects.promptpack.packs import DIALECT, applied
from tests.support.corpus import at_least
from workflows.core.dialects.promptpack.schemas import validator
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import Connect, Disconnect, RenameState, SetField, UnsetField
from workflows.core.pack.files import Files
from workflows.core.rules.check import check
from workflows.core.text.spans import apply, difference, inverse


@pytest.fixture(scope="module")
def packs(corpus: Path) -> list[tuple[str, PackSource]]:
    """Every pack that parses, with its name."""
    found = []
    for path in sorted(corpus.glob("promptpack*/**/*.pack.json")):
        source = DIALECT.read(Files.of({path.name: path.read_bytes()}))
        if source.readable:
            found.append((path.name, source))
    assert len(found) >= at_least(101, 7)
    return found


def data_of(source: PackSource) -> bytes:
    return source.files[source.main]


def changed_lines(old: bytes, new: bytes) -> int:
    """The number of different lines in two texts of equal length."""
    before, after = old.split(b"\n"), new.split(b"\n")
    assert len(before) == len(after)
    return sum(line != other for line, other in zip(before, after, strict=True))


def test_a_read_pack_is_written_byte_for_byte(packs: list[tuple[str, PackSource]]) -> None:
    for name, source in packs:
        assert source.json.data == data_of(source), name
        assert source.json.value == json.loads(data_of(source)), name


@pytest.mark.third_party
def test_our_schema_agrees_with_the_published_schema(
    corpus: Path, packs: list[tuple[str, PackSource]]
) -> None:
    published = json.loads(
        (corpus / "promptpack/schema/promptpack-v1.9.0.schema.json").read_text(encoding="utf-8")
    )
    official = jsonschema_rs.Draft202012Validator(published)
    for name, source in packs:
        reported = any(
            found.code.startswith("PP11") for found in check(DIALECT, source, "documented")
        )
        assert validator().is_valid(source.json.value) == official.is_valid(source.json.value), name
        assert reported != official.is_valid(source.json.value), name


@pytest.mark.third_party
def test_our_schema_agrees_on_packs_with_one_invalid_value(
    corpus: Path, packs: list[tuple[str, PackSource]]
) -> None:
    published = json.loads(
        (corpus / "promptpack/schema/promptpack-v1.9.0.schema.json").read_text(encoding="utf-8")
    )
    official = jsonschema_rs.Draft202012Validator(published)
    tried = 0
    for name, source in packs[::3]:
        for pointer in list(_places(source.json.value))[::5]:
            for value in (None, 0, "", {}, [], -1.5):
                tree = _with(source.json.value, pointer, value)
                assert validator().is_valid(tree) == official.is_valid(tree), (name, pointer, value)
                tried += 1
    assert tried > 1_000


def _places(value: Any, pointer: tuple[Any, ...] = ()) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*pointer, key)
        if isinstance(item, (dict, list)):
            yield from _places(item, (*pointer, key))


def _with(tree: Any, pointer: tuple[Any, ...], value: Any) -> Any:
    if not pointer:
        return value
    fresh = dict(tree) if isinstance(tree, dict) else list(tree)
    fresh[pointer[0]] = _with(tree[pointer[0]], pointer[1:], value)
    return fresh


def test_the_graph_names_only_what_is_in_the_file(packs: list[tuple[str, PackSource]]) -> None:
    for name, source in packs:
        graph = DIALECT.graph(source, "documented")
        ids = {state.id for state in graph.states}
        assert len(ids) == len(graph.states), name
        for state in graph.states:
            assert source.json.has(_pointer(state.place.pointer)), (name, state.id)
        for arrow in graph.transitions:
            assert arrow.source in ids, (name, arrow.id)
            assert source.json.has(_pointer(arrow.place.pointer)), (name, arrow.id)
        for arrow in graph.on("").transitions:
            assert source.json.get(_pointer(arrow.place.pointer)) == arrow.target, (name, arrow.id)
        assert all(entry.state in ids for entry in graph.entries), name


@cache
def _pointer(text: str) -> tuple[str, ...]:
    parts = text.split("/")[1:]
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


def test_a_rename_changes_only_lines_with_the_name_and_can_be_undone(
    packs: list[tuple[str, PackSource]],
) -> None:
    tried = 0
    for name, source in packs:
        for state in source.parts.states:
            old = data_of(source)
            after = applied(source, RenameState(id=state, new_id="renamed_here"))
            new = data_of(after)
            named = old.count(json.dumps(state).encode())
            assert changed_lines(old, new) <= named, (name, state)
            assert apply(new, inverse(old, difference(old, new))) == old, (name, state)
            back = applied(after, RenameState(id="renamed_here", new_id=state))
            assert data_of(back) == old, (name, state)
            tried += 1
    assert tried >= at_least(51, 15)


def test_a_new_transition_adds_one_line_and_can_be_undone(
    packs: list[tuple[str, PackSource]],
) -> None:
    tried = 0
    for name, source in packs:
        for state, events in source.parts.events.items():
            if not events:
                continue
            old = data_of(source)
            target = next(iter(source.parts.states))
            after = applied(source, Connect(source=state, target=target, label="DrawnHere"))
            new = data_of(after)
            assert new.count(b"\n") - old.count(b"\n") <= 1, (name, state)
            gone = Disconnect(transition=f"{state}|DrawnHere|{target}")
            assert data_of(applied(after, gone)) == old, (name, state)
            tried += 1
    assert tried >= at_least(41, 12)


def test_a_set_field_changes_one_line_and_can_be_undone(
    packs: list[tuple[str, PackSource]],
) -> None:
    for name, source in packs:
        for key, prompt in source.parts.prompts.items():
            if not isinstance(prompt.get("name"), str):
                continue
            old = data_of(source)
            element = f"prompt:{key}"
            after = applied(source, SetField(element=element, field="/name", value="Set here"))
            assert changed_lines(old, data_of(after)) <= 1, (name, key)
            back = SetField(element=element, field="/name", value=prompt["name"])
            raw = source.json.raw(("prompts", key, "name"))
            if json.dumps(prompt["name"]) == raw:
                assert data_of(applied(after, back)) == old, (name, key)


def test_removing_an_added_field_restores_the_bytes(
    packs: list[tuple[str, PackSource]],
) -> None:
    for name, source in packs:
        for key, prompt in source.parts.prompts.items():
            if "extensions" in prompt or not prompt:
                continue
            old = data_of(source)
            element = f"prompt:{key}"
            after = applied(source, SetField(element=element, field="/extensions", value={"x": 1}))
            gone = applied(after, UnsetField(element=element, field="/extensions"))
            assert data_of(gone) == old, (name, key)


def test_every_offered_fix_can_be_applied(packs: list[tuple[str, PackSource]]) -> None:
    tried = 0
    for name, source in packs:
        for found in check(DIALECT, source, "promptkit"):
            if found.fix is not None:
                after = applied(source, *found.fix.edits)
                assert data_of(after) != data_of(source), (name, found.code)
                tried += 1
    assert tried >= at_least(101, 10)


def test_every_form_has_the_values_of_the_file(
    packs: list[tuple[str, PackSource]],
) -> None:
    for name, source in packs:
        for section in DIALECT.outline(source):
            for element, _ in section.items:
                form = DIALECT.fields(source, element, "documented")
                properties = form.schema["properties"]
                assert isinstance(properties, dict)
                assert form.title, (name, element)
                json.dumps(form.to_json())
