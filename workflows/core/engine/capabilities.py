"""Capabilities that a program requires of a model, compared with the claims of a driver.

A program's `requires` has capability → `hard`, `preferred` or `probed`. A driver's `claims` has
capability → `hard`, `preferred`, `probed` or `absent`. Only a hard capability that is claimed
absent prevents a run. A capability without a claim is unknown and allowed.
"""

from __future__ import annotations

from collections.abc import Mapping

from workflows.core.engine.program import Program

_ALL = ("streaming", "toolCalling", "structuredOutput")
EVERYTHING: Mapping[str, str] = dict.fromkeys(_ALL, "hard")
"""The claims of a driver that simulates its answers, or lets a person write them."""

_IN_WORDS = {
    "toolCalling": "call tools in a structured form",
    "structuredOutput": "answer in a given structure",
}


def missing_capability(program: Program, claims: Mapping[str, str], name: str) -> str:
    """The reason why this program cannot run with the driver `name`; "" if it can."""
    for capability, level in program.requires.items():
        if level == "hard" and claims.get(capability) == "absent":
            able = _IN_WORDS.get(capability, f"do {capability}")
            return (
                f"This pack needs a model that can {able}, and {name} cannot "
                f"(MissingCapability {capability})."
            )
    return ""
