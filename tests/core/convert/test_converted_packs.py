"""Converted packs are valid in their dialect and formatted like hand-written ones. Every value of
the author's files is in exactly one entry of the report, and converting there and back loses only
facts that one of the two reports lists."""

from __future__ import annotations

import json

import pytest

from tests.core.convert.packs import (
    NAMES,
    SOME,
    KnownPack,
    converted,
    everything,
    graphs,
    samples,
    some_of_corpus,
    targets,
    to_neutral,
)
from tests.core.convert.reports import told_twice, uncovered
from tests.support.checks import run_checks
from tests.support.corpus import at_least
from workflows.core.convert.coverage import BODY
from workflows.core.convert.facts import facts
from workflows.core.dialects import dialects, recognise
from workflows.core.rules.check import check
from workflows.core.text.json.new_file import pretty

SPELLED = {"prompt", "system", "text", "end", "turns"}
"""Facts that may have another form: texts with placeholders, ends, and omitted defaults. They are
compared as facts."""


def errors(dialect, files):
    here = dialects()[dialect]
    source = here.read(files)
    assert source.readable
    found = check(here, source, here.profiles[0])
    return {finding.code for finding in found if finding.level == "error"}


def a_converted_pack_is_sound(known):
    sound = errors(known.dialect, known.files) == set()
    for target in targets(known):
        files = converted(known, target).files
        (found,) = recognise(files)
        assert (found.dialect, set(found.paths)) == (target, set(files)), known.name
        if sound:
            assert errors(target, files) == set(), (known.name, target)
        for path, data in files.items():
            text = data.decode()
            assert text.endswith("\n") or not text, path
            if path.endswith(".json"):
                assert text == pretty(json.loads(text)), path


def every_leaf_is_reported_once(known):
    for target in targets(known):
        report = converted(known, target).report
        assert list(uncovered(known, report)) == []
        assert told_twice(report) == []
        for told in report:
            assert (told.fate == "added") == (told.place.path == ""), told
            assert told.fate == "kept" or told.why.endswith("."), told
            assert told.place.path == "" or told.place.line >= 1, told


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


def a_pack_comes_back_except_for_reported_facts(known):
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


def check_pack(known):
    run_checks(
        (known,),
        a_converted_pack_is_sound,
        every_leaf_is_reported_once,
        a_pack_comes_back_except_for_reported_facts,
    )


@pytest.mark.parametrize("known", samples(), ids=lambda known: known.name)
def test_a_sample(known):
    check_pack(known)


@pytest.mark.parametrize("known", graphs(), ids=lambda known: known.name)
def test_an_agent_graph(known):
    run_checks((known,), a_converted_pack_is_sound, every_leaf_is_reported_once)


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("every", SOME)
def test_packs_of_the_corpus(dialect, every):
    packs = some_of_corpus(dialect, every)
    assert len(packs) >= at_least(15 // every, 2)
    for known in packs:
        check_pack(known)


def test_the_packs_here_are_of_all_three_dialects():
    assert {known.dialect for known in everything()} == set(NAMES)
