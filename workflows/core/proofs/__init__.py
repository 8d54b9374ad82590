"""Rules that hold for any graph, whatever dialect it came from (codes GR1xx).

They read nothing but the projection. A dialect whose own rules already say one of these things
lists its code in an attribute `covers` (a set of codes), and `check` leaves it out.
"""

from __future__ import annotations

from workflows.core.findings import rules_of
from workflows.core.proofs import bounds, closures, ends, handled, loops, reach

RULES = rules_of(reach, ends, loops, handled, closures, bounds)
