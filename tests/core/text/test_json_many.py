"""Many changes at once give the bytes that the same changes give one after another."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.core.text.json_variants import KEYS, variant
from tests.core.text.reference_model import layout, pointers
from tests.support.checks import quick_and_slow
from workflows.core.text.json import merge
from workflows.core.text.json.document import JsonText, Pointer
from workflows.core.text.json.draft import Draft
from workflows.core.text.json.members import deleted, inserted, new_member
from workflows.core.text.json.tree import Site, is_container
from workflows.core.text.json.writer import Place, Writer, writer_at

BLOCKS = quick_and_slow(range(1), range(1, 20))
VALUES = [0, "new", "größe", [], {}, [1, "two"], {"a": 1, "b": {"c": []}}, None]


def files(block: int) -> list[tuple[Random, JsonText]]:
    """Thirty files in many styles."""
    seeds = range(block * 30, block * 30 + 30)
    return [(Random(seed), JsonText.parse(variant(seed))) for seed in seeds]


def containers(text: JsonText) -> list[tuple[Site, Place, Writer]]:
    """Every container with at least two members, with its place and writer."""
    found = []
    for pointer in pointers(text):
        steps, site = text._walk(pointer)
        if is_container(site.node.value) and len(site.node.value) > 1:
            pen = writer_at(text._style, [*(step.site for step in steps), site])
            found.append((site, text._place(steps, site), pen))
    return found


@pytest.mark.parametrize("block", BLOCKS)
def test_a_draft_has_the_bytes_of_a_container_changed_member_by_member(block: int) -> None:
    for random, text in files(block):
        for site, place, pen in containers(text):
            draft = Draft(site)
            for turn in range(12):
                if draft.size > 1 and random.random() < 0.5:
                    index = random.randrange(draft.size)
                    draft.delete(index)
                    site = deleted(pen, site, index)
                    continue
                index = random.randrange(draft.size + 1)
                key = f"n{turn}" if site.has_keys else None
                value = random.choice(VALUES)
                draft.insert(index, new_member(pen, draft, index, key, value, place))
                site = inserted(pen, site, index, key, value, place)
            joined = draft.site()
            assert joined.text == site.text
            assert joined.node.value == site.node.value
            assert joined.node.repeats == site.node.repeats
            assert parts(joined) == parts(site)


def parts(site: Site) -> tuple[object, ...]:
    return site.body.keys, site.body.starts, site.body.heads, site.own_indent()


def one_by_one(pen: Writer, site: Site, value: dict[str, Any], place: Place) -> Site:
    """The plain way of `merge._with_keys_of`."""
    for key in [key for key in site.node.value if key not in value]:
        while (index := site.body.place(key)) is not None:
            site = deleted(pen, site, index)
    following: str | None = None
    for key in reversed(value):
        if key not in site.node.value:
            at = site.size if following is None else site.body.place(following)
            assert at is not None
            site = inserted(pen, site, at, key, value[key], place)
        following = key
    return site


@pytest.mark.parametrize("block", BLOCKS)
def test_an_object_with_other_keys_has_the_bytes_of_single_changes(block: int) -> None:
    for random, text in files(block):
        for site, place, pen in containers(text):
            if not site.has_keys:
                continue
            old = dict(site.node.value)
            kept = random.sample(list(old), random.randint(1, len(old)))
            new = {key: random.choice(VALUES) for key in KEYS if key not in old}
            keys = [*kept, *new]
            random.shuffle(keys)
            value = {key: old.get(key, new.get(key)) for key in keys}
            together = merge.revised(pen, site, value, place)
            assert together.text == one_by_one(pen, site, value, place).text


def places(random: Random, text: JsonText) -> list[Pointer]:
    """Some places of a text, none of them inside another."""
    chosen: list[Pointer] = []
    for pointer in random.sample(every := pointers(text)[1:], len(every)):
        if random.random() < 0.5 and not any(
            pointer[: len(other)] == other or other[: len(pointer)] == pointer for other in chosen
        ):
            chosen.append(pointer)
    return chosen


def same(one: JsonText, other: JsonText) -> None:
    assert one.data == other.data
    assert json.dumps(one.value) == json.dumps(other.value)
    assert layout(one) == layout(JsonText.parse(other.data))


@pytest.mark.parametrize("block", BLOCKS)
def test_many_texts_set_at_once(block: int) -> None:
    for random, text in files(block):
        texts = {pointer: random.choice(["", "é/<", "x"]) for pointer in places(random, text)}
        plain = text
        for pointer, value in texts.items():
            plain = plain.set(pointer, value)
        same(text.set_all(texts), plain)


@pytest.mark.parametrize("block", BLOCKS)
def test_many_members_deleted_at_once(block: int) -> None:
    for random, text in files(block):
        chosen = places(random, text)
        # One after another, an element has to be removed before those in front of it.
        chosen.sort(key=lambda place: [part if isinstance(part, int) else -1 for part in place])
        chosen.reverse()
        plain = text
        for pointer in chosen:
            plain = plain.delete(pointer)
        same(text.delete_all(chosen), plain)


@pytest.mark.parametrize("block", BLOCKS)
def test_many_members_renamed_at_once(block: int) -> None:
    for random, text in files(block):
        chosen = {
            pointer: f"new/{random.random()}"
            for pointer in places(random, text)
            if isinstance(text.get(pointer[:-1]), dict)
        }
        plain = text
        for pointer, key in chosen.items():
            plain = plain.rename(pointer, key)
        same(text.rename_all(chosen), plain)


def test_a_place_that_is_missing_is_an_error() -> None:
    text = JsonText.parse(b'{"a": [1]}')
    for pointer in [("b",), ("a", 1), ("a", 0, "c")]:
        with pytest.raises(KeyError):
            text.delete_all([pointer])
    with pytest.raises(ValueError, match="root"):
        text.set_all({(): "x"})
    with pytest.raises(ValueError, match="exists already"):
        JsonText.parse(b'{"a": 1, "b": 2}').rename_all({("a",): "b"})
