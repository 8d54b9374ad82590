"""Detection and parsing of packs, including damaged files."""

from __future__ import annotations

import json

from tests.dialects.promptpack.packs import DIALECT, GOOD, source
from tests.support.checks import each_row
from workflows.core.pack.files import Files

GOOD_BYTES = json.dumps(GOOD).encode()


@each_row(
    [
        ("a.pack.json", GOOD_BYTES),
        ("deep/down/a.pack.json", b"not json at all"),
        ("plain.json", GOOD_BYTES),
        (
            "plain.json",
            b'{"id": "a", "prompts": {"x": {"system_template": "y"}}, "version": "1.0.0"}',
        ),
    ]
)
def test_a_pack_is_recognised(path: str, data: bytes) -> None:
    assert [found.main for found in DIALECT.recognises(Files.of({path: data}))] == [path]


@each_row(
    [
        {"all_steps": {}},
        {"version": "1.0.0", "registryType": "x", "tools": {"availableConfigs": []}},
        {"$schema": "x", "type": "object", "properties": {"prompts": {"type": "object"}}},
        {"name": "package", "version": "1.0.0", "dependencies": {}},
        {"prompts": {"a": "b"}, "unrelated": True},
        {"prompts": ["a"], "workflow": {}},
        ["prompts", {}],
    ]
)
def test_other_documents_are_not_packs(tree: object) -> None:
    assert DIALECT.recognises(Files.of({"x.json": json.dumps(tree).encode()})) == []


def test_several_packs_in_one_tree_are_recognised_separately() -> None:
    files = Files.of(
        {"a/x.pack.json": GOOD_BYTES, "README.md": b"", "b/y.json": GOOD_BYTES, "z.pack.json": b"?"}
    )
    assert [(found.name, found.paths) for found in DIALECT.recognises(files)] == [
        ("Good", ("a/x.pack.json",)),
        ("Good", ("b/y.json",)),
        ("z", ("z.pack.json",)),
    ]


@each_row(
    [
        (b"", "PP101"),
        (b'{"id": "a",}', "PP101"),
        (b"\xff\xfe{}", "PP101"),
        (b"[1, 2]", "PP102"),
        (b'"text"', "PP102"),
        (b"null", "PP102"),
        (b"[" * 100_000, "PP101"),
        (b'{"prompts": {}, "name": "\\ud83d alone"}', "PP104"),
        (b'{"prompts": {"\\uDE00": {}}}', "PP104"),
    ]
)
def test_a_file_that_is_no_pack_becomes_a_finding(data: bytes, code: str) -> None:
    found = source(data)
    assert [item.code for item in found.findings] == [code]
    assert not found.readable
    assert DIALECT.graph(found, "documented").states == ()
    assert DIALECT.outline(found) == ()


def test_a_whole_pair_of_escapes_is_one_character() -> None:
    found = source(b'{"prompts": {}, "name": "\\ud83d\\ude00 and \\u00e9"}')
    assert found.readable
    assert found.parts.tree["name"] == "\U0001f600 and \xe9"


def test_a_duplicate_key_is_reported_with_its_line() -> None:
    found = source(b'{\n "id": "a",\n "id": "b",\n "prompts": {}\n}')
    assert [(item.code, item.place.line) for item in found.findings] == [("PP103", 3)]
    assert found.readable
