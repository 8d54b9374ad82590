"""Revisions in memory: the newest, within limits, and never another's."""

from __future__ import annotations

import pytest

from tests.support.flow_dialect import Flow, flow
from workflows.core.pack.files import Files
from workflows.opened_packs.view import Opened
from workflows.selectors import sources
from workflows.selectors.sources import SourceCache


def opened(data: bytes = b"{}") -> Opened:
    return Opened(Flow(), Files({"a.flow.json": data}))


def test_the_entries_used_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_ENTRIES", 3)
    shelf = SourceCache()
    for number in (1, 2, 3):
        shelf.put(7, number, opened())
    shelf.get(7, 1)
    shelf.put(7, 4, opened())
    assert [number for number in range(1, 5) if shelf.get(7, number)] == [1, 3, 4]
    assert shelf.get(8, 1) is None


def test_bytes_are_bounded_but_the_newest_always_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 100)
    shelf = SourceCache()
    for number in range(5):
        shelf.put(1, number, opened(b'{"x":"' + b"y" * 40 + b'"}'))
    assert [number for number in range(5) if shelf.get(1, number)] == [3, 4]
    shelf.put(1, 9, opened(b'{"x":"' + b"y" * 400 + b'"}'))
    assert [number for number in (3, 4, 9) if shelf.get(1, number)] == [9]


def test_the_same_bytes_are_found_in_the_same_pack_only() -> None:
    shelf = SourceCache()
    one = opened(flow("A", A={}))
    shelf.put(1, 1, one)
    shelf.put(1, 2, opened())
    assert shelf.same_files(1, Files(dict(one.files))) is one
    assert shelf.same_files(2, one.files) is None
