"""Find and replace: names through their renames, text in its own value only."""

import json

from workflows.core.dialects import dialects, recognise
from workflows.core.pack.files import Files
from workflows.core.pack.find import Query, find

PLAIN = {"match_case": True, "areas": ("prompts", "files")}


def opened(name, sample=None):
    dialect = dialects()[name]
    files = dialect.samples()[sample or next(iter(dialect.samples()))]
    (found,) = recognise(files)
    return dialect, dialect.read(Files.of({path: files[path] for path in found.paths}))


def replaced(dialect, source, **query):
    graph = dialect.graph(source, dialect.profiles[0])
    result = find(dialect, source, graph, Query(**query))
    for edit in result.edits:
        source = dialect.apply(source, edit)
    return result, dialect.read(source.files)


def test_a_state_is_renamed_with_every_reference():
    for name in dialects():
        dialect, source = opened(name)
        graph = dialect.graph(source, dialect.profiles[0])
        state = next(one.id for one in graph.states if not one.stateless)
        result, after = replaced(
            dialect, source, text=state, replacement=f"{state}x", areas=("states",),
            only=(f"state:{state}",), match_case=True,
        )  # fmt: skip
        new = dialect.graph(after, dialect.profiles[0])
        assert f"{state}x" in {one.id for one in new.states}, name
        assert len(new.transitions) == len(graph.transitions), name
        assert result.matches[0].line > 0, name


def test_nothing_changes_without_a_replacement():
    dialect, source = opened("promptpack")
    result, after = replaced(dialect, source, text="the")
    assert result.matches
    assert not result.edits
    assert dict(after.files) == dict(source.files)


def test_text_in_a_prompt_changes_in_its_value_only():
    dialect, source = opened("promptpack")
    data = source.files[source.main]
    result, after = replaced(
        dialect, source, text="the", replacement="THE", match_case=True, whole_words=True
    )
    assert len(result.edits) >= 1
    old, new = data.split(b"\n"), after.files[source.main].split(b"\n")
    assert len(old) == len(new)
    pairs = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert pairs
    assert all(a.lower() == b.lower() for a, b in pairs)


def test_replacing_back_restores_every_byte():
    for name in dialects():
        dialect, source = opened(name)
        _, there = replaced(dialect, source, text="a", replacement="\u03b1", **PLAIN)
        _, back = replaced(dialect, there, text="\u03b1", replacement="a", **PLAIN)
        for path, data in source.files.items():
            if path.endswith(".json"):
                assert json.loads(back.files[path]) == json.loads(data), (name, path)
            else:
                assert back.files[path] == data, (name, path)
