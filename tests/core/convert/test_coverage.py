"""Every value of the author's files is in exactly one entry of the report."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.core.convert.packs import (
    SOME,
    converted,
    everything,
    samples,
    some_of_corpus,
    targets,
)
from tests.support.checks import each_row
from tests.support.corpus import at_least
from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.json.pointer import pointer_of
from workflows.core.text.yaml.errors import YamlTextError


def leaves_of(path, data):
    """Every leaf of a file, found without the help of the code under test."""
    if path.endswith(".json"):
        try:
            yield from walked(json.loads(data), ())
        except ValueError:
            yield ()
        return
    if not path.endswith(".md"):
        yield ()
        return
    try:
        front = Frontmatter.parse(data)
    except YamlTextError:
        yield ("body",)
        return
    if front.head is not None:
        yield from walked(front.head.value, ())
    if front.body:
        yield ("body",)


def walked(value, pointer):
    if isinstance(value, (dict, list)) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from walked(item, (*pointer, str(key)))
    else:
        yield pointer


def uncovered(known, report):
    """Leaves that no entry covers."""
    covering = {(told.place.path, plain(told)) for told in report if not told.implied}
    for path, data in known.files.items():
        for leaf in leaves_of(path, data):
            if not any((path, leaf[:size]) in covering for size in range(len(leaf) + 1)):
                yield path, leaf


def plain(told):
    return tuple(map(str, pointer_of(told.place.pointer))) if told.place.pointer else ()


def told_twice(report):
    places = Counter(
        (told.place.path, told.place.pointer)
        for told in report
        if told.fate != "added" and not told.implied
    )
    return [place for place, count in places.items() if count > 1]


def check_pack(known):
    for target in targets(known):
        report = converted(known, target).report
        assert list(uncovered(known, report)) == []
        assert told_twice(report) == []
        for told in report:
            assert (told.fate == "added") == (told.place.path == ""), told
            assert told.fate == "kept" or told.why.endswith("."), told
            assert told.place.path == "" or told.place.line >= 1, told


@each_row(samples())
def test_every_leaf_of_a_sample_is_reported_once(known):
    check_pack(known)


@pytest.mark.parametrize("dialect", ["promptpack", "stages", "steps_registry"])
@pytest.mark.parametrize("every", SOME)
def test_every_leaf_of_the_corpus_is_reported_once(dialect, every):
    packs = some_of_corpus(dialect, every)
    assert len(packs) >= at_least(15 // every, 2)
    for known in packs:
        check_pack(known)


def test_the_packs_here_are_of_all_three_dialects():
    assert {known.dialect for known in everything()} == {"promptpack", "stages", "steps_registry"}
