"""Several named checks in one test, for tables where each row has to pass all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

MEASURED = "ATTACKS" in os.environ
"""True for `make attacks`, which runs alone on a quiet machine: only then are times asserted."""


def run_checks(row: tuple[Any, ...], *checks: Callable[..., None]) -> None:
    """Run every check on one row of a table, and name those that failed.

    One failure is raised as it is, with the check's name as a note. Several are raised together as
    an `ExceptionGroup`, so that the first one hides none of the others.
    """
    _each("checks", [(check.__name__, check, row) for check in checks])


def each_row(rows: Mapping[str, Any] | Iterable[Any], check: Callable[..., None]) -> None:
    """Run a check on every row of a table, and name the rows that failed as `run_checks` does.

    A table of many rows that take no time is one test, because a test costs more than its row.
    A mapping has names and arguments; of other rows the text is the name.
    """
    if isinstance(rows, Mapping):
        _each("rows", [(name, check, _arguments(row)) for name, row in rows.items()])
    else:
        _each("rows", [(repr(row), check, _arguments(row)) for row in rows])


def _arguments(row: Any) -> tuple[Any, ...]:
    return row if isinstance(row, tuple) else (row,)


def _each(kind: str, calls: list[tuple[str, Callable[..., None], tuple[Any, ...]]]) -> None:
    failures: dict[str, Exception] = {}
    for name, check, arguments in calls:
        try:
            check(*arguments)
        except Exception as failure:
            failure.add_note(f"{kind.removesuffix('s').title()}: {name}")
            failures[name] = failure
    if len(failures) == 1:
        raise next(iter(failures.values()))
    if failures:
        message = f"{len(failures)} of {len(calls)} {kind} failed: {', '.join(failures)}"
        raise ExceptionGroup(message, list(failures.values()))


def each_seed(seeds: Iterable[int], check: Callable[[int], None]) -> None:
    """Run a check for every seed. The first failure names its seed."""
    for seed in seeds:
        with failure_note(f"Seed: {seed}"):
            check(seed)


@contextmanager
def failure_note(note: str) -> Iterator[None]:
    """Add a note to a failure inside the block."""
    try:
        yield
    except Exception as failure:
        failure.add_note(note)
        raise


def quick_and_slow(quick: Iterable[Any], slow: Iterable[Any]) -> list[Any]:
    """Values to parametrise with: `make test-all` runs both, `make test` the quick ones."""
    return [*quick, *(pytest.param(value, marks=pytest.mark.slow) for value in slow)]


def quick_or_slow(quick: Any, slow: Any) -> list[Any]:
    """Two values to parametrise with: `make test` runs the quick one, `make test-all` the slow
    one, which does all that the quick one does."""
    return [
        pytest.param(quick, marks=pytest.mark.quick),
        pytest.param(slow, marks=pytest.mark.slow),
    ]
