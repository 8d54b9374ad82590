"""Converted packs are valid in their dialect and formatted like hand-written ones."""

from __future__ import annotations

import json

import pytest

from tests.core.convert.packs import (
    SOME,
    converted,
    samples,
    some_of_corpus,
    targets,
)
from tests.support.corpus import at_least
from workflows.core.dialects import dialects, recognise
from workflows.core.rules.check import check
from workflows.core.text.json.new_file import pretty


def errors(dialect, files):
    here = dialects()[dialect]
    source = here.read(files)
    assert source.readable
    found = check(here, source, here.profiles[0])
    return {finding.code for finding in found if finding.level == "error"}


def check_pack(known):
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


@pytest.mark.parametrize("known", samples(), ids=lambda known: known.name)
def test_a_converted_sample_is_sound(known):
    check_pack(known)


@pytest.mark.parametrize("dialect", ["promptpack", "stages", "steps_registry"])
@pytest.mark.parametrize("every", SOME)
def test_converted_packs_of_the_corpus_are_valid(dialect, every):
    packs = some_of_corpus(dialect, every)
    assert len(packs) >= at_least(15 // every, 2)
    for known in packs:
        check_pack(known)
