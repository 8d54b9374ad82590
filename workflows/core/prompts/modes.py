"""The two modes of a run: what a model is told of them, and how a program takes one on.

They are said in the third block of a layered prompt (agent-graph page, section 2.1), and hold at
the tools as well: see `workflows.runner.planning_mode`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from workflows.core.engine.program import Program

PLANNING, IMPLEMENTATION = "PLANNING", "IMPLEMENTATION"
DOCS = "docs"
"""The folder that may be written in PLANNING."""

PREAMBLES: Mapping[str, str] = {
    PLANNING: """\
Mode: PLANNING.
- Read what you need, but change nothing outside docs/.
- Files below docs/ may be written; commands are not run.
- Where code has to change, say so and ask for the mode to be switched.""",
    IMPLEMENTATION: """\
Mode: IMPLEMENTATION.
- Code may be changed.
- Documents may be changed with it, and should still be true afterwards.
- Run tests or another check wherever that makes sense, and say how it went.""",
}
"""Mode → the block that tells of it."""


@runtime_checkable
class Moded(Protocol):
    """A program that has a mode of its own, and sees to it."""

    def with_mode(self, mode: str) -> Program:
        """The same in the mode that its run was started in."""
        ...


def in_mode(program: Program, mode: str) -> Program:
    """The program in this mode, "" for none; most programs have none of their own."""
    return program.with_mode(mode) if mode and isinstance(program, Moded) else program
