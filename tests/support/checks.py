"""Several named checks in one test, for tables where each row has to pass all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from inspect import signature
from itertools import product
from textwrap import shorten
from typing import Any

import pytest

MEASURED = "ATTACKS" in os.environ
"""True for `make attacks`, which runs alone on a quiet machine: only then are times asserted."""


PARAM = type(pytest.param())


def run_checks(row: tuple[Any, ...], *checks: Callable[..., None]) -> None:
    """Run every check on one row of a table, and name those that failed.

    One failure is raised as it is, with the check's name as a note. Several are raised together as
    an `ExceptionGroup`, so that the first one hides none of the others.
    """
    _each("checks", [(check.__name__, check, row) for check in checks])


def each_row(rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make one test of a function and its table, in place of `parametrize`.

    For rows that take no time, because a test costs more than such a row. Every row is run, and
    those that failed are named as by `run_checks`. A function of one parameter gets the row as it
    is; a function of more gets its parts.
    """

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        alone = len(signature(check).parameters) == 1
        calls: list[tuple[Any, Callable[..., None], tuple[Any, ...]]] = []
        for row in rows:
            if isinstance(row, PARAM):
                assert not row.marks, "a row cannot be left out by a mark"
                calls.append((row.id or row.values, check, row.values))
            else:
                calls.append((row, check, (row,) if alone else row))

        def test() -> None:
            assert calls, "the table is empty"
            _each("rows", calls)

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(test, name, getattr(check, name))
        return test

    return decorate


def _name(row: Any) -> str:
    if isinstance(row, tuple):
        return ", ".join(map(_name, row))
    return row if isinstance(row, str) and len(row) < 60 else shorten(repr(row), 60)


def _each(kind: str, calls: list[tuple[Any, Callable[..., None], tuple[Any, ...]]]) -> None:
    failures: dict[str, Exception] = {}
    for row, check, arguments in calls:
        try:
            check(*arguments)
        except Exception as failure:
            name = _name(row)
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


def quick_every(step: int, values: Iterable[Any]) -> list[Any]:
    """Values to parametrise with: `make test` runs every nth of them, `make test-all` all."""
    return [
        pytest.param(value, marks=pytest.mark.slow) if number % step else value
        for number, value in enumerate(values)
    ]


def seed_ranges(quick: int, whole: int) -> list[Any]:
    """Ranges to parametrise with: `make test` runs the first seeds, `make test-all` all of them."""
    return quick_and_slow([range(quick)], [range(quick, whole)])


def quick_or_slow(quick: Any, slow: Any) -> list[Any]:
    """Two values to parametrise with: `make test` runs the quick one, `make test-all` the slow
    one, which does all that the quick one does."""
    return [
        pytest.param(quick, marks=pytest.mark.quick),
        pytest.param(slow, marks=pytest.mark.slow),
    ]
