"""Rules for the graphs of every dialect (codes GR1xx).

They read only the projection. A dialect whose own rules already report one of these problems lists
its code in the attribute `covers` (a set of codes), and `check` leaves it out.
"""

from __future__ import annotations

from workflows.core.pack.findings import rules_of
from workflows.core.rules import (
    exits,
    loops,
    mandatory_states,
    reachability,
    secrets,
    unavailable_tools,
    unhandled_events,
    worst_case,
)

RULES = rules_of(
    reachability,
    exits,
    loops,
    unhandled_events,
    mandatory_states,
    worst_case,
    unavailable_tools,
    secrets,
)
