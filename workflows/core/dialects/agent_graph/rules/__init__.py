"""The rules of the dialect. Codes: AG1xx shape, AG2xx agents, AG3xx edges, AG4xx team, AG5xx role
templates."""

from workflows.core.pack.causes import UNREACHABLE, Causes

COVERED = frozenset(f"GR{number}" for number in range(101, 115))
"""Excluded rules over any graph: they read a transition as a step of a run. Here it permits a
handoff, and no state needs one. AG301 and AG401 to AG404 replace those that make sense."""

_BROKEN = ("AG402", "AG301")
CAUSES = Causes(
    anywhere={
        **dict.fromkeys(UNREACHABLE, _BROKEN),
        "AG404": _BROKEN,
    },
    here={"AG403": ("AG113",)},
)
"""A transition or an entry that leads nowhere makes other states unreachable."""
