"""Every JSON file of the corpus: read as the standard library reads it, edited in one span only."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from tests.core.text.reference_model import exact, layout, some_pointers
from tests.support.checks import quick_or_slow
from workflows.core.text.json.document import JsonText, JsonTextError

Files = list[tuple[Path, bytes]]


@pytest.fixture(params=quick_or_slow(6, 1))
def files(corpus: Path, request: pytest.FixtureRequest) -> Files:
    """Files that are JSON to the standard library: every sixth, or all."""
    found = []
    for path in sorted(corpus.rglob("*.json"))[:: request.param]:
        data = path.read_bytes()
        try:
            json.loads(data)
        except ValueError:
            with pytest.raises(JsonTextError):
                JsonText.parse(data)
        else:
            found.append((path, data))
    assert found, "the corpus holds no JSON"
    return found


def test_every_file_has_the_value_the_standard_library_reads(files: Files) -> None:
    for path, data in files:
        text = JsonText.parse(data)
        assert text.data == data, path
        assert exact(text.value) == exact(json.loads(data)), path


def test_every_place_is_where_its_value_is_written(files: Files) -> None:
    for path, data in files:
        text = JsonText.parse(data)
        for pointer in some_pointers(text, Random(len(data)), 20):
            assert exact(json.loads(text.raw(pointer))) == exact(text.get(pointer)), path


def test_a_change_is_one_span_and_can_be_taken_back(files: Files) -> None:
    for path, data in files:
        text = JsonText.parse(data)
        for pointer in some_pointers(text, Random(len(data)), 2):
            span = text.span(pointer)
            changed = text.set(pointer, {"changed": ["here", 1]})
            written = changed.raw(pointer).encode()
            assert changed.data == data[: span.start] + written + data[span.end :], path
            if isinstance(pointer[-1], str):
                pointer = (*pointer[:-1], "never seen")
            assert text.insert(pointer, {"new": []}).delete(pointer).data == data, path


def test_after_edits_the_tree_is_that_of_a_fresh_parse(files: Files) -> None:
    for path, data in files:
        text = JsonText.parse(data)
        for pointer in some_pointers(text, Random(len(data)), 2):
            if text.has(pointer):
                text = text.set(pointer, [{"a": "b"}]).move(pointer, index=0)
        if len(data) < 10_000:
            assert layout(text) == layout(JsonText.parse(text.data)), path


def test_members_taken_out_go_back_as_their_authors_wrote_them(files: Files) -> None:
    """Not every file is in one style; of those members chosen nearly all come back to the byte."""
    tried = restored = 0
    for _, data in files:
        text = JsonText.parse(data)
        for pointer in some_pointers(text, Random(len(data)), 4):
            parent, last = text.get(pointer[:-1]), pointer[-1]
            index = last if isinstance(last, int) else list(parent).index(last)
            back = text.delete(pointer).insert(pointer, text.get(pointer), index=index)
            assert exact(back.value) == exact(text.value)
            tried += 1
            restored += back.data == data
    assert restored / tried > 0.95, f"{restored} of {tried}"
