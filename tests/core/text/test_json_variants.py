"""Two thousand ways to write JSON: every edit changes its own span and can be undone."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest

from tests.core.text.json_variants import Variant, variant
from tests.core.text.reference_model import (
    Pairs,
    any_value,
    at,
    exact,
    layout,
    pairs,
    place,
    pointers,
)
from tests.support.checks import each_seed, quick_and_slow, run_checks
from workflows.core.text import spans
from workflows.core.text.json.document import JsonText, Pointer

BLOCK = 100
Edit = Callable[[Random, Variant, JsonText], JsonText]


def own_span(old: JsonText, new: JsonText, start: int, end: int) -> None:
    """Not one byte before `start` or from `end` on differs."""
    assert new.data[:start] == old.data[:start]
    assert new.data[len(new.data) - (len(old.data) - end) :] == old.data[end:]


def around(text: JsonText, pointer: Pointer, first: int, last: int) -> tuple[int, int]:
    """From the end of the member before index `first` to the start of the one after `last`."""
    container = text.get(pointer)
    names = list(container) if isinstance(container, dict) else list(range(len(container)))
    span = text.span(pointer)
    start = text.span((*pointer, names[first - 1])).end if first else span.start + 1
    end = span.end - 1
    if last + 1 < len(names):
        end = text.span((*pointer, names[last + 1])).start
    return start, end


def containers(text: JsonText, *, filled: bool = False) -> list[Pointer]:
    found = [each for each in pointers(text) if isinstance(text.get(each), dict | list)]
    return [each for each in found if text.get(each)] if filled else found


def repeated(text: JsonText, pointer: Pointer) -> bool:
    return any(each.pointer[: len(pointer)] == pointer for each in text.duplicates)


def set_a_value(random: Random, made: Variant, text: JsonText) -> JsonText:
    pointer = random.choice(pointers(text))
    old, value = text.get(pointer), any_value(random)
    new = text.set(pointer, value)
    span = text.span(pointer)
    own_span(text, new, span.start, span.end)
    assert sorted_exact(new.get(pointer)) == sorted_exact(value)
    for other in containers(text):
        if other != pointer[: len(other)] and pointer != other[: len(pointer)]:
            assert new.get(other) is text.get(other)
    if made.own:
        assert new.set(pointer, old).data == text.data
    return new


def sorted_exact(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def insert_a_member(random: Random, made: Variant, text: JsonText) -> JsonText:
    found = containers(text)
    if not found:
        return text
    parent = random.choice(found)
    model, value = pairs(text.data), any_value(random)
    target = at(model, parent)
    size = len(text.get(parent))
    index = random.randrange(size + 1)
    if isinstance(target, Pairs):
        key = random.choice(["new", "é", "a/c"])
        if key in text.get(parent) or repeated(text, parent):
            return text
        pointer: Pointer = (*parent, key)
        new = text.insert(pointer, value, index=index)
        target.insert(index, [key, pairs(new.raw(pointer).encode())])
    else:
        pointer = (*parent, index)
        new = text.insert(pointer, value)
        target.insert(index, pairs(new.raw(pointer).encode()))
    assert exact(new.get(pointer)) == exact(value)
    assert exact(pairs(new.data)) == exact(model)
    own_span(text, new, *around(text, parent, index, index - 1))
    assert new.delete(pointer).data == text.data
    return new


def delete_a_member(random: Random, made: Variant, text: JsonText) -> JsonText:
    if len(found := pointers(text)) == 1:
        return text
    pointer = random.choice(found[1:])
    parent, last = pointer[:-1], pointer[-1]
    model = pairs(text.data)
    target = at(model, parent)
    index = place(target, last)
    old = text.get(pointer)
    new = text.delete(pointer)
    del target[index]
    assert exact(pairs(new.data)) == exact(model)
    if not repeated(text, parent):
        own_span(text, new, *around(text, parent, index, index))
    if made.own:
        assert new.insert(pointer, old, index=index).data == text.data
    return new


def rename_a_key(random: Random, made: Variant, text: JsonText) -> JsonText:
    found = [each for each in pointers(text) if each and isinstance(each[-1], str)]
    if not found:
        return text
    pointer = random.choice(found)
    parent, key = pointer[:-1], pointer[-1]
    name = random.choice(["renamed", "ü/é", "🚦🚦"])
    model = pairs(text.data)
    target = at(model, parent)
    if name != key and name in text.get(parent):
        with pytest.raises(ValueError, match="already"):
            text.rename(pointer, name)
        return text
    new = text.rename(pointer, name)
    target[place(target, key)][0] = name
    assert exact(pairs(new.data)) == exact(model)
    assert new.get((*parent, name)) is text.get(pointer)
    if made.own:
        assert new.rename((*parent, name), str(key)).data == text.data
    return new


def move_a_member(random: Random, made: Variant, text: JsonText) -> JsonText:
    if len(found := pointers(text)) == 1:
        return text
    pointer = random.choice(found[1:])
    parent = pointer[:-1]
    if repeated(text, parent):
        return text
    model = pairs(text.data)
    target = at(model, parent)
    origin, index = place(target, pointer[-1]), random.randrange(len(target))
    new = text.move(pointer, index=index)
    target.insert(index, target.pop(origin))
    assert exact(pairs(new.data)) == exact(model)
    own_span(text, new, *around(text, parent, min(origin, index), max(origin, index)))
    moved = pointer if isinstance(pointer[-1], str) else (*parent, index)
    assert new.move(moved, index=origin).data == text.data
    return new


EDITS: list[Edit] = [
    set_a_value, insert_a_member, delete_a_member, rename_a_key, move_a_member,
]  # fmt: skip


def reading_agrees_with_the_standard_library(seed: int) -> None:
    made = variant(seed)
    text = JsonText.parse(made.data)
    assert text.data == made.data
    assert exact(text.value) == exact(json.loads(made.data.decode("utf-8-sig")))


def each_edit_stays_in_its_place_and_can_be_undone(seed: int) -> None:
    for edit in EDITS:
        made = variant(seed)
        edit(Random(seed), made, JsonText.parse(made.data))


def after_many_edits_the_tree_is_that_of_a_fresh_parse(seed: int) -> None:
    random, made = Random(seed), variant(seed)
    first = text = JsonText.parse(made.data)
    any_style = Variant(data=made.data, own=False)
    for edit in random.choices(EDITS, k=4):
        text = edit(random, any_style, text)
    fresh = JsonText.parse(text.data)
    assert exact(text.value) == exact(fresh.value)
    assert layout(text) == layout(fresh)
    assert text.duplicates == fresh.duplicates
    changes = spans.difference(first.data, text.data)
    assert spans.apply(first.data, changes) == text.data
    assert spans.apply(text.data, spans.inverse(first.data, changes)) == first.data


@pytest.mark.parametrize("block", quick_and_slow(range(2), range(2, 20)))
def test_a_block_of_files(block: int) -> None:
    def check(seed: int) -> None:
        run_checks(
            (seed,),
            reading_agrees_with_the_standard_library,
            each_edit_stays_in_its_place_and_can_be_undone,
            after_many_edits_the_tree_is_that_of_a_fresh_parse,
        )

    each_seed(range(block * BLOCK, (block + 1) * BLOCK), check)
