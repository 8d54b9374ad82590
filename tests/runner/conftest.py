"""Runs of a tiny dialect, in a database that threads share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.runner.tiny import register, tiny_pack
from workflows.actions import runs
from workflows.core.dialects import dialects
from workflows.models import Run
from workflows.selectors.sources import SHELF

Begin = Callable[..., Run]


@pytest.fixture(autouse=True)
def _tiny_dialect() -> Iterator[None]:
    register()
    SHELF.clear()
    yield
    dialects().pop("tiny", None)
    SHELF.clear()


@pytest.fixture
def begin(transactional_db: None) -> Begin:
    """Start a run of a table of states."""

    def start(table: Mapping[str, Any], driver: str = "manual", **options: Any) -> Run:
        return runs.start(tiny_pack(table), driver=driver, options=options)

    return start
