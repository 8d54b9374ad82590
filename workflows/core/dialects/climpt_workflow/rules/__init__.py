"""Every rule of the dialect, by family."""

from __future__ import annotations

from workflows.core.pack.causes import UNREACHABLE, Causes

COVERED = frozenset({"GR102"})
"""Rules over any graph that rules of this dialect replace: CW106 (missing targets)."""


_BROKEN = ("CW106", "CW202")
CAUSES = Causes(
    anywhere={
        **dict.fromkeys(UNREACHABLE, _BROKEN),
        "CW203": ("CW202",),
    },
    here={"GR105": ("CW102", "CW105")},
)
"""A transition or an entry that leads nowhere makes other states unreachable."""
