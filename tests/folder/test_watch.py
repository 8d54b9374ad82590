"""The thread that follows an opened folder."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from django.db import OperationalError

from workflows.errors import NotThere
from workflows.folder import watch

LIMIT = 60
"""Seconds to wait for the thread."""


class Sync:
    """Packs of a folder whose first scan fails."""

    def __init__(self, root: Path, failure: Exception) -> None:
        self.root, self.failure = root, failure
        self.excluded: frozenset[str] = frozenset()
        self.scans = 0
        self.begun, self.repeated = threading.Event(), threading.Event()

    def has_file(self, place: str) -> bool:
        return False

    def exchange(self) -> None:
        self.begun.set()

    def scan(self) -> None:
        self.scans += 1
        if self.scans == 1:
            raise self.failure
        self.repeated.set()


@pytest.mark.parametrize(
    "failure", [OperationalError("database is locked"), NotThere("There is no pack 1.")]
)
def test_a_scan_that_failed_is_repeated_without_another_change(
    tmp_path: Path, failure: Exception
) -> None:
    sync, stop = Sync(tmp_path, failure), threading.Event()
    thread = watch.start(sync, stop)  # type: ignore[arg-type]
    try:
        assert sync.begun.wait(LIMIT)
        (tmp_path / "new").mkdir()
        assert sync.repeated.wait(LIMIT)
    finally:
        stop.set()
        thread.join(LIMIT)
    assert not thread.is_alive()
