"""Several named checks in one test, for tables where each row has to pass all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest

MEASURED = "ATTACKS" in os.environ
"""True for `make attacks`, which runs alone on a quiet machine: only then are times asserted."""


def run_checks(row: tuple[Any, ...], *checks: Callable[..., None]) -> None:
    """Run every check on one row of a table, and name those that failed.

    One failure is raised as it is, with the check's name as a note. Several are raised together as
    an `ExceptionGroup`, so that the first one hides none of the others.
    """
    failures: dict[str, Exception] = {}
    for check in checks:
        try:
            check(*row)
        except Exception as failure:
            failure.add_note(f"Check: {check.__name__}")
            failures[check.__name__] = failure
    if len(failures) == 1:
        raise next(iter(failures.values()))
    if failures:
        message = f"{len(failures)} of {len(checks)} checks failed: {', '.join(failures)}"
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
    except BaseException as failure:  # `pytest.raises` fails with no Exception.
        failure.add_note(note)
        raise


def quick_and_slow(quick: Iterable[Any], slow: Iterable[Any]) -> list[Any]:
    """Values to parametrise with: `make test-all` runs both, `make test` the quick ones."""
    return [*quick, *(pytest.param(value, marks=pytest.mark.slow) for value in slow)]


def crossed(*axes: Iterable[Any]) -> list[Any]:
    """All combinations of the values of several parameters. `make test` runs only as many of them
    as show each value once."""
    values = [list(axis) for axis in axes]
    shown = {tuple(axis[n % len(axis)] for axis in values) for n in range(max(map(len, values)))}
    return [
        pytest.param(*row, marks=() if row in shown else pytest.mark.slow)
        for row in product(*values)
    ]


def quick_or_slow(quick: Any, slow: Any) -> list[Any]:
    """Two values to parametrise with: `make test` runs the quick one, `make test-all` the slow
    one, which does all that the quick one does."""
    return [
        pytest.param(quick, marks=pytest.mark.quick),
        pytest.param(slow, marks=pytest.mark.slow),
    ]
