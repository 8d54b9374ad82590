"""What a program asks of whoever answers as the model, and what that one claims to be able to do.

A program may have `requires`: capability → `hard`, `preferred` or `probed`. A driver may have
`claims`: capability → `hard`, `preferred`, `probed` or `absent`. Only what is hard and absent keeps
a run from starting; of what nobody claims anything, nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping

from workflows.core.engine.program import Program

_ALL = ("streaming", "toolCalling", "structuredOutput")
EVERYTHING: Mapping[str, str] = dict.fromkeys(_ALL, "hard")
"""The claims of a driver that makes its answers up, or has a person write them."""

_IN_WORDS = {
    "toolCalling": "call tools in a structured form",
    "structuredOutput": "answer in a given structure",
}


def missing_capability(program: Program, claims: Mapping[str, str], name: str) -> str:
    """Why this program cannot run with the driver called `name`; "" where it can."""
    for capability, level in program.requires.items():
        if level == "hard" and claims.get(capability) == "absent":
            able = _IN_WORDS.get(capability, f"do {capability}")
            return (
                f"This pack needs a model that can {able}, and {name} cannot "
                f"(MissingCapability {capability})."
            )
    return ""
