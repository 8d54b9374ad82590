"""Every rule of the dialect, by family."""

from __future__ import annotations

from functools import cache

from workflows.core.pack.causes import UNREACHABLE, Causes
from workflows.core.pack.findings import Rule, rules_in

COVERED = frozenset({"GR102"})
"""Rules over any graph that rules of this dialect replace: CW106 (missing targets)."""


@cache
def rules() -> tuple[Rule, ...]:
    """All rules in the order of their codes."""
    return rules_in(__name__)


_BROKEN = ("CW106", "CW202")
CAUSES = Causes(
    anywhere={
        **dict.fromkeys(UNREACHABLE, _BROKEN),
        "CW203": ("CW202",),
    },
    here={"GR105": ("CW102", "CW105")},
)
"""A transition or an entry that leads nowhere makes other states unreachable."""
