"""Every rule of the dialect, by family."""

from __future__ import annotations

COVERED = frozenset(
    {"GR103", "GR104", "GR105", "GR106", "GR107", "GR108", "GR109", "GR112", "GR114"}
)
"""Rules over any graph that rules of this dialect replace. WS313 has unreachable calls, WS603
loops, WS605 the worst case; a run of a script can always end, and its code handles each answer."""
