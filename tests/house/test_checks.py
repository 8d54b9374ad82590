"""Tests that check several things at once name each failure."""

from __future__ import annotations

import pytest

from tests.support.checks import each_row, each_seed, run_checks


def is_even(number: int) -> None:
    assert number % 2 == 0


def is_small(number: int) -> None:
    assert number < 10


def test_a_row_that_passes_every_check_passes() -> None:
    run_checks((4,), is_even, is_small)


def test_one_failed_check_is_named() -> None:
    with pytest.raises(AssertionError) as failure:
        run_checks((5,), is_even, is_small)
    assert failure.value.__notes__ == ["Check: is_even"]


def test_all_failed_checks_are_named() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 2 checks failed: is_even, is_small") as failures:
        run_checks((11,), is_even, is_small)
    assert len(failures.value.exceptions) == 2


def test_a_failed_seed_is_named() -> None:
    with pytest.raises(AssertionError) as failure:
        each_seed(range(4), is_even)
    assert failure.value.__notes__ == ["Seed: 1"]


def test_a_table_is_one_test_that_names_its_failed_rows() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 3 rows failed: 1, 3") as failures:
        each_row([1, 2, 3])(is_even)()
    assert failures.value.exceptions[1].__notes__ == ["Row: 3"]
    with pytest.raises(AssertionError) as failure:
        each_row([(2, 1), (2, 2)])(lambda one, other: is_even(one * other + other))()
    assert failure.value.__notes__ == ["Row: 2, 1"]
    assert each_row([])(is_even).__name__ == "is_even"
