"""A cursor on every line of every sample, and of packs of the corpus, against the lines of values
that another pass over the text finds."""

import json
from pathlib import Path

import pytest

from tests.support.checks import each_row
from tests.support.corpus import CORPUS, FULL
from workflows.core.dialects import dialects, recognise
from workflows.core.pack.files import Files
from workflows.core.pack.text_ranges import ElementIndex, PackRanges
from workflows.core.text.json.pointer import pointer_text
from workflows.core.text.json.value_lines import value_lines
from workflows.core.text.json.value_ranges import value_ranges

THIRD_PARTY = ("promptpack", "steps-registry", "stages", "agent-graph")


def packs_of(files):
    for found in recognise(files):
        dialect = dialects()[found.dialect]
        yield dialect, dialect.read(Files.of({path: files[path] for path in found.paths}))


def samples():
    for dialect in dialects().values():
        for name, files in dialect.samples().items():
            yield pytest.param(files, id=f"{dialect.name}-{name}")


def corpus_packs():
    """Up to three readable packs of each format, with at least two states."""
    for folder in THIRD_PARTY if FULL else ():
        count = 0
        for path in sorted((Path(CORPUS) / folder).rglob("*.json")):
            if count == 3 or path.stat().st_size > 300_000 or "vectors" in path.name:
                continue
            try:
                files = Files.of({path.name: path.read_bytes()})
                packs = list(packs_of(files))
            except Exception:
                continue
            for dialect, source in packs:
                if source.readable and len(dialect.graph(source, dialect.profiles[0]).states) > 1:
                    count += 1
                    yield pytest.param(files, id=f"{folder}-{path.name}")


def check_lines(dialect, source):
    """Check each line of each file both ways. Returns the number of lines."""
    data = source.files[source.main]
    graph = dialect.graph(source, dialect.profiles[0])
    drawn = {one.element: one.place for one in (*graph.states, *graph.transitions)}
    lines = 0
    for path, data in source.files.items():
        ranges = PackRanges(dialect, source, graph).of(path)
        index = ElementIndex(ranges)
        here = {one.element: one for one in ranges}
        for element, place in drawn.items():
            if place.path == path:
                one = here[element]
                assert element in index.at(one.start), element
                assert element in index.at(one.end), element
                assert 1 <= one.first.line <= one.last.line
        lines += check_json(path, data, drawn, index) if path == source.main else 0
    return lines or data.count(b"\n") + 1


def check_json(path, data, drawn, index):
    """Each line on which a value begins belongs to the drawn element nearest above that value."""
    try:
        known = value_lines(data)
    except Exception:
        return 0
    owners = {}
    for element, place in drawn.items():
        if place.path == path and place.pointer:
            owners.setdefault(place.pointer, set()).add(element)
    starts = value_ranges(data)
    assert known.keys() == starts.keys()
    for pointer, line in known.items():
        start, end = starts[pointer]
        assert data[start:end].count(b"\n") >= 0
        assert data.count(b"\n", 0, end) + 1 >= line
        above = [pointer_text(pointer[:size]) for size in range(len(pointer), 0, -1)]
        expected = next((owners[one] for one in above if one in owners), set())
        found = set(index.at(start))
        drawn_here = {one for one in found if one in drawn}
        assert drawn_here in (expected, set()), (path, line, pointer, found, expected)
        if pointer_text(pointer) in owners:
            assert found == expected
    return data.count(b"\n") + 1


@each_row(list(samples()))
def test_a_cursor_on_every_line_of_a_sample_finds_its_element(files):
    for dialect, source in packs_of(files):
        assert check_lines(dialect, source) > 0


@pytest.mark.skipif(not FULL, reason="SIGNALBOX_CORPUS is not set")
def test_a_cursor_on_every_line_of_the_corpus_finds_its_element():
    found = list(corpus_packs())
    assert len(found) >= 6
    for one in found:
        for dialect, source in packs_of(one.values[0]):
            assert check_lines(dialect, source) > 0


def test_value_ranges_agree_with_the_parser():
    text = b'\xef\xbb\xbf{"a": [1, {"b\\u0041": "x,}"}], "c": null}'
    body = text[3:]
    for pointer, (start, end) in value_ranges(text).items():
        value = json.loads(body)
        for key in pointer:
            value = value[key]
        part = text[start:end].decode("utf-8-sig")
        own = part.split(": ", 1)[1] if pointer and isinstance(pointer[-1], str) else part
        assert json.loads(own) == value


def test_columns_count_as_an_editor_does():
    files = dialects()["promptpack"].samples()
    (dialect, source), *_ = packs_of(next(iter(files.values())))
    graph = dialect.graph(source, dialect.profiles[0])
    for one in PackRanges(dialect, source, graph).of(source.main):
        line = source.files[source.main].decode().split("\n")[one.first.line - 1]
        assert line.encode("utf-16-le")[one.first.column * 2 :].decode("utf-16-le")[:1] in '"{['


@each_row(list(samples()))
def test_places_and_files_of_elements_are_those_of_their_forms(files):
    for dialect, source in packs_of(files):
        for profile in dialect.profiles:
            for section in dialect.outline(source):
                for element, _ in section.items:
                    form = dialect.fields(source, element, profile)
                    at = dialect.element_place(source, element, profile)
                    assert (at.place, at.renamable) == (form.place, form.renamable), element
            for state in dialect.graph(source, profile).states:
                if state.stateless:
                    continue
                links = [link for link, _ in dialect.fields(source, state.element, profile).links]
                paths = {one.removeprefix("file:") for one in links if one.startswith("file:")}
                assert set(dialect.state_files(source, state.id)) == paths, state.id
