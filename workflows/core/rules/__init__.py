"""Rules for the graphs of every dialect (codes GR1xx).

They read only the projection. A dialect whose own rules already report one of these problems lists
its code in the attribute `covers` (a set of codes), and `check` leaves it out.
"""

from __future__ import annotations

from workflows.core.pack.findings import rules_in

RULES = rules_in(__name__)
