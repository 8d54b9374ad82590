"""Converting there and back loses only facts that one of the two reports lists."""

from __future__ import annotations

import pytest

from tests.core.convert.packs import (
    SOME,
    KnownPack,
    converted,
    samples,
    some_of_corpus,
    targets,
    to_neutral,
)
from tests.support.corpus import at_least
from workflows.core.convert.coverage import BODY
from workflows.core.convert.facts import facts

SPELLED = {"prompt", "system", "text", "end", "turns"}
"""Facts that may have another form: texts with placeholders, ends, and omitted defaults. They are
compared as facts."""


def lost(report):
    """The facts that a report lists as changed."""
    return {key for told in report if told.fate in ("approximated", "dropped") for key in told.keys}


def said(ledger):
    """The facts that the files contain."""
    return {key for keys in ledger.marks.values() for key in keys}


def leaves_by_fact(ledger):
    """Fact → the values of its leaves."""
    found = {}
    for path, tree in ledger.trees.items():
        for pointer, value in tree.leaves():
            for key in keys_of(ledger, path, pointer):
                found.setdefault(key, set()).add(repr(value))
    return found


def keys_of(ledger, path, pointer):
    for size in range(len(pointer), -1, -1):
        if (path, pointer[:size]) in ledger.marks:
            return ledger.marks[path, pointer[:size]]
        if (path, pointer[:size]) in ledger.reasons:
            return ()
    return ()


def check_pack(known):
    for target in targets(known):
        there = converted(known, target)
        between = KnownPack(name=known.name, dialect=target, files=there.files)
        back = converted(between, known.dialect)
        again = KnownPack(name=known.name, dialect=known.dialect, files=back.files)
        before, after = to_neutral(known), to_neutral(again)
        told = lost(there.report) | lost(back.report)
        check_facts(before, after, told)
        check_leaves(before, after, told)


def check_facts(before, after, told):
    old, new = facts(before.machine), facts(after.machine)
    in_files = said(before.coverage) | set(before.coverage.implied)
    changed = {key for key in old if key in in_files and old[key] != new.get(key)}
    assert {key: (old[key], new.get(key)) for key in changed - told} == {}


def check_leaves(before, after, told):
    """A leaf with only kept facts is unchanged in the files of the second conversion."""
    there = leaves_by_fact(after.coverage)
    for path, tree in before.coverage.trees.items():
        for pointer, value in tree.leaves():
            keys = keys_of(before.coverage, path, pointer)
            if not keys or set(keys) & told or pointer == (BODY,):
                continue
            if {feature for _, feature in keys} & SPELLED:
                continue
            assert any(repr(value) in there.get(key, ()) for key in keys), (
                path,
                pointer,
                value,
                keys,
            )


@pytest.mark.parametrize("known", samples(), ids=lambda known: known.name)
def test_a_sample_comes_back_except_for_reported_facts(known):
    check_pack(known)


@pytest.mark.parametrize("dialect", ["promptpack", "stages", "steps_registry"])
@pytest.mark.parametrize("every", SOME)
def test_packs_of_the_corpus_come_back_except_for_reported_facts(dialect, every):
    packs = some_of_corpus(dialect, every)
    assert len(packs) >= at_least(15 // every, 2)
    for known in packs:
        check_pack(known)
