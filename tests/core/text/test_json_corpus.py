"""Every JSON file of the corpus: read as the standard library reads it, edited in one span only."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from workflows.core.text.json_text import JsonText, JsonTextError

from .model import exact, layout, pointers


def files(corpus: Path) -> list[tuple[Path, bytes]]:
    """Files that are JSON to the standard library."""
    found = []
    for path in sorted(corpus.rglob("*.json")):
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


def test_every_file_has_the_value_the_standard_library_reads(corpus: Path) -> None:
    for path, data in files(corpus):
        text = JsonText.parse(data)
        assert text.data == data, path
        assert exact(text.value) == exact(json.loads(data)), path


def test_every_place_is_where_its_value_is_written(corpus: Path) -> None:
    for path, data in files(corpus):
        text = JsonText.parse(data)
        random = Random(len(data))
        places = pointers(text)
        for pointer in random.sample(places, min(40, len(places))):
            assert exact(json.loads(text.raw(pointer))) == exact(text.get(pointer)), path


def test_a_change_is_one_span_and_can_be_taken_back(corpus: Path) -> None:
    for path, data in files(corpus):
        text = JsonText.parse(data)
        random = Random(len(data))
        places = pointers(text)
        for pointer in random.sample(places, min(5, len(places))):
            span = text.span(pointer)
            changed = text.set(pointer, {"changed": ["here", 1]})
            written = changed.raw(pointer).encode()
            assert changed.data == data[: span.start] + written + data[span.end :], path
            if pointer:
                back = (
                    text.insert((*pointer[:-1], "never seen"), 1)
                    if isinstance(text.get(pointer[:-1]), dict)
                    else text.insert(pointer, 1)
                )
                inserted = (
                    (*pointer[:-1], "never seen")
                    if isinstance(text.get(pointer[:-1]), dict)
                    else pointer
                )
                assert back.delete(inserted).data == data, path
        if len(places) < 500:
            assert layout(changed) == layout(JsonText.parse(changed.data)), path


def test_members_taken_out_go_back_where_they_were(corpus: Path) -> None:
    """A whole file written by one printer is restored to the byte by writing members again."""
    restored = tried = 0
    for _, data in files(corpus):
        text = JsonText.parse(data)
        places = [each for each in pointers(text) if each]
        for pointer in Random(len(data)).sample(places, min(5, len(places))):
            parent = text.get(pointer[:-1])
            last = pointer[-1]
            index = last if isinstance(last, int) else list(parent).index(last)
            back = text.delete(pointer).insert(pointer, text.get(pointer), index=index)
            assert exact(back.value) == exact(text.value)
            tried += 1
            restored += back.data == data
    assert restored / tried > 0.9, f"{restored} of {tried}"
