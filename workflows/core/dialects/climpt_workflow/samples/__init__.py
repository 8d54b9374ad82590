"""The shipped workflows. Each folder is a repository root, with `.agent` written as `agent`,
because packaging leaves out what begins with a dot."""

from __future__ import annotations

from workflows.core.pack.sample_files import shipped

samples = shipped(__name__, "issue-flow", "blank", at=lambda path: f".{path}")
