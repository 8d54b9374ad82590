"""The two modes of a run, and the text that a model receives for each.

The text is the third block of a layered prompt (agent-graph page, section 2.1). Tools enforce the
mode too: see `workflows.runner.planning_mode`.
"""

from __future__ import annotations

from collections.abc import Mapping

PLANNING, IMPLEMENTATION = "PLANNING", "IMPLEMENTATION"
DOCS = "docs"
"""The folder that a run in PLANNING may write to."""

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
"""Mode → its block of the prompt."""
