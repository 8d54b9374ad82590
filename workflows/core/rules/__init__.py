"""Rules that hold for any graph, whatever dialect it came from (codes GR1xx).

They read nothing but the projection. A dialect whose own rules already say one of these things
lists its code in an attribute `covers` (a set of codes), and `check` leaves it out.
"""

from __future__ import annotations

from workflows.core.pack.findings import rules_of
from workflows.core.rules import (
    exits,
    loops,
    mandatory_states,
    reachability,
    unhandled_events,
    worst_case,
)

RULES = rules_of(reachability, exits, loops, unhandled_events, mandatory_states, worst_case)
