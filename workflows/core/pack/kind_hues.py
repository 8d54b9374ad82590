"""Hue of each kind of state, as on the canvas (`frontend_static/src/ui/stateKinds.ts`)."""

from __future__ import annotations

import re

HUES = 8
_KINDS = {
    1: "prompt state internal step work stage planner",
    2: "agent agents supervisor implementer",
    3: "reviewer verification verify check gate validate",
    4: "orchestrator composition workflow loop",
    5: "reader investigator tool command runner",
    6: "external hybrid human approval",
    7: "branch parallel fork join router",
    8: "closure terminal end start section fragment",
}
_HUE_OF = {kind: hue for hue, kinds in _KINDS.items() for kind in kinds.split()}
_PARTS = re.compile("[.:_-]")


def hue_of(kind: str) -> int:
    """1 to 8. A kind counts as its first part (`verification.issue` as `verification`); an unknown
    one has a hue by its name."""
    hue = _HUE_OF.get(kind) or _HUE_OF.get(_PARTS.split(kind)[0])
    if hue:
        return hue
    sum_ = 0
    for letter in kind:
        sum_ = (sum_ * 31 + ord(letter)) & 0xFFFFFFFF
    return 1 + sum_ % HUES if kind else 1
