"""The two modes of a run: what a model is told of them, and how a program takes one on.

They are said in the third block of a layered prompt (agent-graph page, section 2.1), and hold at
the tools as well: see `workflows.runner.planning_mode`.
"""

from __future__ import annotations

from collections.abc import Mapping

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
