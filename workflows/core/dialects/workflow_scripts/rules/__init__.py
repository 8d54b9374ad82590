"""Every rule of the dialect, by family."""

from __future__ import annotations

from workflows.core.pack.causes import Causes

COVERED = frozenset(
    {"GR103", "GR104", "GR105", "GR106", "GR107", "GR108", "GR109", "GR112", "GR114"}
)
"""Rules over any graph that rules of this dialect replace. WS313 has unreachable calls, WS603
loops, WS605 the worst case; a run of a script can always end, and its code handles each answer."""

_UNREADABLE = ("WS101", "WS207")
CAUSES = Causes(
    anywhere={
        "WS103": ("WS101",),
        "WS313": _UNREADABLE,
        "WS502": (*_UNREADABLE, "WS501"),
    },
    here={"WS401": ("WS403",)},
)
"""Phases and calls have no use if the code that uses them cannot be read or called."""
