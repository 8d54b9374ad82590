"""A hostile workflow script sees nothing but the documented names, and its rehearsal ends."""

from __future__ import annotations

import pytest

from tests.attacks.limited_process import limited
from tests.attacks.script_attacks import ATTACKS
from tests.support.checks import quick_and_slow

SECONDS = 20.0
"""Processor time of the check and three walks of a script; each walk has two seconds of its own."""
MEGABYTES = 400


@pytest.mark.parametrize("kind", quick_and_slow(["nothing else is seen", "is refused"], ["ends"]))
def test_no_script_leaves_or_stops_its_rehearsal(kind: str) -> None:
    done = limited("tests.attacks.script_attacks", "run", kind, cpu=300)
    assert list(done.answer) == list(ATTACKS[kind])
    assert {name: problem for name, (_, problem) in done.answer.items() if problem} == {}
    assert {name: spent for name, (spent, _) in done.answer.items() if spent > SECONDS} == {}
    assert done.megabytes < MEGABYTES
