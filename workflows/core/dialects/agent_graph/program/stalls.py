"""Detection of stalled agents (agent-graph page 7.5).

Three signals are compared separately: the output of a turn, its changes, and the failure of a
check. A threshold of N means N + 1 equal turns in a row, or as many turns that alternate between
two values. A turn without a signal resets that signal. A fourth signal is a turn without calls,
changes and new inputs with any text: a model never waits in equal words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SIGNALS = ("outputHash", "diffHash", "verificationFailure")
IDLE = "idle"
"""The signal of a turn without calls, changes and new inputs."""
SUMMARIES = 3
"""Number of recent summaries to keep as evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """A stall: the repeated signal, the number of turns, and the evidence for the event."""

    signal: str
    turns: int
    evidence: Mapping[str, Any]


def after(
    before: Mapping[str, Any], signals: Mapping[str, str | None], summary: str, threshold: int
) -> tuple[dict[str, Any], Stall | None]:
    """The memory after one more turn, and the stall, if any."""
    most = 2 * (threshold + 1)
    recent: dict[str, list[str]] = {}
    for name in (*SIGNALS, IDLE):
        value = signals.get(name)
        values = [*before.get(name, ()), value] if value is not None else []
        recent[name] = values[-most:]
    summaries = [*before.get("summaries", ()), summary][-SUMMARIES:]
    now = {**recent, "summaries": summaries}
    evidence = {**{name: signals.get(name) for name in SIGNALS}, "summaries": summaries}
    for name in (*SIGNALS, IDLE):
        turns = repeated(recent[name], threshold)
        if turns:
            return now, Stall(signal=name, turns=turns, evidence=evidence)
    return now, None


def repeated(values: list[str], threshold: int) -> int:
    """The number of last turns that are equal or alternate between two values; 0 for too few."""
    enough = threshold + 1
    last = values[-enough:]
    if len(last) == enough and len(set(last)) == 1:
        return enough
    pairs = values[-2 * enough :]
    if len(pairs) == 2 * enough and len(set(pairs[::2])) == 1 and len(set(pairs[1::2])) == 1:
        return 2 * enough
    return 0
