"""The shipped scripts. Each is a file in the folder of workflow scripts."""

from __future__ import annotations

from workflows.core.pack.sample_files import shipped

samples = shipped(
    __name__,
    *("branch-lenses", "deep-question", "money-audit", "flaky-hunt", "migrate-components"),
    *("contract-review", "blank"),
    at=lambda path: f".claude/workflows/{path}",
)
