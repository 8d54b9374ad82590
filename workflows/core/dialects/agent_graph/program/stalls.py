"""Agents that go round in circles (agent-graph page 7.5).

Three signals are watched by themselves: what a turn said, what it changed, and how a check failed
in it. A threshold of N means N + 1 equal turns in a row, or two that alternate so many times. A
turn without a signal begins that signal anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SIGNALS = ("outputHash", "diffHash", "verificationFailure")
SUMMARIES = 3
"""So many of the newest summaries are kept as evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """Which signal repeats, over how many turns, and the evidence as an event carries it."""

    signal: str
    turns: int
    evidence: Mapping[str, Any]


def after(
    before: Mapping[str, Any], signals: Mapping[str, str | None], summary: str, threshold: int
) -> tuple[dict[str, Any], Stall | None]:
    """What is remembered after one more turn, and the stall that it shows, if any."""
    most = 2 * (threshold + 1)
    recent: dict[str, list[str]] = {}
    for name in SIGNALS:
        value = signals.get(name)
        seen = [*before.get(name, ()), value] if value is not None else []
        recent[name] = seen[-most:]
    summaries = [*before.get("summaries", ()), summary][-SUMMARIES:]
    now = {**recent, "summaries": summaries}
    evidence = {**{name: signals.get(name) for name in SIGNALS}, "summaries": summaries}
    for name in SIGNALS:
        turns = repeated(recent[name], threshold)
        if turns:
            return now, Stall(signal=name, turns=turns, evidence=evidence)
    return now, None


def repeated(values: list[str], threshold: int) -> int:
    """How many turns at the end are all equal, or two that alternate; 0 where too few are."""
    enough = threshold + 1
    last = values[-enough:]
    if len(last) == enough and len(set(last)) == 1:
        return enough
    pairs = values[-2 * enough :]
    if len(pairs) == 2 * enough and len(set(pairs[::2])) == 1 and len(set(pairs[1::2])) == 1:
        return 2 * enough
    return 0
