"""Renames of packs: each new file continues one old file."""

from __future__ import annotations

from workflows.folder.renames import renamed_paths


def test_files_with_the_same_bytes_keep_a_place_each() -> None:
    old = {"a/main.json": b"{}", "a/left.md": b"same", "a/right.md": b"same"}
    new = {"b.json": b"{}", "notes/one.md": b"same", "notes/two.md": b"same"}
    moved = renamed_paths(old, "a/main.json", new, "b.json")
    assert moved.pop("a/main.json") == "b.json"
    assert moved.keys() == {"a/left.md", "a/right.md"}
    assert sorted(moved.values()) == ["notes/one.md", "notes/two.md"]


def test_a_place_next_to_the_main_file_goes_before_equal_bytes() -> None:
    old = {"a/main.json": b"{}", "a/left.md": b"same"}
    new = {"b/main.json": b"{}", "b/left.md": b"changed", "b/copy.md": b"same"}
    moved = renamed_paths(old, "a/main.json", new, "b/main.json")
    assert moved == {"a/main.json": "b/main.json", "a/left.md": "b/left.md"}
