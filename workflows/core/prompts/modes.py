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
    # prose: off (prompts; their hashes are part of recorded runs)
    PLANNING: (
        "Mode: PLANNING.\n"
        "- Read what you need, but change nothing outside docs/.\n"
        "- Files below docs/ may be written; commands are not run.\n"
        "- Where code has to change, say so and ask for the mode to be switched."  # prose: off
    ),
    IMPLEMENTATION: (
        "Mode: IMPLEMENTATION.\n"
        "- Code may be changed.\n"
        "- Documents may be changed with it, and should still be true afterwards.\n"
        "- Run tests or another check wherever that makes sense, and say how it went."  # prose: off
    ),
}
"""Mode → its block of the prompt."""
